// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "tests/gpu/profiled/programs.h"

/// What the programs have in common.
namespace profiled {

inline constexpr int kSkipped = 77;
inline constexpr unsigned kBlock = 256;

inline void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "profiled program: %s\n", cudaGetErrorString(status));
  std::exit(1);
}

inline void skip(const char* why) {
  std::printf("skipped: %s\n", why);
  std::exit(kSkipped);
}

/// The work of most kernels here: for each element one FFMA, two floats read and one written.
struct Arrays {
  const float* x = nullptr;
  float* y = nullptr;
  std::size_t count = 0;  ///< a multiple of `kBlock`
  float factor = 2;  ///< as an argument: a constant of the code may be made by an instruction that is counted

  unsigned blocks() const { return static_cast<unsigned>(count / kBlock); }
};

inline Arrays new_arrays(std::size_t count) {
  float* x = nullptr;
  float* y = nullptr;
  check(cudaMalloc(&x, count * sizeof(float)));
  check(cudaMalloc(&y, count * sizeof(float)));
  check(cudaMemset(x, 0, count * sizeof(float)));
  check(cudaMemset(y, 0, count * sizeof(float)));
  return {.x = x, .y = y, .count = count};
}

__device__ inline void saxpy(const Arrays& arrays) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < arrays.count;
       i += stride) {
    arrays.y[i] = __fmaf_rn(arrays.factor, arrays.x[i], arrays.y[i]);
  }
}

/// A kernel for each `Where`, which is in its name.
template <typename Where>
__global__ void saxpy_in(Arrays arrays) {
  saxpy(arrays);
}

inline cudaStream_t new_stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return stream;
}

/// That many launches of one kernel, as a graph.
template <typename Where>
cudaGraph_t captured(cudaStream_t stream, const Arrays& arrays, int launches) {
  cudaGraph_t graph = nullptr;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int i = 0; i < launches; ++i) saxpy_in<Where><<<arrays.blocks(), kBlock, 0, stream>>>(arrays);
  check(cudaStreamEndCapture(stream, &graph));
  return graph;
}

/// Repeats `step` for that long, and waits for the GPU each time. Prints how often it was done.
template <typename Step>
void repeat_for(double seconds, Step step) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  int steps = 0;
  for (; Clock::now() < end; ++steps) {
    step();
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::printf("%d steps\n", steps);
}

/// A hundred launches.
template <typename Where>
void launch_some(const Arrays& arrays) {
  for (int i = 0; i < 100; ++i) {
    saxpy_in<Where><<<arrays.blocks(), kBlock>>>(arrays);
    if (i % 10 == 9) check(cudaDeviceSynchronize());
  }
  check(cudaGetLastError());
}

inline constexpr std::size_t kSmall = std::size_t{1} << 20;
/// As long as it takes to go through the passes without tensor operations.
inline constexpr double kAllPassesS = 3.5;

}  // namespace profiled
