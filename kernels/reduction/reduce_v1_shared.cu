// SPDX-License-Identifier: Apache-2.0
//
// V1: the tree of V0 in shared memory.
//
// - Idea: the block copies its elements to shared memory once and adds them up there.
// - Changes from the previous version: intermediate sums no longer travel to global memory, and the input
//   survives. Lanes still drop out one by one within every warp, and the remainder operation stays.
// - Launch shape: one thread per element, ceil(n / block) blocks; one partial sum per block.
// - Per element: 4 bytes read, 4 / block written; (block - 1) / block additions.
// - Minimum sm: 7.5.
#include "kernels/cuda_check.h"
#include "kernels/reduction/dispatch.h"
#include "kernels/reduction/ladder.h"

namespace rooflinectl::kernels::reduce_v1_shared {

namespace {

template <int kBlock>
__global__ void reduce_v1_shared(const float* d_input, float* d_output, std::uint64_t n) {
  __shared__ float shared[kBlock];
  const unsigned tid = threadIdx.x;
  const std::uint64_t i = std::uint64_t{blockIdx.x} * kBlock + tid;
  shared[tid] = i < n ? d_input[i] : 0.0F;
  __syncthreads();
  for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
    if (tid % (2 * stride) == 0) shared[tid] += shared[tid + stride];
    __syncthreads();
  }
  if (tid == 0) d_output[blockIdx.x] = shared[0];
}

std::uint64_t elements_per_partial(const Problem& problem) {
  return static_cast<std::uint64_t>(problem.block_size);
}

std::uint64_t longest_chain(const Problem& problem) {
  return ladder::tree_depth(problem);
}

void launch(const Problem& problem, const Buffers& buffers, cudaStream_t stream) {
  if (problem.n == 0) return;
  const auto grid = static_cast<unsigned>(ladder::shape<elements_per_partial>(problem).grid);
  with_block_size(problem.block_size, [&](auto block) {
    reduce_v1_shared<block.value><<<grid, block.value, 0, stream>>>(
        static_cast<const float*>(buffers.d_input), static_cast<float*>(buffers.d_output), problem.n);
  });
  check_launch("reduce_v1_shared");
}

const Registration registration(ladder::rung<elements_per_partial>("reduce_v1_shared", "V1",
                                                                   "the tree in shared memory",
                                                                   element_loads<1>, longest_chain, launch));

}  // namespace

}  // namespace rooflinectl::kernels::reduce_v1_shared
