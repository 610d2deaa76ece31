// SPDX-License-Identifier: Apache-2.0
// What a timeline has to show: known bytes, times in which nothing runs, and kernels beside each other.

#include <cuda_profiler_api.h>

#include <nvtx3/nvtx3.hpp>

#include "tests/gpu/profiled/program.cuh"

namespace profiled {

struct Alone;
struct BesideAnother;
struct BeforeReset;
struct AfterReset;
struct OnEach;
struct Captured;
struct NotCaptured;

/// Products of FP64 without any memory: about a millisecond.
__global__ void computes(double* result, int rounds) {
  double a = threadIdx.x;
  double b = 1;
  double c = 2;
  double d = 3;
  for (int i = 0; i < rounds; ++i) {
    a = a * 1.0001 + 0.5;
    b = b * 1.0001 + 0.5;
    c = c * 1.0001 + 0.5;
    d = d * 1.0001 + 0.5;
  }
  if (a + b + c + d == 0.5) *result = a;
}

/// Steps of a saxpy of 3 GiB of traffic, one of FP64 arithmetic, and two saxpys of half of that on two
/// streams; after each the GPU is idle for two milliseconds.
int over_time(const Arguments&) {
  constexpr std::size_t kElements = std::size_t{1} << 28;
  constexpr unsigned kBlocks = 528;
  const Arrays whole = new_arrays(kElements);
  Arrays halves[] = {whole, whole};
  halves[0].count = halves[1].count = kElements / 2;
  halves[1].x += kElements / 2;
  halves[1].y += kElements / 2;
  cudaStream_t const streams[] = {new_stream(), new_stream()};
  double* result = nullptr;
  check(cudaMalloc(&result, sizeof(double)));
  const auto rest = [] {
    check(cudaDeviceSynchronize());
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  };
  repeat_for(7, [&] {
    {
      const nvtx3::scoped_range range("saxpy");
      saxpy_in<Alone><<<2 * kBlocks, kBlock>>>(whole);
      rest();
    }
    {
      const nvtx3::scoped_range range("arithmetic");
      computes<<<kBlocks, kBlock>>>(result, 30000);
      rest();
    }
    const nvtx3::scoped_range range("two streams");
    for (int i = 0; i < 2; ++i) saxpy_in<BesideAnother><<<kBlocks, kBlock, 0, streams[i]>>>(halves[i]);
    rest();
  });
  return 0;
}

/// Saxpys, then those of another context on the same GPU.
int reset_over_time(const Arguments&) {
  const Arrays before = new_arrays(kSmall);
  repeat_for(kAllPassesS, [&] { saxpy_in<BeforeReset><<<before.blocks(), kBlock>>>(before); });
  check(cudaDeviceReset());
  const Arrays after = new_arrays(kSmall);
  repeat_for(kAllPassesS, [&] { saxpy_in<AfterReset><<<after.blocks(), kBlock>>>(after); });
  return 0;
}

/// Saxpys in two captured parts, and two seconds of them in between.
int captured_over_time(const Arguments&) {
  const Arrays arrays = new_arrays(kSmall);
  for (const double part_s : {kAllPassesS, 1.0}) {
    check(cudaProfilerStart());
    repeat_for(part_s, [&] { saxpy_in<Captured><<<arrays.blocks(), kBlock>>>(arrays); });
    check(cudaProfilerStop());
    if (part_s == kAllPassesS)
      repeat_for(2, [&] { saxpy_in<NotCaptured><<<arrays.blocks(), kBlock>>>(arrays); });
  }
  return 0;
}

/// A saxpy on each of two GPUs at once, then a copy of 1 GiB from the first one to the second.
int two_gpus_over_time(const Arguments&) {
  constexpr std::size_t kElements = std::size_t{1} << 28;
  int devices = 0;
  check(cudaGetDeviceCount(&devices));
  if (devices < 2) skip("needs two GPUs");
  Arrays arrays[2];
  for (int device = 0; device < 2; ++device) {
    check(cudaSetDevice(device));
    arrays[device] = new_arrays(kElements);
    const cudaError_t enabled = cudaDeviceEnablePeerAccess(1 - device, 0);
    if (enabled == cudaErrorPeerAccessUnsupported) skip("needs peer access");
    check(enabled);
  }
  repeat_for(7, [&] {
    for (int device = 0; device < 2; ++device) {
      check(cudaSetDevice(device));
      saxpy_in<OnEach><<<1056, kBlock>>>(arrays[device]);
    }
    for (int device = 0; device < 2; ++device) {
      check(cudaSetDevice(device));
      check(cudaDeviceSynchronize());
    }
    check(cudaMemcpyPeerAsync(arrays[1].y, 1, arrays[0].x, 0, kElements * sizeof(float)));
  });
  return 0;
}

}  // namespace profiled
