// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/model/primitive.h"

/// Operations by which threads exchange values. One file per kind in `warp/`, registered like the variants.
namespace rooflinectl::kernels {

/// latency: one chain of operations, each of which needs the result of the one before, by one warp or block.
/// throughput: as many of them as the device holds, with several independent ones in each thread.
enum class Form { latency, throughput };

/// Threads per block where several warps run.
inline constexpr int kPrimitiveBlock = 256;

/// When a block did its operations, by the cycle counter of its SM.
struct BlockInterval {
  std::uint64_t start = 0;
  std::uint64_t stop = 0;
  std::uint64_t sm = 0;
};

struct LaneLaunch {
  /// One value per instance for each thread of a block: what every block begins with.
  const void* d_input = nullptr;
  void* d_output = nullptr;              ///< the same for every block
  BlockInterval* d_intervals = nullptr;  ///< one per block
  int blocks = 1;
  int trips = 1;
};

/// A primitive of the threads of a warp or a block. Its kernels do `steps` operations per trip and instance,
/// once to warm up and then `trips` times between the two readings of the cycle counter.
struct LanePrimitive {
  PrimitiveInfo info;
  int minimum_sm = 75;
  std::string operation;  ///< the type that the kernels are made from, mangled, to find them by
  int steps = 1;
  int instances = 1;            ///< independent operations per thread where throughput is measured
  std::size_t value_bytes = 0;  ///< what one thread brings to an operation
  /// Values for `count` threads.
  void (*fill)(void* values, std::size_t count) = nullptr;
  /// What `times` operations make of the values of `count` threads: whole warps or blocks.
  void (*apply)(void* values, std::size_t count, int times) = nullptr;
  void (*launch)(Form form, const LaneLaunch& launch, cudaStream_t stream) = nullptr;
  /// Blocks that an SM holds where throughput is measured.
  int (*blocks_per_sm)() = nullptr;

  /// Threads of a block.
  int threads(Form form) const {
    return form == Form::latency && info.scope == PrimitiveScope::warp ? 32 : kPrimitiveBlock;
  }
  /// Elements that one operation takes.
  int elements() const;
  int instances_of(Form form) const { return form == Form::latency ? 1 : instances; }
};

/// A scan of 32-bit integers by the whole device.
struct DevicePrimitive {
  PrimitiveInfo info;
  int minimum_sm = 75;
  bool is_exclusive = false;
  /// Zeroed once before the first launch.
  std::size_t (*workspace_bytes)(std::uint64_t n) = nullptr;
  /// `d_input` and `d_output` hold `n` elements each, at least 1, and begin at a multiple of 16 bytes.
  void (*launch)(const int* d_input, int* d_output, std::uint64_t n, void* d_workspace,
                 cudaStream_t stream) = nullptr;
};

/// Sorted by id.
const std::vector<LanePrimitive>& all_lane_primitives();
const std::vector<DevicePrimitive>& all_device_primitives();

struct PrimitiveRegistration {
  explicit PrimitiveRegistration(std::vector<LanePrimitive> primitives);
  explicit PrimitiveRegistration(std::vector<DevicePrimitive> primitives);
};

/// Counts the positions at which `d_output` is not the scan of `d_input`, into the zeroed `d_wrong`.
void count_wrong_prefixes(const int* d_input, const int* d_output, std::uint64_t n, bool is_exclusive,
                          unsigned long long* d_wrong, cudaStream_t stream);

}  // namespace rooflinectl::kernels
