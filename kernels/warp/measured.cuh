// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <span>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "kernels/cuda_check.h"
#include "kernels/data.h"
#include "kernels/primitive.h"

/// The kernel that measures a primitive, and what makes a primitive of an operation.
///
/// An operation is a type with
/// - `Value`: what a thread brings and gets, and `Shared`: memory that the block shares for it;
/// - `kSteps`: how often it is repeated in the loop; `kInstances`: how many of them a thread has under way;
/// - a constructor from `Shared&`, `takes_part()` of the thread, and `operator()` from value to value;
/// - `reference(group)`: on the host, what one operation makes of the values of a warp or block.
namespace rooflinectl::kernels::warp {

inline constexpr unsigned kFullMask = 0xffffffff;

struct NothingShared {};

/// What most operations have in common.
struct WarpOperation {
  using Shared = NothingShared;
  static constexpr PrimitiveScope kScope = PrimitiveScope::warp;
  static constexpr int kSteps = 16;
  static constexpr int kInstances = 2;
  __device__ explicit WarpOperation(Shared&) : lane(threadIdx.x % 32) {}
  __device__ bool takes_part() const { return true; }
  unsigned lane;
};

struct BlockOperation : WarpOperation {
  static constexpr PrimitiveScope kScope = PrimitiveScope::block;
  static constexpr int kSteps = 8;
  static constexpr int kInstances = 1;
  using WarpOperation::WarpOperation;
};

/// Different at every position, small where sums must stay exact in float.
template <typename T>
void fill_values(T* values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if constexpr (std::is_floating_point_v<T>) {
      values[i] = static_cast<T>(1 + hash(i) % 1000);
    } else {
      values[i] = static_cast<T>(hash(i));
    }
  }
}

template <typename Op, int instances>
__global__ void __launch_bounds__(kPrimitiveBlock)
    measured(const typename Op::Value* d_input, typename Op::Value* d_output, BlockInterval* d_intervals,
             int trips) {
  __shared__ typename Op::Shared shared;
  Op operation(shared);
  typename Op::Value values[instances];
#pragma unroll
  for (int i = 0; i < instances; ++i) values[i] = d_input[i * blockDim.x + threadIdx.x];
  long long start = 0;
  long long stop = 0;
  // The first round fetches the instructions, the second is the one that counts.
#pragma unroll 1
  for (int round = 0; round < 2; ++round) {
    const int rounds_trips = round == 0 ? 1 : trips;
    __syncthreads();
    start = clock64();
    if (operation.takes_part()) {
#pragma unroll 1
      for (int trip = 0; trip < rounds_trips; ++trip) {
#pragma unroll
        for (int step = 0; step < Op::kSteps; ++step) {
#pragma unroll
          for (int i = 0; i < instances; ++i) values[i] = operation(values[i]);
        }
      }
    }
    __syncthreads();
    stop = clock64();
  }
#pragma unroll
  for (int i = 0; i < instances; ++i) {
    d_output[(blockIdx.x * instances + i) * blockDim.x + threadIdx.x] = values[i];
  }
  if (threadIdx.x == 0) {
    unsigned sm = 0;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    d_intervals[blockIdx.x] = {static_cast<std::uint64_t>(start), static_cast<std::uint64_t>(stop), sm};
  }
}

template <typename Op, int instances>
void launch_with(const LaneLaunch& launch, int threads, cudaStream_t stream) {
  measured<Op, instances><<<launch.blocks, threads, 0, stream>>>(
      static_cast<const typename Op::Value*>(launch.d_input),
      static_cast<typename Op::Value*>(launch.d_output), launch.d_intervals, launch.trips);
  check_launch("a primitive");
}

template <typename Op>
void launch(Form form, const LaneLaunch& launch, cudaStream_t stream) {
  const int threads = Op::kScope == PrimitiveScope::warp && form == Form::latency ? 32 : kPrimitiveBlock;
  if (form == Form::latency) {
    launch_with<Op, 1>(launch, threads, stream);
  } else {
    launch_with<Op, Op::kInstances>(launch, threads, stream);
  }
}

template <typename Op>
int blocks_per_sm() {
  auto* const kernel = &measured<Op, Op::kInstances>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                             cudaSharedmemCarveoutMaxShared),
        "cudaFuncSetAttribute");
  int blocks = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, kPrimitiveBlock, 0),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return blocks;
}

template <typename Op>
void fill(void* values, std::size_t count) {
  if constexpr (requires { Op::initial(std::size_t{}); }) {
    for (std::size_t i = 0; i < count; ++i) static_cast<typename Op::Value*>(values)[i] = Op::initial(i);
  } else {
    fill_values(static_cast<typename Op::Value*>(values), count);
  }
}

template <typename Op>
void apply(void* values, std::size_t count, int times) {
  const std::size_t group = Op::kScope == PrimitiveScope::warp ? 32 : kPrimitiveBlock;
  for (std::size_t first = 0; first < count; first += group) {
    const std::span<typename Op::Value> threads(static_cast<typename Op::Value*>(values) + first, group);
    for (int i = 0; i < times; ++i) Op::reference(threads);
  }
}

/// What describes a primitive besides what its operation contains.
struct Description {
  std::string id;
  std::string family;
  std::string title;
  std::string by = "ours";
  Dtype dtype = Dtype::i32;
  std::optional<int> instructions;
  int minimum_sm = 75;
};

inline constexpr const char* kCub = "CUB";
inline constexpr const char* kCooperativeGroups = "cooperative groups";

template <typename Op>
LanePrimitive primitive(Description description) {
  LanePrimitive made;
  made.info = {.id = std::move(description.id),
               .family = std::move(description.family),
               .title = std::move(description.title),
               .by = std::move(description.by),
               .dtype = description.dtype,
               .scope = Op::kScope,
               .instructions = description.instructions};
  made.minimum_sm = description.minimum_sm;
  made.operation = typeid(Op).name();
  made.steps = Op::kSteps;
  made.instances = Op::kInstances;
  made.value_bytes = sizeof(typename Op::Value);
  made.fill = fill<Op>;
  made.apply = apply<Op>;
  made.launch = launch<Op>;
  made.blocks_per_sm = blocks_per_sm<Op>;
  return made;
}

/// The sum of the values of all lanes up to this one. All 32 lanes take part.
template <typename T>
__device__ T inclusive_prefix(T value, unsigned lane) {
#pragma unroll
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    const T below = __shfl_up_sync(kFullMask, value, distance);
    if (lane >= distance) value += below;
  }
  return value;
}

/// The scan on the host, of integers modulo their width.
template <typename T>
void scan_reference(std::span<T> values, bool is_exclusive) {
  using Unsigned = std::make_unsigned_t<T>;
  Unsigned sum = 0;
  for (T& value : values) {
    const Unsigned own = static_cast<Unsigned>(value);
    value = static_cast<T>(is_exclusive ? sum : sum + own);
    sum += own;
  }
}

}  // namespace rooflinectl::kernels::warp
