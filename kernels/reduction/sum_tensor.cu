// SPDX-License-Identifier: Apache-2.0
//
// sum_tensor: Tensor Cores add up.
//
// - Idea: a warp's packs of 8 elements form, as they come, a 16 x 16 matrix; multiplied by a matrix of ones,
//   and added to what is there, it gives the sums of its rows, in float. One instruction does 256 additions.
// - Changes from `sum_mailbox`: no conversion to float and no addition in the threads' own units until the
//   end.
// - Launch shape: min(tiles of 4 packs per thread, 4 blocks per multiprocessor) blocks; one scalar.
// - Per element: 2 bytes read; 16 tensor operations, 15 of them for unneeded results.
// - Error: Tensor Cores add 17 values at once, cut off below the last place of the largest: up to 18 errors
//   of 2^-23 each, 36 times that of one addition. The bound follows from this.
// - Minimum sm: 8.0.
#include "kernels/cuda_check.h"
#include "kernels/reduction/complete.cuh"
#include "kernels/reduction/dispatch.h"
#include "kernels/reduction/persistent.h"

namespace rooflinectl::kernels::sum_tensor {

namespace {

constexpr int kBlock = 256;
constexpr int kLoads = 4;

constexpr persistent::Shape shape_of(int block) {
  return {.block = block, .unroll = kLoads, .blocks_per_multiprocessor = 4};
}

/// A warp's sums of the rows of all its matrices: lane 4i has row i in 0, row i + 8 in 2; the other places
/// hold the same.
struct RowSums {
  float values[4] = {};
};

#if __CUDA_ARCH__ >= 800
/// Adds the rows of the warp's packs to `sums`; to be called by all lanes.
template <typename T>
__device__ void add_rows(RowSums& sums, const Pack<T>& pack) {
  std::uint32_t words[4];
  memcpy(words, &pack, sizeof(words));
  if constexpr (std::is_same_v<T, __half>) {
    constexpr std::uint32_t kOnes = 0x3C003C00;
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %8}, "
        "{%0, %1, %2, %3};"
        : "+f"(sums.values[0]), "+f"(sums.values[1]), "+f"(sums.values[2]), "+f"(sums.values[3])
        : "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(words[3]), "r"(kOnes));
  } else {
    constexpr std::uint32_t kOnes = 0x3F803F80;
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %8}, "
        "{%0, %1, %2, %3};"
        : "+f"(sums.values[0]), "+f"(sums.values[1]), "+f"(sums.values[2]), "+f"(sums.values[3])
        : "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(words[3]), "r"(kOnes));
  }
}
#endif

template <typename T>
__global__ void __launch_bounds__(kBlock)
    sum_tensor(const T* d_input, float* d_output, std::uint64_t n, MailboxWord* d_mailbox) {
#if __CUDA_ARCH__ >= 800
  constexpr unsigned kTile = kBlock * kLoads;
  const Packs<T> packs(d_input, n);
  RowSums sums;
  for (std::uint64_t tile = std::uint64_t{blockIdx.x} * kTile; tile < packs.count;
       tile += std::uint64_t{gridDim.x} * kTile) {
    Pack<T> loaded[kLoads];
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      const std::uint64_t pack = tile + i * kBlock + threadIdx.x;
      memset(&loaded[i], 0, sizeof(loaded[i]));
      if (pack < packs.count) loaded[i] = load_pack(packs.d_packs + pack);
    }
#pragma unroll
    for (int i = 0; i < kLoads; ++i) add_rows(sums, loaded[i]);
  }
  const float rows = threadIdx.x % 4 == 0 ? sums.values[0] + sums.values[2] : 0.0F;
  collect_totals<Sum, kBlock>(with_ends<Sum>(rows, packs, global_thread()), d_output, d_mailbox);
#endif
}

/// Per pack of the warp with the most packs, 36 times the error of an addition; the rest as elsewhere.
std::uint64_t longest_chain(const Problem& problem) {
  const persistent::Shape shape = shape_of(kBlock);
  const std::uint64_t blocks = persistent::grid(problem, shape);
  const std::uint64_t packs_per_thread = (persistent::tiles(problem, shape) + blocks - 1) / blocks * kLoads;
  return 36 * packs_per_thread + persistent::longest_chain(problem, shape);
}

template <typename T>
void launch(const Problem& problem, const Buffers& buffers, cudaStream_t stream) {
  const auto grid = static_cast<unsigned>(persistent::grid(problem, shape_of(kBlock)));
  sum_tensor<T><<<grid, kBlock, 0, stream>>>(static_cast<const T*>(buffers.d_input),
                                             static_cast<float*>(buffers.d_output), problem.n,
                                             static_cast<MailboxWord*>(buffers.d_workspace));
  check_launch("sum_tensor");
}

void launch_any(const Problem& problem, const Buffers& buffers, cudaStream_t stream) {
  if (problem.dtype == Dtype::f16) return launch<__half>(problem, buffers, stream);
  launch<__nv_bfloat16>(problem, buffers, stream);
}

const Registration registration([] {
  Variant variant = persistent::mailbox_variant<shape_of>(
      "sum_tensor", "tensor", "Tensor Cores multiply by ones", {kBlock}, launch_any);
  variant.info.dtypes = {Dtype::f16, Dtype::bf16};
  variant.info.minimum_sm = 80;
  variant.longest_chain = longest_chain;
  variant.loads =
      pack_loads<2>;  // of the four, the compiler for sm_90 issues two before it waits for the first
  return variant;
}());

}  // namespace

}  // namespace rooflinectl::kernels::sum_tensor
