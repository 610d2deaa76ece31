// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "core/model/dtype.h"

// Separate from runs and points, so that kernels are compiled without those.
namespace rooflinectl {

/// What the caches hold when a launch starts. cold: a clean buffer of at least four times L2 was read first;
/// warm: the same launch ran just before.
enum class CacheState { cold, warm };
inline constexpr auto kCacheStates = kEnumerators<CacheState>;

/// How launches are timed. graph: in a CUDA graph, which has many launches where these are short, between two
/// events around all of them; plain: alone, each between two events of its own.
enum class LaunchMode { graph, plain };

/// Arithmetic operations, integer ones included; a multiply-add is two.
struct Operations {
  double flops = 0;
  double fma_flops = 0;  ///< those of `flops` that are part of a multiply-add

  bool operator==(const Operations&) const = default;
};

/// The work that an algorithm cannot avoid, whatever the implementation: each input read once, each result
/// written once, and the fewest operations. All zeros where none is declared.
struct Work {
  double read_bytes = 0;
  double written_bytes = 0;
  std::map<Dtype, Operations> operations;  ///< by the type that they are done in
  double link_bytes = 0;  ///< received from the others that share the work, by the GPU that receives most

  double bytes() const { return read_bytes + written_bytes; }
  double flops() const;  ///< of all types
  bool operator==(const Work&) const = default;
};

struct LaunchShape {
  std::uint64_t grid = 0;
  int block = 0;
  /// The most bytes of input that a block has asked for and not yet used at one time: threads × independent
  /// loads × bytes per load, or what its bulk copies bring. Nothing where the kernel's source is not ours, so
  /// that it is unknown.
  std::optional<double> bytes_in_flight_per_block;

  bool operator==(const LaunchShape&) const = default;
};

}  // namespace rooflinectl
