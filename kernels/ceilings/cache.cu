// SPDX-License-Identifier: Apache-2.0
//
// l1_read, shared_read: how fast each SM can read its L1 or its shared memory. l2_read, l2_write: how fast
// the SMs together can read or write L2.
//
// - Launch shape: several tried; see `shapes()` and `l2_shapes()`.
// - Amount: the bytes that the threads ask for or write; none of those of L2 may come from or go to DRAM. For
//   shared memory, also the 16 that each thread stores once.
// - Minimum sm: 7.5.
#include <cuda_runtime.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "core/counters/counters.h"
#include "kernels/ceiling.h"
#include "kernels/cuda_check.h"

namespace rooflinectl::kernels::cache {

namespace {

/// Adds up what was loaded, so that no load can be dropped.
__device__ float total(const float4& value) {
  return value.x + value.y + value.z + value.w;
}

/// How often each thread goes over its accesses.
constexpr int kRepeats = 512;
/// Independent 16-byte accesses of a thread.
constexpr int kAccesses = 4;

/// The accesses of a thread within the tile of its block, of `blockDim.x` (at least 256) 16-byte elements:
/// they change from one repetition to the next, or else the compiler would load them once. Consecutive
/// threads access consecutive elements.
class TileAccesses {
 public:
  __device__ explicit TileAccesses(std::uint32_t thread) : first_(thread) {}

  __device__ std::uint32_t operator[](int access) const {
    return first_ ^ (static_cast<std::uint32_t>(access) * 64);
  }
  __device__ void next() { first_ ^= 32; }

 private:
  std::uint32_t first_;
};

double bytes_per_launch(int grid, int block) {
  return static_cast<double>(grid) * block * kRepeats * kAccesses * sizeof(float4);
}

/// How often the accesses of all threads fit, side by side, into a third of L2: that much is streamed over
/// and over. A third fits even where L2 keeps lines in two places. No two blocks access the same tile: Hopper
/// would merge what they read at about the same time.
int l2_waves(const CeilingBuffers& buffers, int grid, int block) {
  const std::size_t wave_bytes =
      static_cast<std::size_t>(grid) * static_cast<std::size_t>(block) * kAccesses * sizeof(float4);
  return static_cast<int>(std::max<std::size_t>(1, buffers.l2_bytes / 3 / wave_bytes));
}

/// Calls `access(first)` kRepeats times, each for the next of `waves` tiles of this block: the thread's
/// accesses in it are those at first, first + blockDim.x and so on, kAccesses in all.
template <typename Access>
__device__ void for_each_l2_tile(int waves, const Access& access) {
  const std::uint32_t tile = blockDim.x * kAccesses;
  const std::uint32_t home = blockIdx.x * tile + threadIdx.x;
  int wave = 0;
#pragma unroll 4
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    access(home + static_cast<std::uint32_t>(wave) * gridDim.x * tile);
    wave = wave + 1 == waves ? 0 : wave + 1;
  }
}

/// In theory, L1 and shared memory, which are one memory, deliver as many wavefronts as its data pipe
/// completes.
CeilingPeak wavefront_peak() {
  constexpr double kWavefrontBytes = 128;
  return {.metrics = {"l1tex__data_pipe_lsu_wavefronts.sum.peak_sustained"}, .factor = kWavefrontBytes};
}

std::vector<CeilingShape> shapes() {
  return {{.blocks_per_sm = 1, .block = 1024},
          {.blocks_per_sm = 2, .block = 1024},
          {.blocks_per_sm = 4, .block = 256},
          {.blocks_per_sm = 4, .block = 512}};
}

/// Those for L2: also with many blocks, a few of which are resident at a time. The SMs do not reach L2 at the
/// same rate, since some share their way to it with more others; with as much to do for each, the slowest
/// would decide.
std::vector<CeilingShape> l2_shapes() {
  std::vector<CeilingShape> all = shapes();
  all.push_back({.blocks_per_sm = 32, .block = 512});
  return all;
}

CeilingBenchmark benchmark(const std::string& subject, const std::string& operation,
                           std::optional<CeilingPeak> peak, std::vector<CeilingShape> shapes,
                           std::string_view counter,
                           void (*launch)(const CeilingBuffers&, int grid, int block, cudaStream_t)) {
  return {.id = subject + "_" + operation,
          .kind = CeilingKind::bandwidth,
          .subject = subject,
          .operation = operation,
          .peak = std::move(peak),
          .shapes = std::move(shapes),
          .count = {{counter}},
          .amount = [](const CeilingBuffers&, int grid, int block) { return bytes_per_launch(grid, block); },
          .launch = launch};
}

/// Each block reads a tile of its own over and over; those of one SM, 16 to 32 KiB, fit its L1 together.
__global__ void ceiling_l1_read(const float4* d_source, float* d_target) {
  const float4* const tile = d_source + blockIdx.x * blockDim.x;
  float sum = 0.0F;
  TileAccesses at(threadIdx.x);
#pragma unroll 1
  for (int repeat = 0; repeat < kRepeats; ++repeat, at.next()) {
    float4 values[kAccesses];
#pragma unroll
    for (int k = 0; k < kAccesses; ++k) {
      asm volatile("ld.global.ca.v4.f32 {%0, %1, %2, %3}, [%4];"
                   : "=f"(values[k].x), "=f"(values[k].y), "=f"(values[k].z), "=f"(values[k].w)
                   : "l"(tile + at[k]));
    }
#pragma unroll
    for (int k = 0; k < kAccesses; ++k) sum += total(values[k]);
  }
  if (sum == -INFINITY) *d_target = sum;
}

const CeilingRegistration l1_read(benchmark("l1", "read", wavefront_peak(), shapes(), counter::kL1Bytes,
                                            [](const CeilingBuffers& buffers, int grid, int block,
                                               cudaStream_t stream) {
                                              ceiling_l1_read<<<grid, block, 0, stream>>>(
                                                  static_cast<const float4*>(buffers.d_source),
                                                  static_cast<float*>(buffers.d_target));
                                              check_launch("ceiling_l1_read");
                                            }));

/// Consecutive threads read consecutive 16 bytes over and over, so that no two of the same turn share a bank.
__global__ void ceiling_shared_read(float* d_target) {
  __shared__ float4 tile[1024];
  tile[threadIdx.x] = make_float4(1.0F, 2.0F, 3.0F, 4.0F);
  __syncthreads();
  float sum = 0.0F;
  TileAccesses at(threadIdx.x);
#pragma unroll 1
  for (int repeat = 0; repeat < kRepeats; ++repeat, at.next()) {
    float4 values[kAccesses];
#pragma unroll
    for (int k = 0; k < kAccesses; ++k) {
      const auto from = static_cast<std::uint32_t>(__cvta_generic_to_shared(tile + at[k]));
      asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                   : "=f"(values[k].x), "=f"(values[k].y), "=f"(values[k].z), "=f"(values[k].w)
                   : "r"(from));
    }
#pragma unroll
    for (int k = 0; k < kAccesses; ++k) sum += total(values[k]);
  }
  if (sum == -INFINITY) *d_target = sum;
}

const CeilingRegistration shared_read(
    benchmark("shared", "read", wavefront_peak(), shapes(), counter::kSharedBytes,
              [](const CeilingBuffers& buffers, int grid, int block, cudaStream_t stream) {
                ceiling_shared_read<<<grid, block, 0, stream>>>(static_cast<float*>(buffers.d_target));
                check_launch("ceiling_shared_read");
              }));

/// All SMs stream a third of L2 over and over, past L1.
__global__ void ceiling_l2_read(const float4* d_source, float* d_target, int waves) {
  float sum = 0.0F;
  for_each_l2_tile(waves, [&](std::uint32_t first) {
    float4 values[kAccesses];
#pragma unroll
    for (int k = 0; k < kAccesses; ++k) {
      asm volatile("ld.global.cg.v4.f32 {%0, %1, %2, %3}, [%4];"
                   : "=f"(values[k].x), "=f"(values[k].y), "=f"(values[k].z), "=f"(values[k].w)
                   : "l"(d_source + first + k * blockDim.x));
    }
#pragma unroll
    for (int k = 0; k < kAccesses; ++k) sum += total(values[k]);
  });
  if (sum == -INFINITY) *d_target = sum;
}

constexpr double kSectorBytes = 32;

const CeilingRegistration l2_read(
    benchmark("l2", "read",
              CeilingPeak{{"lts__t_sectors_srcunit_tex.sum.peak_sustained"}, kSectorBytes, ClockDomain::l2},
              l2_shapes(), counter::kL2Bytes,
              [](const CeilingBuffers& buffers, int grid, int block, cudaStream_t stream) {
                ceiling_l2_read<<<grid, block, 0, stream>>>(static_cast<const float4*>(buffers.d_source),
                                                            static_cast<float*>(buffers.d_target),
                                                            l2_waves(buffers, grid, block));
                check_launch("ceiling_l2_read");
              }));

/// 16-byte accesses in the part of L2 that is overwritten: a power of two.
std::uint32_t l2_accesses(const CeilingBuffers& buffers) {
  return static_cast<std::uint32_t>(std::bit_floor(buffers.l2_bytes / 3) / sizeof(float4));
}

/// All SMs overwrite a third of L2 over and over, in whole lines. Each block moves on with every access:
/// writes of one block to the same lines would be merged before they reach L2.
__global__ void ceiling_l2_write(float4* d_target, std::uint32_t accesses) {
  const float4 value = make_float4(1.0F, 2.0F, 3.0F, 4.0F);
  const std::uint32_t tile = blockDim.x * kAccesses;
  std::uint32_t first = blockIdx.x * tile + threadIdx.x;
#pragma unroll 4
  for (int repeat = 0; repeat < kRepeats; ++repeat, first += gridDim.x * tile) {
#pragma unroll
    for (int k = 0; k < kAccesses; ++k) __stcg(d_target + ((first + k * blockDim.x) & (accesses - 1)), value);
  }
}

/// No theoretical peak: CUPTI has the rate of L2 look-ups, and writes reach about half of that.
const CeilingRegistration l2_write(benchmark("l2", "write", {}, l2_shapes(), counter::kL2Bytes,
                                             [](const CeilingBuffers& buffers, int grid, int block,
                                                cudaStream_t stream) {
                                               ceiling_l2_write<<<grid, block, 0, stream>>>(
                                                   static_cast<float4*>(buffers.d_target),
                                                   l2_accesses(buffers));
                                               check_launch("ceiling_l2_write");
                                             }));

}  // namespace

}  // namespace rooflinectl::kernels::cache
