// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

/// Matrix products with `tcgen05.mma`, of compute capability 10.x: one thread of a block of 128 starts
/// products of 128 × 256 × 32 bytes, whose operands stay in shared memory; the sums stay in the SM's tensor
/// memory.
///
/// Compiled, never run: no GPU was there to try it. Sources: PTX ISA 9.0, "TensorCore 5th Generation Family
/// Instructions": instruction descriptors, shared memory descriptors, layouts of scales.
namespace rooflinectl::kernels::tcgen05 {

inline constexpr int kThreads = 128;
inline constexpr int kM = 128;
inline constexpr int kN = 256;
inline constexpr int kRowBytes = 32;  ///< of an operand; of k elements
/// Products that a block starts before it waits for them.
inline constexpr int kProducts = 4096;

/// The kinds of `tcgen05.mma` here.
enum class Kind { f16, f8f6f4, mxf8f6f4, mxf4, mxf4nvf4 };

constexpr bool has_scales(Kind kind) {
  return kind != Kind::f16 && kind != Kind::f8f6f4;
}

/// Elements of A and B that a product multiplies along k.
constexpr int depth(Kind kind) {
  switch (kind) {
    case Kind::f16:
      return 16;
    case Kind::mxf4:
    case Kind::mxf4nvf4:
      return 64;
    default:
      return 32;
  }
}

/// Two per multiply-add.
constexpr double operations(Kind kind) {
  return 2.0 * kM * kN * depth(kind);
}

/// Of operands with k along their rows; `a_and_b`: the code of their type. Sums are FP32.
constexpr std::uint32_t instruction_descriptor(Kind kind, std::uint32_t a_and_b) {
  constexpr std::uint32_t kSumsInF32 = 1U << 4U;
  constexpr std::uint32_t kScalesInUe8m0 = 1U << 23U;
  const std::uint32_t shape = std::uint32_t{kN / 8} << 17U | std::uint32_t{kM / 16} << 24U;
  const std::uint32_t types = a_and_b << 7U | a_and_b << 10U;
  if (!has_scales(kind)) return kSumsInF32 | types | shape;
  return types | shape | (kind == Kind::mxf4nvf4 ? 0 : kScalesInUe8m0);
}

/// The same as a constant, which device code can use.
template <Kind kind, std::uint32_t a_and_b>
inline constexpr std::uint32_t kDescriptor = instruction_descriptor(kind, a_and_b);

#if defined(__CUDA_ARCH_FAMILY_SPECIFIC__) && __CUDA_ARCH__ >= 1000 && __CUDA_ARCH__ < 1100
#define ROOFLINECTL_HAS_TCGEN05 1

/// Of an operand without swizzling, in core matrices of 8 rows × 16 bytes: 128 bytes from one to the next
/// along k, 256 bytes to the next 8 rows.
__device__ inline std::uint64_t shared_descriptor(const void* operand) {
  constexpr std::uint64_t kAlongK = 128 >> 4U;
  constexpr std::uint64_t kAlongRows = 256 >> 4U;
  constexpr std::uint64_t kVersion = 1;
  const auto address = static_cast<std::uint64_t>(__cvta_generic_to_shared(operand));
  return (address >> 4U & 0x3fffU) | kAlongK << 16U | kAlongRows << 32U | kVersion << 46U;
}

// Adds to what is there: the predicate is true.
#define ROOFLINECTL_TCGEN05_MMA(kind, scales)                                          \
  "{\n.reg .pred adds;\nsetp.ne.b32 adds, 1, 0;\ntcgen05.mma.cta_group::1.kind::" kind \
  " [%0], %1, %2, %3" scales ", adds;\n}"

template <Kind kind>
__device__ void start_product(std::uint32_t sums, std::uint64_t a, std::uint64_t b, std::uint32_t descriptor,
                              std::uint32_t scales) {
  if constexpr (kind == Kind::f16) {
    asm volatile(ROOFLINECTL_TCGEN05_MMA("f16", "")::"r"(sums), "l"(a), "l"(b), "r"(descriptor) : "memory");
  } else if constexpr (kind == Kind::f8f6f4) {
    asm volatile(ROOFLINECTL_TCGEN05_MMA("f8f6f4", "")::"r"(sums), "l"(a), "l"(b), "r"(descriptor)
                 : "memory");
  } else if constexpr (kind == Kind::mxf8f6f4) {
    asm volatile(ROOFLINECTL_TCGEN05_MMA("mxf8f6f4.block_scale.block32", ", [%4], [%4]")::"r"(sums), "l"(a),
                 "l"(b), "r"(descriptor), "r"(scales)
                 : "memory");
  } else if constexpr (kind == Kind::mxf4) {
    asm volatile(ROOFLINECTL_TCGEN05_MMA("mxf4.block_scale.block32", ", [%4], [%4]")::"r"(sums), "l"(a),
                 "l"(b), "r"(descriptor), "r"(scales)
                 : "memory");
  } else {
    asm volatile(ROOFLINECTL_TCGEN05_MMA("mxf4nvf4.block_scale.block16", ", [%4], [%4]")::"r"(sums), "l"(a),
                 "l"(b), "r"(descriptor), "r"(scales)
                 : "memory");
  }
}

__device__ inline void wait_for(std::uint32_t barrier) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\n"
      "@!done bra again;\n"
      "}" ::"r"(barrier)
      : "memory");
}

/// `ones`: four bytes of an operand; `scale`: of the scales.
template <Kind kind>
__device__ void run(void* d_sink, std::uint32_t ones, std::uint32_t scale, std::uint32_t descriptor) {
  constexpr std::uint32_t kColumns = 512;  // all of the tensor memory: the sums take 256, scales a few
  __shared__ alignas(128) std::uint32_t a[kM * kRowBytes / 4];
  __shared__ alignas(128) std::uint32_t b[kN * kRowBytes / 4];
  __shared__ alignas(8) std::uint64_t done;
  __shared__ std::uint32_t tensor_memory;
  const auto barrier = static_cast<std::uint32_t>(__cvta_generic_to_shared(&done));
  for (int i = threadIdx.x; i < kM * kRowBytes / 4; i += kThreads) a[i] = ones;
  for (int i = threadIdx.x; i < kN * kRowBytes / 4; i += kThreads) b[i] = ones;
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
  if (threadIdx.x < 32) {
    const auto place = static_cast<std::uint32_t>(__cvta_generic_to_shared(&tensor_memory));
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(place),
                 "r"(kColumns)
                 : "memory");
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  const std::uint32_t sums = tensor_memory;
  // A warp reaches a quarter of the lanes.
  const std::uint32_t own_lanes = sums + (threadIdx.x / 32U << 21U);
  for (std::uint32_t column = 0; column < kColumns; ++column) {
    const std::uint32_t value = column < kN ? 0 : scale;
    asm volatile("tcgen05.st.sync.aligned.32x32b.x1.b32 [%0], {%1};" ::"r"(own_lanes + column), "r"(value)
                 : "memory");
  }
  asm volatile("tcgen05.wait::st.sync.aligned;" ::: "memory");
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
  __syncthreads();
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
  if (threadIdx.x == 0) {
    const std::uint64_t left = shared_descriptor(a);
    const std::uint64_t right = shared_descriptor(b);
#pragma unroll 8
    for (int i = 0; i < kProducts; ++i) start_product<kind>(sums, left, right, descriptor, sums + kN);
    asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(barrier)
                 : "memory");
  }
  wait_for(barrier);
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
  std::uint32_t sum = 0;
  asm volatile("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];" : "=r"(sum) : "r"(own_lanes));
  asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
  if (__uint_as_float(sum) < 0) *static_cast<float*>(d_sink) = __uint_as_float(sum);
  __syncthreads();
  if (threadIdx.x < 32) {
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" ::: "memory");
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(sums), "r"(kColumns)
                 : "memory");
  }
}

#endif

}  // namespace rooflinectl::kernels::tcgen05
