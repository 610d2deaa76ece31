// SPDX-License-Identifier: Apache-2.0
//
// Known operations: additions, multiplications and multiply-adds of each type, one per thread instruction,
// and conversions from f16 to f32, which the hardware executes, and counts, as f16 additions (HADD2.F32).
// Written in PTX with explicit rounding, which the compiler neither fuses nor reorders.
//
// A kernel is straight-line code with `kInstructions` times the same instruction, which a launch executes or
// skips. The difference between the two is that instruction and nothing else: no address, no loop, no
// constant that the compiler happens to load with an instruction of the same kind.
#include <cuda_runtime.h>

#include <string>
#include <string_view>

#include "core/counters/counters.h"
#include "kernels/cuda_check.h"
#include "kernels/known_work.h"

namespace rooflinectl::kernels::operations {

namespace {

constexpr int kChains = 4;
constexpr int kSteps = 64;
constexpr int kInstructions = kChains * kSteps;  // per thread
constexpr int kBlock = 256;

/// Executes `step` kInstructions times if `executes`, and writes a word that depends on all of them.
template <typename Word, typename Step>
__device__ void execute_if(bool executes, void* d_sink, const Step& step) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const Word operand = thread;
  Word chains[kChains];
#pragma unroll
  for (int c = 0; c < kChains; ++c) chains[c] = thread + c;
  if (executes) {
#pragma unroll
    for (int k = 0; k < kSteps; ++k) {
#pragma unroll
      for (int c = 0; c < kChains; ++c) step(chains[c], operand);
    }
  }
  Word all = 0;
#pragma unroll
  for (int c = 0; c < kChains; ++c) all ^= chains[c];
  static_cast<Word*>(d_sink)[thread] = all;
}

/// Defines the kernel `known_<id>` of an instruction whose words, %0 and the operand %1, are in registers of
/// the kind `constraint`.
#define ROOFLINECTL_KNOWN(id, Word, constraint, instruction)                   \
  __global__ void known_##id(void* d_sink, bool executes) {                    \
    execute_if<Word>(executes, d_sink, [](Word& value, Word operand) {         \
      asm volatile(instruction : "+" constraint(value) : constraint(operand)); \
    });                                                                        \
  }

// For chips that lack the instruction, the kernel is compiled without it, and not launched.
#if __CUDA_ARCH__ >= 800
#define ROOFLINECTL_SM80(instruction) instruction
#else
#define ROOFLINECTL_SM80(instruction) ""
#endif
#if __CUDA_ARCH__ >= 900
#define ROOFLINECTL_SM90(instruction) instruction
#else
#define ROOFLINECTL_SM90(instruction) ""
#endif

// clang-format off
#define ROOFLINECTL_F32(operation) \
  "{ .reg .f32 a, b; mov.b32 a, %0; mov.b32 b, %1; " operation " mov.b32 %0, a; }"
#define ROOFLINECTL_F64(operation) \
  "{ .reg .f64 a, b; mov.b64 a, %0; mov.b64 b, %1; " operation " mov.b64 %0, a; }"
// Two values in a register. Both halves of the operand are the same: otherwise the compiler for sm_80 and
// sm_90 would turn every other one into a multiply-add (HFMA2.MMA), to keep both pipes busy.
#define ROOFLINECTL_HALVES(operation) \
  "{ .reg .b16 low, high; .reg .b32 both; mov.b32 {low, high}, %1; mov.b32 both, {low, low}; " operation " }"

using Word64 = unsigned long long;
ROOFLINECTL_KNOWN(f64_add, Word64, "l", ROOFLINECTL_F64("add.rn.f64 a, a, b;"))
ROOFLINECTL_KNOWN(f64_mul, Word64, "l", ROOFLINECTL_F64("mul.rn.f64 a, a, b;"))
ROOFLINECTL_KNOWN(f64_fma, Word64, "l", ROOFLINECTL_F64("fma.rn.f64 a, a, b, b;"))
ROOFLINECTL_KNOWN(f32_add, unsigned, "r", ROOFLINECTL_F32("add.rn.f32 a, a, b;"))
ROOFLINECTL_KNOWN(f32_mul, unsigned, "r", ROOFLINECTL_F32("mul.rn.f32 a, a, b;"))
ROOFLINECTL_KNOWN(f32_fma, unsigned, "r", ROOFLINECTL_F32("fma.rn.f32 a, a, b, b;"))
ROOFLINECTL_KNOWN(f16_add, unsigned, "r", ROOFLINECTL_HALVES("add.rn.f16x2 %0, %0, both;"))
ROOFLINECTL_KNOWN(f16_mul, unsigned, "r", ROOFLINECTL_HALVES("mul.rn.f16x2 %0, %0, both;"))
ROOFLINECTL_KNOWN(f16_fma, unsigned, "r", "fma.rn.f16x2 %0, %0, %1, %1;")
// The low half of the bits of one result is what the next step converts.
ROOFLINECTL_KNOWN(f16_to_f32, unsigned, "r",
                  "{ .reg .b16 low, high; .reg .f32 wide; mov.b32 {low, high}, %0; cvt.f32.f16 wide, low;"
                  "  mov.b32 %0, wide; }")
ROOFLINECTL_KNOWN(bf16_add, unsigned, "r", ROOFLINECTL_SM90(ROOFLINECTL_HALVES("add.rn.bf16x2 %0, %0, both;")))
ROOFLINECTL_KNOWN(bf16_mul, unsigned, "r", ROOFLINECTL_SM90(ROOFLINECTL_HALVES("mul.rn.bf16x2 %0, %0, both;")))
ROOFLINECTL_KNOWN(bf16_fma, unsigned, "r", ROOFLINECTL_SM80("fma.rn.bf16x2 %0, %0, %1, %1;"))
// With two operands, additions would be merged with their neighbours into those of three.
ROOFLINECTL_KNOWN(i32_add, unsigned, "r", "{ .reg .u32 sum; add.u32 sum, %0, %1; add.u32 %0, sum, %0; }")
ROOFLINECTL_KNOWN(i32_fma, unsigned, "r", "mad.lo.u32 %0, %0, %1, %1;")
// clang-format on

using Kernel = void(void* d_sink, bool executes);

template <Kernel& kernel, bool executes>
void launch(const KnownWorkSite& site, cudaStream_t stream) {
  kernel<<<site.sm_count, kBlock, 0, stream>>>(site.d_target, executes);
  check_launch("a kernel of known operations");
}

/// One block per SM of `kernel`, whose instruction the hardware counts under `key`.
template <Kernel& kernel, const std::string_view& key>
KnownWork known_work(std::string id, int minimum_sm = 75) {
  KnownWork work;
  work.id = std::move(id);
  work.minimum_sm = minimum_sm;
  work.counts = [](const KnownWorkSite& site) -> std::vector<KnownCount> {
    return {{.quantity = key,
             .unit = ComparedUnit::instructions,
             .expected = static_cast<double>(site.sm_count) * kBlock * kInstructions}};
  };
  work.launch = launch<kernel, true>;
  work.launch_without = launch<kernel, false>;
  return work;
}

const KnownWorkRegistration registration({
    known_work<known_f64_add, counter::kDadd>("f64_add"),
    known_work<known_f64_mul, counter::kDmul>("f64_mul"),
    known_work<known_f64_fma, counter::kDfma>("f64_fma"),
    known_work<known_f32_add, counter::kFadd>("f32_add"),
    known_work<known_f32_mul, counter::kFmul>("f32_mul"),
    known_work<known_f32_fma, counter::kFfma>("f32_fma"),
    known_work<known_f16_add, counter::kHadd>("f16_add"),
    known_work<known_f16_mul, counter::kHmul>("f16_mul"),
    known_work<known_f16_fma, counter::kHfma>("f16_fma"),
    known_work<known_f16_to_f32, counter::kHadd>("f16_to_f32"),
    known_work<known_bf16_add, counter::kHadd>("bf16_add", 90),
    known_work<known_bf16_mul, counter::kHmul>("bf16_mul", 90),
    known_work<known_bf16_fma, counter::kHfma>("bf16_fma", 80),
    known_work<known_i32_add, counter::kIntegerOps>("i32_add"),
    known_work<known_i32_fma, counter::kIntegerOps>("i32_fma"),
});

}  // namespace

}  // namespace rooflinectl::kernels::operations
