// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

/// Programs for `rooflinectl profile` to run on a GPU: their work is known, or they do what is hard to
/// profile.
namespace profiled {

using Arguments = std::vector<std::string>;

// Each is `rooflinectl-profiled-programs NAME ARGUMENTS...`, and returns the exit code.
int launches(const Arguments& kinds);
int products(const Arguments& arguments);
int transforms(const Arguments& arguments);
int graph(const Arguments& arguments);
int conditional_graph(const Arguments& arguments);
int device_graph(const Arguments& arguments);
int nested_launches(const Arguments& arguments);
int capture_beside_launches(const Arguments& arguments);
int dependent_streams(const Arguments& arguments);
int fed_by_host(const Arguments& arguments);
int persistent_kernel(const Arguments& arguments);
int dependent_devices(const Arguments& arguments);
int endless_kernel(const Arguments& arguments);
int plain(const Arguments& arguments);
int fork_children(const Arguments& arguments);
int exec_itself(const Arguments& arguments);
int exit_at_once(const Arguments& arguments);
int raise_signal(const Arguments& arguments);
int illegal_address(const Arguments& arguments);
int reset_device(const Arguments& arguments);
int context_alone(const Arguments& arguments);
int without_cuda(const Arguments& arguments);
int close_files(const Arguments& arguments);
int change_directory(const Arguments& arguments);
int unbalanced_ranges(const Arguments& arguments);
int profiler_range(const Arguments& arguments);
int many_groups(const Arguments& arguments);

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

  unsigned blocks() const { return static_cast<unsigned>(count / kBlock); }
};

inline Arrays new_arrays(std::size_t count) {
  float* x = nullptr;
  float* y = nullptr;
  check(cudaMalloc(&x, count * sizeof(float)));
  check(cudaMalloc(&y, count * sizeof(float)));
  check(cudaMemset(x, 0, count * sizeof(float)));
  check(cudaMemset(y, 0, count * sizeof(float)));
  return {x, y, count};
}

__device__ inline void saxpy(const Arrays& arrays) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < arrays.count;
       i += stride) {
    arrays.y[i] = __fmaf_rn(2.0F, arrays.x[i], arrays.y[i]);
  }
}

/// A kernel for each `Where`, which is in its name.
template <typename Where>
__global__ void saxpy_in(Arrays arrays) {
  saxpy(arrays);
}

/// Repeats `step` for as long, and waits for the GPU each time. Prints how often it was done.
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
