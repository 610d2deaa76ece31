// SPDX-License-Identifier: Apache-2.0
// The first program to profile: one kernel, y = a·x + y, launched a hundred times.
//
//   nvcc -O3 -arch=native examples/hello.cu -o hello
//   rooflinectl profile -- ./hello

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

namespace {

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "hello: %s\n", cudaGetErrorString(status));
  std::exit(1);
}

/// Reads 8 bytes, writes 4, and does 2 FLOPs for each element: 1/6 FLOP/byte.
__global__ void saxpy(float a, const float* x, float* y, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) y[i] = a * x[i] + y[i];
}

__global__ void fill(float* values, int count, float value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] = value;
}

}  // namespace

int main() {
  constexpr int kCount = 1 << 26;  // 256 MiB for each array
  constexpr int kBlock = 256;
  constexpr int kBlocks = (kCount + kBlock - 1) / kBlock;
  constexpr int kLaunches = 100;
  float* x = nullptr;
  float* y = nullptr;
  check(cudaMalloc(&x, kCount * sizeof(float)));
  check(cudaMalloc(&y, kCount * sizeof(float)));
  fill<<<kBlocks, kBlock>>>(x, kCount, 1);
  fill<<<kBlocks, kBlock>>>(y, kCount, 0);
  for (int launch = 0; launch < kLaunches; ++launch) saxpy<<<kBlocks, kBlock>>>(0.5F, x, y, kCount);
  check(cudaGetLastError());

  float last = 0;
  check(cudaMemcpy(&last, y + kCount - 1, sizeof last, cudaMemcpyDeviceToHost));
  if (last != 0.5F * kLaunches) {
    std::fprintf(stderr, "hello: the last element is %g instead of %g\n", last, 0.5F * kLaunches);
    return 1;
  }
  std::printf("every element is %g\n", last);
  return 0;
}
