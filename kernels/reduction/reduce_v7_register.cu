// SPDX-License-Identifier: Apache-2.0
//
// V7 with a register: many elements per thread, added up in a register.
//
// - Idea: as V7; each thread keeps its sum in a register and stores it in shared memory once.
// - Changes from V7: the source states what the compiler makes of V7 anyway, so the two should take the same
//   time.
// - Launch shape: 32768 / block elements per thread, ceil(n / 32768) blocks; one partial sum per block.
// - Per element: 4 bytes read, 4 / 32768 written; executed additions at a block of 256: (32768 + 128 + 64 + 6
//   * 32) / 32768 = 1.0117.
// - Minimum sm: 7.5.
#include "kernels/reduction/block_total.cuh"
#include "kernels/reduction/ladder.h"

namespace rooflinectl::kernels::reduce_v7_register {

namespace {

template <int kBlock>
__global__ void reduce_v7_register(const float* d_input, float* d_output, std::uint64_t n) {
  __shared__ float shared[kBlock];
  const unsigned tid = threadIdx.x;
  const std::uint64_t begin = std::uint64_t{blockIdx.x} * ladder::kElementsPerBlock;
  float sum = 0.0F;
  if (n - begin >= ladder::kElementsPerBlock) {
    for (unsigned i = 0; i < ladder::kElementsPerBlock / kBlock; ++i)
      sum += d_input[begin + i * kBlock + tid];
  } else {
    for (std::uint64_t i = begin + tid; i < n; i += kBlock) sum += d_input[i];
  }
  shared[tid] = sum;
  __syncthreads();
#pragma unroll
  for (unsigned stride = kBlock / 2; stride > 32; stride /= 2) {
    if (tid < stride) shared[tid] += shared[tid + stride];
    __syncthreads();
  }
  if (tid < 32) warp_sum_in_shared(shared, tid);
  if (tid == 0) d_output[blockIdx.x] = shared[0];
}

const Registration registration(ladder::version<ladder::many_per_thread>(
    "reduce_v7_register", "V7 register", "many elements per thread, in a register", ladder::unrolled_loads,
    [](auto block) { return reduce_v7_register<block.value>; }));

}  // namespace

}  // namespace rooflinectl::kernels::reduce_v7_register
