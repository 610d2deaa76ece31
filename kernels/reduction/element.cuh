// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_fp16.h>

#include <cstdint>

/// How the variants with one scalar result read their input.
namespace rooflinectl::kernels {

/// The element as its accumulator takes it: halves are added up in float.
__device__ inline float to_accumulator(float value) {
  return value;
}
__device__ inline float to_accumulator(__half value) {
  return __half2float(value);
}
__device__ inline int to_accumulator(int value) {
  return value;
}

/// What elements of type T are added up in: `accumulator()` of `core/dtype.h`.
template <typename T>
using Accumulator = decltype(to_accumulator(T{}));

/// The index of this thread in the whole grid, and the number of threads in it: 64 bits wide, as inputs can
/// have more than 2^32 elements.
__device__ inline std::uint64_t global_thread() {
  return std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
}
__device__ inline std::uint64_t grid_threads() {
  return std::uint64_t{gridDim.x} * blockDim.x;
}

/// The sum of this thread's elements: its own index and every grid's width from there.
template <typename T>
__device__ Accumulator<T> grid_stride_sum(const T* d_input, std::uint64_t n) {
  Accumulator<T> sum{};
  for (std::uint64_t i = global_thread(); i < n; i += grid_threads()) sum += to_accumulator(d_input[i]);
  return sum;
}

}  // namespace rooflinectl::kernels
