// SPDX-License-Identifier: Apache-2.0
//
// l2_latency: how long a load from L2 takes when nothing else is on its way.
//
// - Idea: one thread follows a random cycle of pointers through a small part of L2, past L1 (`ld.cg`). The
//   launch before left all of it in L2.
// - Stride: a line of 128 bytes. Footprint: an eighth of L2, at most 2 MiB: one page, spread over all slices,
//   near and far.
// - Launch shape: one thread.
// - Amount: dependent loads; the ceiling is seconds per load.
// - Minimum sm: 7.5.
#include <algorithm>

#include "kernels/ceilings/chase.cuh"

namespace rooflinectl::kernels::ceiling_l2_latency {

namespace {

chase::Chain chain(const CeilingBuffers& buffers) {
  constexpr std::size_t kLineBytes = 128;
  return {.d_begin = buffers.d_target,
          .places = std::clamp<std::size_t>(buffers.l2_bytes / 8 / kLineBytes, 2, chase::kLoads),
          .stride_bytes = kLineBytes};
}

const CeilingRegistration registration(chase::benchmark<chain>("l2", CacheState::warm));

}  // namespace

}  // namespace rooflinectl::kernels::ceiling_l2_latency
