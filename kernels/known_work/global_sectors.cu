// SPDX-License-Identifier: Apache-2.0
//
// Known use of sectors: every lane reads and writes the next word, or every other one, so that half of each
// 32-byte sector is used.
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
