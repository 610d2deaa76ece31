// SPDX-License-Identifier: Apache-2.0
//
// Known DRAM traffic: 1 GiB read, 1 GiB written, 1 GiB copied; every byte is touched once, 16 per access,
// whole lines at a time.
#include "core/counters/counters.h"
#include "kernels/ceilings/dram.cuh"
#include "kernels/cuda_check.h"
#include "kernels/known_work.h"

namespace rooflinectl::kernels::dram_bytes {

namespace {

constexpr std::uint64_t kAccesses = kKnownBytes / sizeof(uint4);
constexpr int kPerThread = 4;
constexpr int kBlock = 256;
constexpr auto kGrid = static_cast<unsigned>(kAccesses / (kBlock * kPerThread));

__global__ void known_dram_read(const uint4* d_source, unsigned* d_target) {
  unsigned seen = 0;
  dram::for_each_tile<kPerThread>(kAccesses, [&](std::uint64_t first) {
#pragma unroll
    for (int k = 0; k < kPerThread; ++k) {
      const uint4 value = d_source[first + k * blockDim.x];
      seen |= value.x | value.y | value.z | value.w;
    }
  });
  if (seen != 0) *d_target = seen;  // the source holds zeros, which the compiler cannot know
}

__global__ void known_dram_write(uint4* d_target) {
  dram::for_each_tile<kPerThread>(kAccesses, [&](std::uint64_t first) {
#pragma unroll
    for (int k = 0; k < kPerThread; ++k) d_target[first + k * blockDim.x] = make_uint4(1, 2, 3, 4);
  });
}

__global__ void known_dram_copy(const uint4* d_source, uint4* d_target) {
  dram::for_each_tile<kPerThread>(kAccesses, [&](std::uint64_t first) {
#pragma unroll
    for (int k = 0; k < kPerThread; ++k) d_target[first + k * blockDim.x] = d_source[first + k * blockDim.x];
  });
}

constexpr double kByteTolerance = 0.02;

KnownCount read_bytes(std::string_view quantity) {
  return {.quantity = quantity,
          .unit = ComparedUnit::bytes,
          .expected = kKnownBytes,
          .tolerance = kByteTolerance};
}

/// Of `bytes`, as many as L2 holds may still be in dirty lines when the launch ends.
KnownCount written_bytes(std::string_view quantity, double bytes, const KnownWorkSite& site) {
  return {.quantity = quantity,
          .unit = ComparedUnit::bytes,
          .expected = bytes,
          .tolerance = kByteTolerance * bytes + static_cast<double>(site.l2_bytes),
          .is_relative = false,
          .note = "2 % and one L2, which may be dirty when the launch ends"};
}

const KnownWorkRegistration registration({
    {.id = "dram_read",
     .is_cold = true,
     .counts = [](const KnownWorkSite&) -> std::vector<KnownCount> {
       return {read_bytes(counter::kDramReadBytes), read_bytes(counter::kL2Bytes),
               read_bytes(counter::kL1Bytes)};
     },
     .launch =
         [](const KnownWorkSite& site, cudaStream_t stream) {
           known_dram_read<<<kGrid, kBlock, 0, stream>>>(static_cast<const uint4*>(site.d_source),
                                                         static_cast<unsigned*>(site.d_target));
           check_launch("known_dram_read");
         }},
    {.id = "dram_write",
     .is_cold = true,
     .counts = [](const KnownWorkSite& site) -> std::vector<KnownCount> {
       return {written_bytes(counter::kDramWriteBytes, kKnownBytes, site)};
     },
     .launch =
         [](const KnownWorkSite& site, cudaStream_t stream) {
           known_dram_write<<<kGrid, kBlock, 0, stream>>>(static_cast<uint4*>(site.d_target));
           check_launch("known_dram_write");
         }},
    {.id = "dram_copy",
     .is_cold = true,
     .counts = [](const KnownWorkSite& site) -> std::vector<KnownCount> {
       return {written_bytes("dram_bytes", 2.0 * kKnownBytes, site)};
     },
     .launch =
         [](const KnownWorkSite& site, cudaStream_t stream) {
           known_dram_copy<<<kGrid, kBlock, 0, stream>>>(static_cast<const uint4*>(site.d_source),
                                                         static_cast<uint4*>(site.d_target));
           check_launch("known_dram_copy");
         }},
});

}  // namespace

}  // namespace rooflinectl::kernels::dram_bytes
