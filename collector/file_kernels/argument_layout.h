// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/plan/kernel_call.h"

namespace rooflinectl {

/// Bytes before and after each argument in which writes are noticed.
inline constexpr std::size_t kGuardBytes = std::size_t{64} << 10;

/// A stretch beside an argument that a kernel must leave alone, in bytes from the beginning of its set.
struct GuardRegion {
  std::size_t argument = 0;  ///< among those of the call
  bool is_after = false;     ///< behind the argument, not before it
  std::size_t begin = 0;
  std::size_t end = 0;

  bool operator==(const GuardRegion&) const = default;
};

/// The first and the last byte of a guard region that were written, in bytes as the region has them.
struct GuardDamage {
  std::size_t region = 0;  ///< among those of the layout
  std::size_t first = 0;
  std::size_t last = 0;

  bool operator==(const GuardDamage&) const = default;
};

/// Where the arguments of one launch lie: a set of them in one stretch of memory, each between two guard
/// regions.
class ArgumentLayout {
 public:
  explicit ArgumentLayout(std::vector<CallArgument> arguments);

  /// Of a set, a multiple of the alignment.
  std::size_t bytes() const { return bytes_; }
  /// Of an argument that is no scalar.
  std::size_t offset(std::size_t argument) const { return offsets_[argument]; }
  const std::vector<GuardRegion>& guards() const { return guards_; }

  /// `wrote outside 'y' (1000 elements of f32): bytes 1 to 96 behind its end`.
  std::string describe(const GuardDamage& damage) const;

 private:
  std::vector<CallArgument> arguments_;
  std::size_t bytes_ = 0;
  std::vector<std::size_t> offsets_;  // by argument; that of a scalar is not used
  std::vector<GuardRegion> guards_;
};

}  // namespace rooflinectl
