// SPDX-License-Identifier: Apache-2.0
//
// dram_latency: how long a load from DRAM takes when nothing else is on its way.
//
// - Idea: one thread follows a random cycle of pointers, each in a line of its own, and visits each once.
//   Caches are cold when a launch begins.
// - Stride: 2 KiB, so that no line, sector pair or prefetch of one load serves another. Footprint: 32 MiB,
//   which is 16 pages of 2 MiB: address translation is warm after the first few loads, as it is for a kernel
//   that streams.
// - Launch shape: one thread.
// - Amount: dependent loads; the ceiling is seconds per load.
// - Minimum sm: 7.5.
#include "kernels/ceilings/chase.cuh"

namespace rooflinectl::kernels::ceiling_dram_latency {

namespace {

chase::Chain chain(const CeilingBuffers& buffers) {
  return {.d_begin = buffers.d_target, .places = chase::kLoads, .stride_bytes = 2048};
}

const CeilingRegistration registration(chase::benchmark<chain>("dram", CacheState::cold));

}  // namespace

}  // namespace rooflinectl::kernels::ceiling_dram_latency
