// SPDX-License-Identifier: Apache-2.0
// A program to profile: matrix products of cuBLAS in FP32, BF16 and FP64, and sums of arrays, in the NVTX
// ranges `products` and `sums`.
//
//   nvcc -O3 -arch=native -lineinfo examples/matrix_sums.cu -lcublas -o matrix_sums
//   rooflinectl profile --timeline -- ./matrix_sums --steps 2500

#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cub/cub.cuh>
#include <nvtx3/nvtx3.hpp>
#include <vector>

namespace {

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "matrix_sums: %s\n", cudaGetErrorString(status));
  std::exit(1);
}

void check(cublasStatus_t status) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  std::fprintf(stderr, "matrix_sums: %s\n", cublasGetStatusString(status));
  std::exit(1);
}

void check_result(const char* what, double found, double expected, double tolerance) {
  if (std::abs(found - expected) <= tolerance) return;
  std::fprintf(stderr, "matrix_sums: %s gave %g instead of %g\n", what, found, expected);
  std::exit(1);
}

/// What all arrays hold: multiples of 1/8 from -1 to 7/8 without a pattern. They are exact in every type.
__host__ __device__ float element(std::size_t index) {
  unsigned hash = static_cast<unsigned>(index) * 2654435761U;
  hash = (hash ^ (hash >> 15)) * 2246822519U;
  return static_cast<float>((hash >> 20) % 16) / 8.0F - 1.0F;
}

template <typename T>
__global__ void fill(T* values, std::size_t count) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    values[i] = static_cast<T>(element(i));
  }
}

template <typename T>
T* new_array(std::size_t count) {
  T* values = nullptr;
  check(cudaMalloc(&values, count * sizeof(T)));
  fill<<<1024, 256>>>(values, count);
  check(cudaGetLastError());
  return values;
}

constexpr cudaDataType_t type_of(float) {
  return CUDA_R_32F;
}
constexpr cudaDataType_t type_of(double) {
  return CUDA_R_64F;
}
cudaDataType_t type_of(__nv_bfloat16) {
  return CUDA_R_16BF;
}

/// C = A · B of square matrices, sums in FP64 or FP32.
template <typename T, typename Sum>
class Product {
 public:
  explicit Product(int n)
      : n_(n), a_(new_array<T>(elements())), b_(new_array<T>(elements())), c_(new_array<T>(elements())) {}

  void run(cublasHandle_t cublas) const {
    const Sum one = 1;
    const Sum zero = 0;
    const cudaDataType_t type = type_of(T{});
    const cublasComputeType_t sums = sizeof(Sum) == sizeof(double) ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F;
    check(cublasGemmEx(cublas, CUBLAS_OP_N, CUBLAS_OP_N, n_, n_, n_, &one, a_, type, n_, b_, type, n_, &zero,
                       c_, type, n_, sums, CUBLAS_GEMM_DEFAULT));
  }

  /// The first element of the result is the one that the host computes.
  void verify() const {
    T found;
    check(cudaMemcpy(&found, c_, sizeof found, cudaMemcpyDeviceToHost));
    double expected = 0;
    for (int k = 0; k < n_; ++k) {
      expected += static_cast<double>(element(static_cast<std::size_t>(k) * n_)) * element(k);
    }
    check_result("a product", static_cast<double>(static_cast<Sum>(found)), expected,
                 0.01 * std::abs(expected) + 0.01);
  }

 private:
  std::size_t elements() const { return static_cast<std::size_t>(n_) * n_; }

  int n_;
  T* a_;
  T* b_;
  T* c_;
};

constexpr int kBlock = 256;

/// The textbook's first sum: a tree in shared memory, in which ever fewer threads of every warp have work.
__global__ void naive_block_sum(const float* values, std::size_t count, float* sum) {
  __shared__ float partial[kBlock];
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kBlock + threadIdx.x;
  partial[threadIdx.x] = i < count ? values[i] : 0;
  __syncthreads();
  for (unsigned distance = 1; distance < kBlock; distance *= 2) {
    if (threadIdx.x % (2 * distance) == 0) partial[threadIdx.x] += partial[threadIdx.x + distance];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(sum, partial[0]);
}

/// A fast one: each thread adds many vectors of four, and shuffles take the place of most of the tree.
__global__ void vectorised_sum(const float4* values, std::size_t count, float* sum) {
  float mine = 0;
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * kBlock;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * kBlock + threadIdx.x; i < count; i += stride) {
    const float4 four = values[i];
    mine += (four.x + four.y) + (four.z + four.w);
  }
  for (int distance = 16; distance > 0; distance /= 2) mine += __shfl_down_sync(0xffffffffU, mine, distance);
  __shared__ float of_warp[kBlock / 32];
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int warp = 1; warp < kBlock / 32; ++warp) mine += of_warp[warp];
    atomicAdd(sum, mine);
  }
}

/// The sum of one array, by three kernels.
class Sums {
 public:
  explicit Sums(std::size_t count)
      : count_(count), values_(new_array<float>(count)), results_(new_array<float>(3)) {
    check(cub::DeviceReduce::Sum(nullptr, scratch_bytes_, values_, results_, count_));
    check(cudaMalloc(&scratch_, scratch_bytes_));
    int device = 0;
    int multiprocessors = 0;
    check(cudaGetDevice(&device));
    check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    const auto needed = static_cast<unsigned>((count_ / 4 + kBlock - 1) / kBlock);
    blocks_ = std::min(needed, 8U * static_cast<unsigned>(multiprocessors));
  }

  void run() {
    check(cudaMemsetAsync(results_, 0, 3 * sizeof(float)));
    naive_block_sum<<<static_cast<unsigned>((count_ + kBlock - 1) / kBlock), kBlock>>>(values_, count_,
                                                                                       results_);
    vectorised_sum<<<blocks_, kBlock>>>(reinterpret_cast<const float4*>(values_), count_ / 4, results_ + 1);
    check(cudaGetLastError());
    check(cub::DeviceReduce::Sum(scratch_, scratch_bytes_, values_, results_ + 2, count_));
  }

  /// All three are the sum that the host computes.
  void verify() const {
    float found[3];
    check(cudaMemcpy(found, results_, sizeof found, cudaMemcpyDeviceToHost));
    double expected = 0;
    for (std::size_t i = 0; i < count_; ++i) expected += element(i);
    for (const float sum : found)
      check_result("a sum", sum, expected, 1e-3 * std::abs(expected) + 1e-6 * count_);
  }

 private:
  std::size_t count_;  // a multiple of 4
  float* values_;
  float* results_;
  void* scratch_ = nullptr;
  std::size_t scratch_bytes_ = 0;
  unsigned blocks_ = 0;
};

int steps_of(int argc, char** argv) {
  if (argc == 1) return 200;
  const int steps = argc == 3 && std::strcmp(argv[1], "--steps") == 0 ? std::atoi(argv[2]) : 0;
  if (steps > 0) return steps;
  std::fprintf(stderr, "usage: matrix_sums [--steps NUMBER]\n");
  std::exit(2);
}

}  // namespace

int main(int argc, char** argv) {
  const int steps = steps_of(argc, argv);
  check(cudaFree(nullptr));  // creates the context, or reports why there is none
  cublasHandle_t cublas = nullptr;
  check(cublasCreate(&cublas));
  const Product<float, float> f32(2048);
  const Product<__nv_bfloat16, float> bf16(2048);
  const Product<__nv_bfloat16, float> large_bf16(4096);
  const Product<double, double> f64(2048);
  std::vector<Sums> sums;
  for (const int power : {16, 20, 24, 26}) sums.emplace_back(std::size_t{1} << power);
  check(cudaDeviceSynchronize());

  std::vector<double> times_ms;
  for (int step = 0; step < steps; ++step) {
    const auto start = std::chrono::steady_clock::now();
    {
      const nvtx3::scoped_range range("products");
      f32.run(cublas);
      bf16.run(cublas);
      large_bf16.run(cublas);
      f64.run(cublas);
    }
    {
      const nvtx3::scoped_range range("sums");
      for (Sums& sum : sums) sum.run();
    }
    check(cudaDeviceSynchronize());
    times_ms.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }

  f32.verify();
  bf16.verify();
  large_bf16.verify();
  f64.verify();
  for (const Sums& sum : sums) sum.verify();

  const auto last = static_cast<std::ptrdiff_t>((times_ms.size() + 3) / 4);
  std::sort(times_ms.end() - last, times_ms.end());
  std::printf("%d steps, the median of the last %d took %.3f ms per step\n", steps, static_cast<int>(last),
              *(times_ms.end() - (last + 1) / 2));
  return 0;
}
