// SPDX-License-Identifier: Apache-2.0
// Steps in which one kernel of one shape does different work in each of its launches.

#include <chrono>
#include <string>

#include "tests/gpu/profiled/program.cuh"

namespace profiled {

__global__ void repeat_fma(Arrays arrays, int times) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  float value = arrays.x[i];
#pragma unroll 1
  for (int k = 0; k < times; ++k) value = __fmaf_rn(value, arrays.factor, arrays.factor);
  arrays.y[i] = value;
}

/// The first launch of a step does as much as ten of the others together.
int times_of(int place) {
  constexpr int kShort[] = {1024, 4096, 3072};
  return place == 0 ? 32'000 : kShort[(place - 1) % 3];
}

/// `steps-that-differ LAUNCHES SECONDS`: prints how many FFMA a launch does on average.
int steps_that_differ(const Arguments& arguments) {
  const int launches = std::stoi(arguments.at(0));
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::duration<double>(std::stod(arguments.at(1)));
  const Arrays arrays = new_arrays(std::size_t{132} * 8 * kBlock);
  while (std::chrono::steady_clock::now() < end) {
    for (int place = 0; place < launches; ++place)
      repeat_fma<<<arrays.blocks(), kBlock>>>(arrays, times_of(place));
    check(cudaDeviceSynchronize());
  }
  double times = 0;
  for (int place = 0; place < launches; ++place) times += times_of(place);
  std::printf("%.9g FFMA in a launch\n", times / launches * static_cast<double>(arrays.count));
  return 0;
}

}  // namespace profiled
