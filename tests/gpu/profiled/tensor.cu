// SPDX-License-Identifier: Apache-2.0
// Kernels with a known number of products on the Tensor Cores, of warps and of warpgroups. A program of its
// own, as only sm_90a has wgmma.

#include <cstdint>
#include <map>
#include <string>

#include "tests/gpu/profiled/program.cuh"

namespace profiled {

constexpr unsigned kBlocks = 264;
constexpr unsigned kThreads = 128;  // four warps, or a warpgroup
constexpr int kProducts = 512;      // of each warp, or of the warpgroup

// Products of warps. The matrices are zero, which the compiler does not know.

#define ROOFLINECTL_MMA(INSTRUCTION, RESULT)                                                            \
  asm volatile("mma.sync.aligned." INSTRUCTION " {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, {%0,%1,%2,%3};" \
               : RESULT(d[0]), RESULT(d[1]), RESULT(d[2]), RESULT(d[3])                                 \
               : "r"(a))

struct WarpBf16 {
  static __device__ void product(float (&d)[4], std::uint32_t a) {
    ROOFLINECTL_MMA("m16n8k16.row.col.f32.bf16.bf16.f32", "+f");
  }
};

struct WarpF16 {
  static __device__ void product(float (&d)[4], std::uint32_t a) {
    ROOFLINECTL_MMA("m16n8k16.row.col.f32.f16.f16.f32", "+f");
  }
};

struct WarpTf32 {
  static __device__ void product(float (&d)[4], std::uint32_t a) {
    ROOFLINECTL_MMA("m16n8k8.row.col.f32.tf32.tf32.f32", "+f");
  }
};

struct WarpI8 {
  static __device__ void product(int (&d)[4], std::uint32_t a) {
    ROOFLINECTL_MMA("m16n8k32.row.col.s32.s8.s8.s32", "+r");
  }
};

#undef ROOFLINECTL_MMA

struct WarpF64 {
  static __device__ void product(double (&d)[4], std::uint32_t a) {
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%2}, {%0,%1};"
                 : "+d"(d[0]), "+d"(d[1])
                 : "d"(static_cast<double>(a)));
  }
};

/// Two types in one kernel: their operations do not follow from the number of instructions.
struct WarpBf16AndF16 {
  static __device__ void product(float (&d)[4], std::uint32_t a) {
    WarpBf16::product(d, a);
    WarpF16::product(d, a);
  }
};

template <typename Type, typename Sum>
__global__ void of_warps(std::uint32_t zero, Sum* result) {
  Sum d[4] = {};
  for (int i = 0; i < kProducts; ++i) Type::product(d, zero);
  if (d[0] != Sum{}) *result = d[0];
}

// Products of warpgroups. A and B are the same matrix, in shared memory; the result has 64 columns.

#define ROOFLINECTL_WGMMA(INSTRUCTION, NEGATIONS, TYPE)                                                  \
  "{ .reg ." TYPE " d<32>; wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned." INSTRUCTION          \
  " {d0,d1,d2,d3,d4,d5,d6,d7,d8,d9,d10,d11,d12,d13,d14,d15,d16,d17,d18,d19,d20,d21,d22,d23,d24,d25,d26," \
  "d27,d28,d29,d30,d31}, %1, %1, 0" NEGATIONS                                                            \
  "; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; add." TYPE " %0, %0, d0; }"

struct GroupBf16 {
  static __device__ void product(float& sum, std::uint64_t matrix) {
    asm volatile(ROOFLINECTL_WGMMA("m64n64k16.f32.bf16.bf16", ", 1, 1, 0, 0", "f32")
                 : "+f"(sum)
                 : "l"(matrix));
  }
};

struct GroupF8 {
  static __device__ void product(float& sum, std::uint64_t matrix) {
    asm volatile(ROOFLINECTL_WGMMA("m64n64k32.f32.e4m3.e4m3", ", 1, 1", "f32") : "+f"(sum) : "l"(matrix));
  }
};

struct GroupI8 {
  static __device__ void product(int& sum, std::uint64_t matrix) {
    asm volatile(ROOFLINECTL_WGMMA("m64n64k32.s32.s8.s8", "", "s32") : "+r"(sum) : "l"(matrix));
  }
};

#undef ROOFLINECTL_WGMMA

template <typename Type, typename Sum>
__global__ void of_warpgroups(std::uint32_t zero, Sum* result) {
#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
  __shared__ alignas(1024) std::uint32_t matrix[4096];
  for (unsigned i = threadIdx.x; i < 4096; i += blockDim.x) matrix[i] = zero;
  __syncthreads();
  const auto place = static_cast<std::uint64_t>(__cvta_generic_to_shared(matrix));
  Sum sum{};
  for (int i = 0; i < kProducts; ++i) Type::product(sum, (place & 0x3ffffU) >> 4U);
  if (sum != Sum{}) *result = sum;
#endif
}

namespace {

template <typename Sum>
void launch(void (*kernel)(std::uint32_t, Sum*)) {
  static Sum* result = nullptr;
  if (result == nullptr) check(cudaMalloc(&result, sizeof *result));
  kernel<<<kBlocks, kThreads>>>(0, result);
}

/// Of the given kinds, in turn.
int known_products(const Arguments& kinds) {
  const std::map<std::string, void (*)()> known = {
      {"warp-bf16", [] { launch(of_warps<WarpBf16, float>); }},
      {"warp-f16", [] { launch(of_warps<WarpF16, float>); }},
      {"warp-tf32", [] { launch(of_warps<WarpTf32, float>); }},
      {"warp-i8", [] { launch(of_warps<WarpI8, int>); }},
      {"warp-f64", [] { launch(of_warps<WarpF64, double>); }},
      {"warp-bf16-and-f16", [] { launch(of_warps<WarpBf16AndF16, float>); }},
      {"group-bf16", [] { launch(of_warpgroups<GroupBf16, float>); }},
      {"group-f8", [] { launch(of_warpgroups<GroupF8, float>); }},
      {"group-i8", [] { launch(of_warpgroups<GroupI8, int>); }}};
  cudaDeviceProp device{};
  check(cudaGetDeviceProperties(&device, 0));
  if (device.major != 9) skip("Hopper alone has all of these products");
  repeat_for(kAllPassesS + 1, [&] {
    for (const std::string& kind : kinds) known.at(kind)();
  });
  return 0;
}

}  // namespace
}  // namespace profiled

int main(int argc, char** argv) {
  return profiled::run_program({{"products", profiled::known_products}}, argc, argv);
}
