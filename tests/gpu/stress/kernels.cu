// SPDX-License-Identifier: Apache-2.0
// Hundreds of kernels, each of which CUDA loads when it is launched for the first time.

#include <array>
#include <utility>

#include "tests/gpu/stress/lanes.h"

__global__ void ncclDevKernel_Stress() {}

namespace stress {

/// Each has its own code; some use shared memory, some floating-point operations, whose result here is always
/// 0.
template <int kNumber>
__global__ void work(Data data) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < data.count; i += gridDim.x * blockDim.x) {
    unsigned value = data.d_elements[i];
    if constexpr (kNumber % 3 == 1) {
      __shared__ unsigned values[kBlock];
      values[threadIdx.x] = value;
      value = values[threadIdx.x];
    }
    if constexpr (kNumber % 3 == 2) {
      float zero = data.count == 0 ? 1.0F : 0.0F;
      for (int repeat = 0; repeat < kNumber % 8 + 1; ++repeat)
        zero = __fmaf_rn(zero, static_cast<float>(value), zero);
      value += static_cast<unsigned>(zero);
    }
    data.d_elements[i] = value * (2U * kNumber + 3) + kNumber;
  }
  if (threadIdx.x == 0) atomicAdd(data.d_sum, kNumber + 1ULL);
}

__global__ void writes_to_nowhere(unsigned* d_nowhere) {
  *d_nowhere = 1;
}

namespace {

template <int... kNumbers>
constexpr std::array<Kernel, sizeof...(kNumbers)> all_of(std::integer_sequence<int, kNumbers...>) {
  return {work<kNumbers>...};
}

const std::array<Kernel, kKernels> kernels = all_of(std::make_integer_sequence<int, kKernels>());

}  // namespace

Effect effect_of(int number, unsigned grid) {
  const auto value = static_cast<unsigned>(number);
  return {2 * value + 3, value, (value + std::uint64_t{1}) * grid};
}

Kernel kernel(int number) {
  return kernels[static_cast<std::size_t>(number)];
}

void launch_collective() {
  static Tally tally("ncclDevKernel_Stress");
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  ncclDevKernel_Stress<<<1, 1, 0, stream>>>();
  check(cudaGetLastError());
  tally.add();
  check(cudaStreamSynchronize(stream));
  check(cudaStreamDestroy(stream));
}

void launch_to_nowhere() {
  writes_to_nowhere<<<1, 1>>>(reinterpret_cast<unsigned*>(16));
}

cudaError_t launch(int number, unsigned grid, Data data, cudaStream_t stream) {
  void* arguments[] = {&data};
  return cudaLaunchKernel(kernel(number), dim3(grid), dim3(kBlock), arguments, 0, stream);
}

}  // namespace stress
