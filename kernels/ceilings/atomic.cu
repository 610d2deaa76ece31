// SPDX-License-Identifier: Apache-2.0
//
// atomic_<type>: how long an atomic addition takes when all threads of the device add to one address.
//
// - Idea: every lane adds to the same address, over and over, and asks for nothing back (RED, not ATOM). The
//   memory system executes such additions one after the other.
// - Addend: it differs per lane, and the compiler cannot know that all lanes add to the same address: if it
//   knew, it would add up integers within the warp and leave one atomic per warp. What the hardware makes of
//   the 32 lanes of one RED instruction is part of what is measured.
// - Integers: unsigned, which adds to the same bits as signed; PTX has no signed RED of 64 bits.
// - Launch shape: two blocks of 1024 threads per SM.
// - Amount: additions of lanes; the ceiling is seconds per addition.
// - Minimum sm: 7.5.
#include <cuda_runtime.h>

#include <cstdint>
#include <string>

#include "kernels/ceiling.h"
#include "kernels/cuda_check.h"

namespace rooflinectl::kernels::atomic {

namespace {

/// Additions of each thread.
constexpr int kAdditions = 64;

__device__ void reduce_to(float* d_address, float value) {
  asm volatile("red.relaxed.gpu.global.add.f32 [%0], %1;" ::"l"(d_address), "f"(value) : "memory");
}
__device__ void reduce_to(double* d_address, double value) {
  asm volatile("red.relaxed.gpu.global.add.f64 [%0], %1;" ::"l"(d_address), "d"(value) : "memory");
}
__device__ void reduce_to(std::uint32_t* d_address, std::uint32_t value) {
  asm volatile("red.relaxed.gpu.global.add.u32 [%0], %1;" ::"l"(d_address), "r"(value) : "memory");
}
__device__ void reduce_to(std::uint64_t* d_address, std::uint64_t value) {
  asm volatile("red.relaxed.gpu.global.add.u64 [%0], %1;" ::"l"(d_address), "l"(value) : "memory");
}

/// `spread` is 0: every thread's address is the same, but only the caller knows that.
template <typename Value>
__global__ void add_to_one_address(Value* d_target, unsigned spread) {
  Value* d_address = d_target + (threadIdx.x & spread);
  const auto value = static_cast<Value>(threadIdx.x % 2);
#pragma unroll 8
  for (int i = 0; i < kAdditions; ++i) reduce_to(d_address, value);
}

/// The registration for an accumulator of type `Value`.
template <typename Value>
CeilingBenchmark benchmark(std::string dtype) {
  CeilingBenchmark result;
  result.id = "atomic_" + dtype;
  result.kind = CeilingKind::latency;
  result.subject = std::move(dtype);
  result.operation = "atomic";
  result.shapes = {{.blocks_per_sm = 2, .block = 1024}};
  result.amount = [](const CeilingBuffers&, int grid, int block) {
    return static_cast<double>(grid) * block * kAdditions;
  };
  result.launch = [](const CeilingBuffers& buffers, int grid, int block, cudaStream_t stream) {
    constexpr unsigned kSpread = 0;
    add_to_one_address<<<grid, block, 0, stream>>>(static_cast<Value*>(buffers.d_target), kSpread);
    check_launch("a ceiling of atomic additions");
  };
  return result;
}

const CeilingRegistration atomic_f32(benchmark<float>("f32"));
const CeilingRegistration atomic_f64(benchmark<double>("f64"));
const CeilingRegistration atomic_i32(benchmark<std::uint32_t>("i32"));
const CeilingRegistration atomic_i64(benchmark<std::uint64_t>("i64"));

}  // namespace

}  // namespace rooflinectl::kernels::atomic
