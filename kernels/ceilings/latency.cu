// SPDX-License-Identifier: Apache-2.0
//
// dram_latency, l2_latency, nvlink_latency: how long a load from DRAM, L2 or another GPU's memory takes, when
// nothing else is on its way. launch: the time that a launch takes however little it does.
//
// - Idea: one thread follows a chain of pointers, each of which lies where the one before it points, so that
//   no load can start before the one before it is complete; past L1 (`ld.cg`). For a launch, an empty kernel.
// - Launch shape: one thread; for a launch, one block per SM.
// - Amount: dependent loads; the ceiling is seconds per load. One launch.
// - Minimum sm: 7.5. nvlink_latency: another GPU of the same model, connected by NVLink.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "kernels/ceiling.h"
#include "kernels/cuda_check.h"
#include "kernels/data.h"

namespace rooflinectl::kernels::latency {

namespace {

/// Loads of one launch: enough for launching to be less than a thousandth of the time.
constexpr std::size_t kLoads = 16384;

/// `places` pointers from `d_begin` on, `stride_bytes` apart, in one random cycle.
struct Chain {
  void* d_begin = nullptr;
  std::size_t places = 0;
  std::size_t stride_bytes = 0;
};

/// Writes the chain. The cycle passes through all places: Sattolo's algorithm,
/// with the same random numbers each time. (S. Sattolo, "An algorithm to generate a random cyclic
/// permutation", Information Processing Letters 22, 1986.)
void write(const Chain& chain, cudaStream_t stream) {
  std::vector<std::uint64_t> next(chain.places);
  std::iota(next.begin(), next.end(), 0);
  for (std::size_t last = chain.places - 1; last > 0; --last) std::swap(next[last], next[hash(last) % last]);
  const auto begin = reinterpret_cast<std::uintptr_t>(chain.d_begin);
  for (std::uint64_t& place : next) place = begin + place * chain.stride_bytes;
  check(cudaMemcpy2DAsync(chain.d_begin, chain.stride_bytes, next.data(), sizeof(std::uint64_t),
                          sizeof(std::uint64_t), chain.places, cudaMemcpyHostToDevice, stream),
        "cudaMemcpy2DAsync");
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");  // until then the copy reads `next`
}

/// Loads past L1, which `ld.cg` bypasses. The last pointer is compared with one that does not occur, so that
/// no load can be dropped.
template <std::size_t kLoads>
__global__ void follow(std::uint64_t pointer, std::uint64_t* d_sink) {
  constexpr std::size_t kUnrolled = 32;
  static_assert(kLoads % kUnrolled == 0);
#pragma unroll 1
  for (std::size_t i = 0; i < kLoads / kUnrolled; ++i) {
#pragma unroll
    for (std::size_t k = 0; k < kUnrolled; ++k) {
      asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(pointer));
    }
  }
  if (pointer == 0) *d_sink = pointer;
}

/// The registration of a chase through `kChain`.
template <Chain (*kChain)(const CeilingBuffers&)>
CeilingBenchmark benchmark(std::string subject, CacheState cache) {
  CeilingBenchmark result;
  result.id = subject + "_latency";
  result.kind = CeilingKind::latency;
  result.subject = std::move(subject);
  result.operation = "latency";
  result.cache = cache;
  result.shapes = {{.blocks_per_sm = kOneBlock, .block = 1}};
  result.amount = [](const CeilingBuffers&, int, int) { return static_cast<double>(kLoads); };
  result.prepare = [](const CeilingBuffers& buffers, cudaStream_t stream) { write(kChain(buffers), stream); };
  result.launch = [](const CeilingBuffers& buffers, int grid, int block, cudaStream_t stream) {
    follow<kLoads><<<grid, block, 0, stream>>>(reinterpret_cast<std::uintptr_t>(kChain(buffers).d_begin),
                                               static_cast<std::uint64_t*>(buffers.d_target));
    check_launch("a latency ceiling");
  };
  return result;
}

/// Each pointer in a line of its own, 2 KiB apart, so that no line, sector pair or prefetch of one load
/// serves another, and visited once; caches are cold when a launch begins. Footprint: 32 MiB, which is 16
/// pages of 2 MiB: address translation is warm after the first few loads, as it is for a kernel that streams.
Chain in_dram(const CeilingBuffers& buffers) {
  return {.d_begin = buffers.d_target, .places = kLoads, .stride_bytes = 2048};
}

constexpr std::size_t kLineBytes = 128;

/// A small part of L2, all of which the launch before left there: an eighth, at most 2 MiB, which are one
/// page, spread over all slices, near and far.
Chain in_l2(const CeilingBuffers& buffers) {
  return {.d_begin = buffers.d_target,
          .places = std::clamp<std::size_t>(buffers.l2_bytes / 8 / kLineBytes, 2, kLoads),
          .stride_bytes = kLineBytes};
}

/// In the memory of the other GPU, whose L2 holds all pointers: at most 2 MiB, which are one page.
Chain in_peer(const CeilingBuffers& buffers) {
  return {.d_begin = buffers.d_peer, .places = kLoads, .stride_bytes = kLineBytes};
}

const CeilingRegistration dram_latency(benchmark<in_dram>("dram", CacheState::cold));
const CeilingRegistration l2_latency(benchmark<in_l2>("l2", CacheState::warm));
const CeilingRegistration nvlink_latency(benchmark<in_peer>("nvlink", CacheState::warm));

__global__ void ceiling_launch() {}

const CeilingRegistration launch({.id = std::string(ceiling_id::kLaunch),
                                  .kind = CeilingKind::latency,
                                  .subject = "",
                                  .operation = "launch",
                                  .shapes = {{.blocks_per_sm = 1, .block = 256}},
                                  .amount = [](const CeilingBuffers&, int, int) { return 1.0; },
                                  .launch =
                                      [](const CeilingBuffers&, int grid, int block, cudaStream_t stream) {
                                        ceiling_launch<<<grid, block, 0, stream>>>();
                                        check_launch("ceiling_launch");
                                      }});

}  // namespace

}  // namespace rooflinectl::kernels::latency
