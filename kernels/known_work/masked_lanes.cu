// SPDX-License-Identifier: Apache-2.0
//
// Half the lanes of every warp idle, for two different reasons: they are behind a branch, or the instructions
// are predicated off for them. Only the second kind is hidden from `warp_execution_efficiency`.
#include "core/counters/counters.h"
#include "kernels/cuda_check.h"
#include "kernels/known_work.h"

namespace rooflinectl::kernels::masked_lanes {

namespace {

constexpr int kBlock = 256;
/// Times 4096 instructions: compared with these, the ones that all lanes execute amount to about 0.1 %.
constexpr int kTrips = 8;

#define ROOFLINECTL_8_TIMES(text) text text text text text text text text
#define ROOFLINECTL_4096_TIMES(text) \
  ROOFLINECTL_8_TIMES(ROOFLINECTL_8_TIMES(ROOFLINECTL_8_TIMES(ROOFLINECTL_8_TIMES(text))))

__global__ void known_half_masked_branch(unsigned* d_sink) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned value = thread;
  if (threadIdx.x % 32 < 16) {
#pragma unroll 1
    for (int trip = 0; trip < kTrips; ++trip) {
      asm volatile(ROOFLINECTL_4096_TIMES("mad.lo.u32 %0, %0, %1, %1;\n") : "+r"(value) : "r"(thread));
    }
  }
  d_sink[thread] = value;
}

__global__ void known_half_masked_predicate(unsigned* d_sink) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned lane = threadIdx.x % 32;
  unsigned value = thread;
#pragma unroll 1
  for (int trip = 0; trip < kTrips; ++trip) {
    asm volatile("{ .reg .pred active; setp.lt.u32 active, %2, 16;\n" ROOFLINECTL_4096_TIMES(
                     "@active mad.lo.u32 %0, %0, %1, %1;\n") "}"
                 : "+r"(value)
                 : "r"(thread), "r"(lane));
  }
  d_sink[thread] = value;
}

KnownCount efficiency(std::string_view quantity, double expected) {
  return {.quantity = quantity,
          .unit = ComparedUnit::ratio,
          .expected = expected,
          .tolerance = 0.002,
          .is_relative = false,
          .note = "all lanes execute the instructions around those that are masked"};
}

template <void (&kernel)(unsigned*)>
void launch(const KnownWorkSite& site, cudaStream_t stream) {
  kernel<<<site.sm_count, kBlock, 0, stream>>>(static_cast<unsigned*>(site.d_target));
  check_launch("a kernel with masked lanes");
}

const KnownWorkRegistration registration({
    {.id = "half_masked_branch",
     .counts = [](const KnownWorkSite&) -> std::vector<KnownCount> {
       return {efficiency(counter::kWarpExecutionEfficiency, 0.5),
               efficiency(counter::kWarpNonpredExecutionEfficiency, 0.5)};
     },
     .launch = launch<known_half_masked_branch>},
    {.id = "half_masked_predicate",
     .counts = [](const KnownWorkSite&) -> std::vector<KnownCount> {
       return {efficiency(counter::kWarpExecutionEfficiency, 1),
               efficiency(counter::kWarpNonpredExecutionEfficiency, 0.5)};
     },
     .launch = launch<known_half_masked_predicate>},
});

}  // namespace

}  // namespace rooflinectl::kernels::masked_lanes
