// SPDX-License-Identifier: Apache-2.0
//
// dram_read, dram_write: how fast the SMs can read or write DRAM. dram_copy: do both at once. dram_triad:
// read two streams and write a third, as STREAM's triad does. dram_mix_<percent>: read and write at once if
// that percentage of the bytes is written.
//
// - Launch shape: several tried; see `dram::shapes()`.
// - Amount: the bytes that are read and written.
// - Minimum sm: 7.5.
#include <string>
#include <utility>

#include "core/counters/counters.h"
#include "kernels/ceilings/dram.cuh"
#include "kernels/cuda_check.h"

namespace rooflinectl::kernels::dram {

namespace {

CeilingBenchmark benchmark(const std::string& operation, CeilingCount count,
                           double (*amount)(const CeilingBuffers&, int grid, int block),
                           void (*launch)(const CeilingBuffers&, int grid, int block, cudaStream_t)) {
  return {.id = "dram_" + operation,
          .kind = CeilingKind::bandwidth,
          .subject = "dram",
          .operation = operation,
          .shapes = shapes(),
          .count = std::move(count),
          .amount = amount,
          .launch = launch};
}

/// Independent accesses of a thread that only reads or only writes.
constexpr int kPerThread = 4;

/// Reads all memory of the benchmarks once: enough that neither what L2 keeps from one launch to the next nor
/// the start and the end of a launch, a few microseconds out of milliseconds, make a difference. The values
/// are combined and compared with one that they never take, so the reads cannot be dropped.
__global__ void ceiling_dram_read(const float4* d_source, float* d_target, std::uint64_t accesses) {
  float sum = 0.0F;
  dram::for_each_tile<kPerThread>(accesses, [&](std::uint64_t first) {
    float4 values[kPerThread];
#pragma unroll
    for (int k = 0; k < kPerThread; ++k) values[k] = __ldcs(d_source + first + k * blockDim.x);
#pragma unroll
    for (int k = 0; k < kPerThread; ++k) sum += values[k].x + values[k].y + values[k].z + values[k].w;
  });
  if (sum == -INFINITY) *d_target = sum;
}

const CeilingRegistration dram_read([] {
  CeilingBenchmark result = benchmark(
      "read", {{counter::kDramReadBytes}},
      [](const CeilingBuffers& buffers, int, int) { return static_cast<double>(joined(buffers).bytes); },
      [](const CeilingBuffers& buffers, int grid, int block, cudaStream_t stream) {
        const CeilingBuffers all = joined(buffers);
        ceiling_dram_read<<<blocks(all, grid, block, kPerThread), block, 0, stream>>>(
            static_cast<const float4*>(all.d_source), static_cast<float*>(all.d_target), accesses(all));
        check_launch("ceiling_dram_read");
      });
  result.cache = CacheState::cold;
  return result;
}());

/// Overwrites the target once, in whole lines. What the last launch left in L2 is written back during the
/// next, so launches must follow each other with nothing in between that would empty L2.
__global__ void ceiling_dram_write(float4* d_target, std::uint64_t accesses) {
  const float4 value = make_float4(1.0F, 2.0F, 3.0F, 4.0F);
  dram::for_each_tile<kPerThread>(accesses, [&](std::uint64_t first) {
#pragma unroll
    for (int k = 0; k < kPerThread; ++k) __stcs(d_target + first + k * blockDim.x, value);
  });
}

const CeilingRegistration dram_write(benchmark(
    "write", {{counter::kDramWriteBytes}},
    [](const CeilingBuffers& buffers, int, int) { return static_cast<double>(buffers.bytes); },
    [](const CeilingBuffers& buffers, int grid, int block, cudaStream_t stream) {
      ceiling_dram_write<<<blocks(buffers, grid, block, kPerThread), block, 0, stream>>>(
          static_cast<float4*>(buffers.d_target), accesses(buffers));
      check_launch("ceiling_dram_write");
    }));

/// Independent accesses of a thread that reads and writes. One is enough, and on an H200 better than more:
/// the many resident blocks keep reads in flight.
constexpr int kAtOnce = 1;

__global__ void ceiling_dram_copy(const float4* d_source, float4* d_target, std::uint64_t accesses) {
  dram::for_each_tile<kAtOnce>(accesses, [&](std::uint64_t first) {
    float4 values[kAtOnce];
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) values[k] = __ldcs(d_source + first + k * blockDim.x);
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) __stcs(d_target + first + k * blockDim.x, values[k]);
  });
}

const CeilingRegistration dram_copy(benchmark(
    "copy", {{counter::kDramReadBytes, counter::kDramWriteBytes}},
    [](const CeilingBuffers& buffers, int, int) { return 2 * static_cast<double>(buffers.bytes); },
    [](const CeilingBuffers& buffers, int grid, int block, cudaStream_t stream) {
      ceiling_dram_copy<<<blocks(buffers, grid, block, kAtOnce), block, 0, stream>>>(
          static_cast<const float4*>(buffers.d_source), static_cast<float4*>(buffers.d_target),
          accesses(buffers));
      check_launch("ceiling_dram_copy");
    }));

/// First half of the target = first half of the source + factor × second half.
__global__ void ceiling_dram_triad(const float4* d_source, float4* d_target, float factor,
                                   std::uint64_t accesses) {
  dram::for_each_tile<kAtOnce>(accesses, [&](std::uint64_t i) {
    const float4 a = __ldcs(d_source + i);
    const float4 b = __ldcs(d_source + accesses + i);
    __stcs(d_target + i, make_float4(fmaf(factor, b.x, a.x), fmaf(factor, b.y, a.y), fmaf(factor, b.z, a.z),
                                     fmaf(factor, b.w, a.w)));
  });
}

const CeilingRegistration dram_triad(benchmark(
    "triad", {{counter::kDramReadBytes, counter::kDramWriteBytes}},
    [](const CeilingBuffers& buffers, int, int) { return 1.5 * static_cast<double>(buffers.bytes); },
    [](const CeilingBuffers& buffers, int grid, int block, cudaStream_t stream) {
      CeilingBuffers each = buffers;  // of the three streams: half a multiple of 1 MiB
      each.bytes /= 2;
      ceiling_dram_triad<<<blocks(each, grid, block, kAtOnce), block, 0, stream>>>(
          static_cast<const float4*>(buffers.d_source), static_cast<float4*>(buffers.d_target), 0.5F,
          accesses(each));
      check_launch("ceiling_dram_triad");
    }));

/// Tiles, in each of which a thread reads `kReads` times from one stream and writes `kWrites` times to
/// another. A buffer that is shorter than the other's multiple is used in part.
template <int kReads, int kWrites>
std::uint64_t mix_tiles(const CeilingBuffers& buffers, int block) {
  return accesses(buffers) / (static_cast<std::uint64_t>(block) * std::max(kReads, kWrites));
}

template <int kReads, int kWrites>
__global__ void ceiling_dram_mix(const float4* d_source, float4* d_target, std::uint64_t tiles) {
  for (std::uint64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const float4* const d_read = d_source + tile * blockDim.x * kReads + threadIdx.x;
    float4* const d_written = d_target + tile * blockDim.x * kWrites + threadIdx.x;
    float4 values[kReads];
#pragma unroll
    for (int k = 0; k < kReads; ++k) values[k] = __ldcs(d_read + k * blockDim.x);
    float4 sum = values[0];
#pragma unroll
    for (int k = 1; k < kReads; ++k) {
      sum = make_float4(sum.x + values[k].x, sum.y + values[k].y, sum.z + values[k].z, sum.w + values[k].w);
    }
#pragma unroll
    for (int k = 0; k < kWrites; ++k) __stcs(d_written + k * blockDim.x, sum);
  }
}

/// `percent` of the bytes are written.
template <int kReads, int kWrites>
CeilingBenchmark mix(const std::string& percent) {
  CeilingBenchmark result = benchmark(
      "mix", {{counter::kDramReadBytes, counter::kDramWriteBytes}},
      [](const CeilingBuffers& buffers, int, int block) {
        return static_cast<double>(mix_tiles<kReads, kWrites>(buffers, block)) * block * (kReads + kWrites) *
               sizeof(float4);
      },
      [](const CeilingBuffers& buffers, int grid, int block, cudaStream_t stream) {
        const std::uint64_t tiles = mix_tiles<kReads, kWrites>(buffers, block);
        const std::uint64_t blocks = grid == kOneBlockPerTile ? tiles : std::min<std::uint64_t>(tiles, grid);
        ceiling_dram_mix<kReads, kWrites><<<static_cast<unsigned>(blocks), block, 0, stream>>>(
            static_cast<const float4*>(buffers.d_source), static_cast<float4*>(buffers.d_target), tiles);
        check_launch("ceiling_dram_mix");
      });
  result.id += "_" + percent;
  return result;
}

const CeilingRegistration dram_mix_10(mix<9, 1>("10"));
const CeilingRegistration dram_mix_25(mix<3, 1>("25"));
const CeilingRegistration dram_mix_75(mix<1, 3>("75"));

}  // namespace

}  // namespace rooflinectl::kernels::dram
