// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_fp16.h>

#include <cstdint>

/// How the variants with one scalar result read their input.
namespace rooflinectl::kernels {

__device__ inline float to_float(float value) {
  return value;
}
__device__ inline float to_float(__half value) {
  return __half2float(value);
}

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
__device__ float grid_stride_sum(const T* d_input, std::uint64_t n) {
  float sum = 0.0F;
  for (std::uint64_t i = global_thread(); i < n; i += grid_threads()) sum += to_float(d_input[i]);
  return sum;
}

}  // namespace rooflinectl::kernels
