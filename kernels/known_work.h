// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/agreement.h"

/// Kernels that are known to do an exact amount of work, with which `rooflinectl selftest` compares the
/// counters. One file per group in `known_work/`, registered like the variants.
namespace rooflinectl::kernels {

/// What the kernels of known work share: two buffers of `kKnownBytes`, filled with zeros.
struct KnownWorkSite {
  void* d_source = nullptr;
  void* d_target = nullptr;
  int sm_count = 0;
  std::size_t l2_bytes = 0;  ///< of the device
};

/// The size of each buffer: 1 GiB, much more than any L2.
inline constexpr std::size_t kKnownBytes = std::size_t{1} << 30;

/// One count that is known beforehand, from the launch shape and the source alone.
struct KnownCount {
  std::string_view quantity;  ///< a key of `core/counters/counters.h`, or `dram_bytes`: read and written
  ComparedUnit unit = ComparedUnit::count;
  double expected = 0;
  double tolerance = 0;  ///< 0: exact
  bool is_relative = true;
  std::string note;  ///< why the tolerance is what it is
};

struct KnownWork {
  std::string id;        ///< `f32_add`
  int minimum_sm = 75;   ///< of the instructions that it names
  bool is_cold = false;  ///< no cache may hold any of its input, nor a dirty line of anything else
  std::vector<KnownCount> (*counts)(const KnownWorkSite&) = nullptr;
  void (*launch)(const KnownWorkSite&, cudaStream_t) = nullptr;
  /// The same launch without the instructions that `counts` is about: what it counts (addresses, constants)
  /// is subtracted. Null where `counts` is about everything that `launch` does.
  void (*launch_without)(const KnownWorkSite&, cudaStream_t) = nullptr;
};

/// Sorted by id.
const std::vector<KnownWork>& all_known_work();

struct KnownWorkRegistration {
  explicit KnownWorkRegistration(std::vector<KnownWork> group);
};

}  // namespace rooflinectl::kernels
