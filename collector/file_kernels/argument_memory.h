// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "collector/device/instruments.h"
#include "core/plan/kernel_call.h"
#include "kernels/data.h"

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

// What kernels from files find in memory, and what they leave there.

/// The element at `position` of what `fill` stands for, before it is rounded to `type`: fractions and small
/// integers are exact in every type that can hold them. With seed 0, `uniform` and `integers` are those of
/// `kernels::DataSet`.
__host__ __device__ inline double fill_element(const Fill& fill, ArgumentType type, std::uint64_t position) {
  if (fill.kind == FillKind::value) return fill.value;
  if (fill.kind == FillKind::index) return static_cast<double>(position);
  const std::uint64_t random = kernels::hash(position + fill.seed * 0xd1342543de82ef95u);
  if (fill.kind == FillKind::integers) {
    const auto from_0_to_14 = static_cast<double>(((random >> 32) * 15) >> 32);
    const bool is_unsigned = type == ArgumentType::u64 || type == ArgumentType::u32 ||
                             type == ArgumentType::u16 || type == ArgumentType::u8;
    return is_unsigned ? from_0_to_14 : from_0_to_14 - 7;
  }
  const int bits = type == ArgumentType::f64    ? 53
                   : type == ArgumentType::f16  ? 11
                   : type == ArgumentType::bf16 ? 8
                                                : 24;
  return static_cast<double>(random >> (64 - bits)) / static_cast<double>(std::uint64_t{1} << bits);
}

/// A value as a parameter of a kernel or an element in memory has it.
struct alignas(8) StoredValue : std::array<std::byte, 8> {};
StoredValue stored(double value, ArgumentType type);

/// Enqueues writing the elements that `described` stands for as elements of `type`, rounded to the described
/// type first: references that compute in a wider type find the same values.
void fill(const CallArgument& described, ArgumentType type, void* d_data, cudaStream_t stream);

/// The first element of what `fill` wrote, in the described type, that has another value now; nothing if
/// there is none. Waits for the device.
std::optional<std::uint64_t> first_change(const CallArgument& described, const void* d_data,
                                          cudaStream_t stream);

/// The guard regions of a stretch of memory with one or more sets of arguments.
class Guards {
 public:
  /// Of `sets` sets, which are `stride` bytes apart, with these regions in each.
  Guards(const std::vector<GuardRegion>& regions, int sets, std::size_t stride);

  /// Enqueues writing a pattern into the regions, which no two have alike. `d_sets`: the first set.
  void write(void* d_sets, cudaStream_t stream) const;
  /// What was written there since, in the first set with such writes; nothing if there is none. Waits for the
  /// device. Throws Error(measurement) if a launch failed.
  std::optional<GuardDamage> damage(const void* d_sets, cudaStream_t stream) const;

 private:
  int sets_;
  std::size_t stride_;
  std::size_t regions_;
  DeviceBuffer d_regions_;  // where each begins and ends
  DeviceBuffer d_written_;  // for each region of each set
};

/// Elements in device memory.
struct Elements {
  ArgumentType type = ArgumentType::f32;
  const void* d_data = nullptr;
};

/// How far a result may be from the expected value e: absolute + relative · |e|.
struct Tolerance {
  double relative = 0;
  double absolute = 0;
};

/// How results compare with what is expected of them.
struct ElementsCheck {
  /// The first one that is beyond its bound; nothing if there is none.
  struct Mismatch {
    std::uint64_t position = 0;
    double result = 0;
    double expected = 0;
  };
  std::optional<Mismatch> mismatch;
  double worst_error_over_bound = 0;  ///< 0 where all are equal
};

/// NaN is expected to be NaN, infinity to be the same infinity. Waits for the device.
ElementsCheck compare(const Elements& results, const Elements& expected, std::uint64_t count,
                      const Tolerance& tolerance, cudaStream_t stream);

}  // namespace rooflinectl
