// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <string>
#include <string_view>

#include "kernels/cuda_check.h"
#include "kernels/known_work.h"

/// What the kernels of known operations share: straight-line code with `kInstructions` times the same
/// instruction, which a launch executes or skips. The difference between the two is that instruction and
/// nothing else: no address, no loop, no constant that the compiler happens to load with an instruction of
/// the same kind.
namespace rooflinectl::kernels::operations {

inline constexpr int kChains = 4;
inline constexpr int kSteps = 64;
inline constexpr int kInstructions = kChains * kSteps;  // per thread
inline constexpr int kBlock = 256;

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

}  // namespace rooflinectl::kernels::operations
