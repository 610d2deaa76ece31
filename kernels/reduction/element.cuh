// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <type_traits>

/// How the variants with one scalar result read their input.
namespace rooflinectl::kernels {

/// The element as its accumulator takes it: 16-bit floats are added up in float, others in their own type.
template <typename T>
__device__ inline T to_accumulator(T value) {
  return value;
}
__device__ inline float to_accumulator(__half value) {
  return __half2float(value);
}
__device__ inline float to_accumulator(__nv_bfloat16 value) {
  return __bfloat162float(value);
}

/// What elements of type T are added up in: `accumulator()` of `core/model/dtype.h`.
template <typename T>
using Accumulator = decltype(to_accumulator(T{}));

/// Adds `value` to what lies at `d_target`. 64-bit integers are added as unsigned ones: the sum has the same
/// bits.
template <typename Value>
__device__ inline void atomic_add(Value* d_target, Value value) {
  if constexpr (std::is_same_v<Value, std::int64_t>) {
    atomicAdd(reinterpret_cast<unsigned long long*>(d_target), static_cast<unsigned long long>(value));
  } else {
    atomicAdd(d_target, value);
  }
}

/// The index of this thread in the whole grid, and the number of threads in it: 64 bits wide, as inputs can
/// have more than 2^32 elements.
__device__ inline std::uint64_t global_thread() {
  return std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
}
__device__ inline std::uint64_t grid_threads() {
  return std::uint64_t{gridDim.x} * blockDim.x;
}

/// The sum of this thread's elements: the one at its own index, and one every grid's width from there.
template <typename T>
__device__ Accumulator<T> grid_stride_sum(const T* d_input, std::uint64_t n) {
  Accumulator<T> sum{};
  for (std::uint64_t i = global_thread(); i < n; i += grid_threads()) sum += to_accumulator(d_input[i]);
  return sum;
}

}  // namespace rooflinectl::kernels
