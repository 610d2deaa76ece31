// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/ceiling.h"
#include "kernels/cuda_check.h"

/// What the compute benchmarks share: independent chains of one instruction, held in registers.
namespace rooflinectl::kernels::compute {

/// Independent chains per thread: they hide the latency of the instruction.
inline constexpr int kChains = 8;
/// Steps of each chain per trip round the loop: the loop's own few instructions make up less than 1 %.
inline constexpr int kUnrolled = 64;
/// Trips round the loop: about 1 ms at full occupancy on a GPU of 2 GHz with 128 lanes per SM.
inline constexpr int kTrips = 256;

/// A kernel that writes to its argument unless it is null, which the compiler cannot know: the work must be
/// done.
using Kernel = void(void* d_sink);

/// x ← x² + c stays bounded for these c and x. Multiply-adds of that form read two registers rather than
/// three: the third would cost f64 and f16 part of their rate on Hopper. c differs per thread, so it lives in
/// a register.
__device__ inline float bounded_addend(unsigned thread) {
  return -0.25F + 0x1p-13F * static_cast<float>(thread);
}
__device__ inline float bounded_start(int chain) {
  return 0x1p-4F * static_cast<float>(chain);
}

/// Applies `step` kTrips * kUnrolled times to each chain, which starts at `start(chain)`.
template <typename Value, typename Start, typename Step>
__device__ void run_chains(void* d_sink, const Start& start, const Step& step) {
  Value chains[kChains];
#pragma unroll
  for (int c = 0; c < kChains; ++c) chains[c] = start(c);
#pragma unroll 1
  for (int trip = 0; trip < kTrips; ++trip) {
#pragma unroll
    for (int k = 0; k < kUnrolled; ++k) {
#pragma unroll
      for (int c = 0; c < kChains; ++c) chains[c] = step(chains[c]);
    }
  }
  if (d_sink == nullptr) return;
#pragma unroll
  for (int c = 0; c < kChains; ++c) static_cast<Value*>(d_sink)[c * blockDim.x + threadIdx.x] = chains[c];
}

/// The registration of a kernel made of `run_chains`, whose step is one instruction of a thread that does
/// `operations` operations and is counted under `counter`. `peak_metrics`: how many such instructions the
/// chip completes per cycle; empty where CUPTI has no such figure.
template <Kernel& kernel, int operations>
CeilingBenchmark benchmark(const std::string& subject, const std::string& operation, std::string_view counter,
                           std::vector<std::string_view> peak_metrics) {
  CeilingBenchmark result;
  result.id = subject + "_" + operation;
  result.kind = CeilingKind::compute;
  result.subject = subject;
  result.operation = operation;
  result.shapes = {{.blocks_per_sm = 2, .block = 256},
                   {.blocks_per_sm = 4, .block = 256},
                   {.blocks_per_sm = 1, .block = 1024},
                   {.blocks_per_sm = 4, .block = 512}};
  result.count = {{counter}, operations};
  if (!peak_metrics.empty()) result.peak = {.metrics = std::move(peak_metrics), .factor = operations};
  result.amount = [](const CeilingBuffers&, int grid, int block) {
    return static_cast<double>(grid) * block * kTrips * kUnrolled * kChains * operations;
  };
  result.launch = [](const CeilingBuffers&, int grid, int block, cudaStream_t stream) {
    kernel<<<grid, block, 0, stream>>>(nullptr);
    check_launch("a compute ceiling");
  };
  return result;
}

}  // namespace rooflinectl::kernels::compute
