// SPDX-License-Identifier: Apache-2.0
//
// Known use of sectors: every lane reads and writes the next word, or every other one, so that half of each
// 32-byte sector is used.
//
// Known bank conflicts: every lane of a warp writes and reads words of its own, either in 32 different banks,
// or eight lanes to a bank.
#include "core/counters/counters.h"
#include "kernels/cuda_check.h"
#include "kernels/known_work.h"

namespace rooflinectl::kernels::global_sectors {

namespace {

constexpr int kBlock = 256;
constexpr int kBlocksPerSm = 8;

template <int kStride>
__global__ void known_global_stride(const unsigned* d_source, unsigned* d_target) {
  const unsigned word = (blockIdx.x * blockDim.x + threadIdx.x) * kStride;
  d_target[word] = d_source[word];
}

KnownCount efficiency(std::string_view quantity, double expected) {
  return {.quantity = quantity, .unit = ComparedUnit::ratio, .expected = expected};
}

template <int kStride>
std::vector<KnownCount> counts(const KnownWorkSite& /*site*/) {
  return {efficiency(counter::kGlobalLoadSectorEfficiency, 1.0 / kStride),
          efficiency(counter::kGlobalStoreSectorEfficiency, 1.0 / kStride)};
}

template <int kStride>
void launch(const KnownWorkSite& site, cudaStream_t stream) {
  known_global_stride<kStride><<<site.sm_count * kBlocksPerSm, kBlock, 0, stream>>>(
      static_cast<const unsigned*>(site.d_source), static_cast<unsigned*>(site.d_target));
  check_launch("known_global_stride");
}

const KnownWorkRegistration registration({
    {.id = "global_coalesced", .counts = counts<1>, .launch = launch<1>},
    {.id = "global_every_other_word", .counts = counts<2>, .launch = launch<2>},
});

}  // namespace

}  // namespace rooflinectl::kernels::global_sectors

namespace rooflinectl::kernels::bank_conflicts {

namespace {

constexpr int kBlock = 32;  // one warp
constexpr int kWarpsPerSm = 8;
constexpr int kWords = 8;  // that each lane writes and reads

template <int kConflictDegree>
__global__ void known_bank_conflict(unsigned* d_sink) {
  __shared__ volatile unsigned words[kWords * kBlock];
  constexpr int kLaneStride = kConflictDegree;
  constexpr int kWordStride = kConflictDegree == 1 ? kBlock : 1;
  volatile unsigned* const mine = words + threadIdx.x * kLaneStride;
#pragma unroll
  for (int k = 0; k < kWords; ++k) mine[k * kWordStride] = threadIdx.x;
  unsigned sum = 0;
#pragma unroll
  for (int k = 0; k < kWords; ++k) sum += mine[k * kWordStride];
  d_sink[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

template <int kConflictDegree>
std::vector<KnownCount> counts(const KnownWorkSite& site) {
  const double instructions = static_cast<double>(site.sm_count) * kWarpsPerSm * kWords;
  return {{.quantity = counter::kSharedLoadInstructions,
           .unit = ComparedUnit::instructions,
           .expected = instructions},
          {.quantity = counter::kSharedLoadWavefronts,
           .unit = ComparedUnit::wavefronts,
           .expected = instructions * kConflictDegree},
          {.quantity = counter::kSharedStoreWavefronts,
           .unit = ComparedUnit::wavefronts,
           .expected = instructions * kConflictDegree},
          {.quantity = counter::kSharedBytes,
           .unit = ComparedUnit::bytes,
           .expected = 2 * instructions * kBlock * sizeof(unsigned)}};
}

template <int kConflictDegree>
void launch(const KnownWorkSite& site, cudaStream_t stream) {
  known_bank_conflict<kConflictDegree>
      <<<site.sm_count * kWarpsPerSm, kBlock, 0, stream>>>(static_cast<unsigned*>(site.d_target));
  check_launch("known_bank_conflict");
}

const KnownWorkRegistration registration({
    {.id = "shared_no_conflict", .counts = counts<1>, .launch = launch<1>},
    {.id = "shared_8_way_conflict", .counts = counts<8>, .launch = launch<8>},
});

}  // namespace

}  // namespace rooflinectl::kernels::bank_conflicts
