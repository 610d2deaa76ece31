// SPDX-License-Identifier: Apache-2.0
//
// nvlink_latency: how long a load from another GPU's memory takes, there and back, when nothing else is on
// its way.
//
// - Idea: one thread follows a random cycle of pointers in the memory of the other GPU, whose L2 holds all of
// them.
// - Stride: a line of 128 bytes. Footprint: at most 2 MiB: one page.
// - Launch shape: one thread.
// - Amount: dependent loads; the ceiling is seconds per load.
// - Minimum sm: 7.5; another GPU of the same model, connected by NVLink.
#include "kernels/ceilings/chase.cuh"

namespace rooflinectl::kernels::ceiling_nvlink_latency {

namespace {

chase::Chain chain(const CeilingBuffers& buffers) {
  constexpr std::size_t kLineBytes = 128;
  return {.d_begin = buffers.d_peer, .places = chase::kLoads, .stride_bytes = kLineBytes};
}

const CeilingRegistration registration(chase::benchmark<chain>("nvlink", CacheState::warm));

}  // namespace

}  // namespace rooflinectl::kernels::ceiling_nvlink_latency
