// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <vector>

#include "kernels/ceiling.h"

/// What the compute benchmarks share: independent chains of one operation, held in registers.
namespace rooflinectl::kernels::compute {

/// Independent chains per thread: they hide the latency of the operation.
inline constexpr int kChains = 8;
/// Steps of each chain per trip round the loop.
inline constexpr int kUnrolled = 64;
/// Trips round the loop: 1 to 2 ms at full occupancy on a GPU of 2 GHz with 128 f32 lanes per SM.
inline constexpr int kTrips = 384;

inline std::vector<CeilingShape> shapes() {
  return {{.blocks_per_sm = 2, .block = 256},
          {.blocks_per_sm = 4, .block = 256},
          {.blocks_per_sm = 8, .block = 256},
          {.blocks_per_sm = 1, .block = 1024},
          {.blocks_per_sm = 4, .block = 512}};
}

inline double steps_per_launch(int grid, int block) {
  return static_cast<double>(grid) * block * kTrips * kUnrolled * kChains;
}

/// Applies `step` kTrips * kUnrolled times to each chain. The result is compared with a value that it never
/// takes, so the work cannot be dropped.
template <typename Step>
__device__ void run_chains(float* d_target, const Step& step) {
  float chains[kChains];
#pragma unroll
  for (int c = 0; c < kChains; ++c) chains[c] = static_cast<float>(threadIdx.x + c);
#pragma unroll 1
  for (int trip = 0; trip < kTrips; ++trip) {
#pragma unroll
    for (int k = 0; k < kUnrolled; ++k) {
#pragma unroll
      for (int c = 0; c < kChains; ++c) chains[c] = step(chains[c]);
    }
  }
  float sum = 0.0F;
#pragma unroll
  for (int c = 0; c < kChains; ++c) sum += chains[c];
  if (sum == -INFINITY) *d_target = sum;
}

}  // namespace rooflinectl::kernels::compute
