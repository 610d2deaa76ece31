// SPDX-License-Identifier: Apache-2.0
//
// Mistakes that reductions are often published with, each as a kernel, and the proof that verification
// catches it. Where a mistake shows only under some schedules, the kernel makes threads late on purpose: the
// programming model allows them to be at any time.

#include <cuda_fp16.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "kernels/reduction/block_total.cuh"
#include "kernels/reduction/element.cuh"
#include "kernels/reduction/ladder.h"
#include "kernels/reduction/sum.h"
#include "tests/gpu/device.h"

namespace rooflinectl {
namespace {

using kernels::Buffers;
using kernels::DataSet;
using kernels::kWarpSize;
using kernels::Problem;
using kernels::Variant;
using kernels::warp_sum;

constexpr int kBlock = 256;
constexpr std::uint64_t kElementsPerBlock = 32768;

std::uint64_t one_per_thread(const Problem& problem) {
  return static_cast<std::uint64_t>(problem.block_size);
}
std::uint64_t two_per_thread(const Problem& problem) {
  return 2 * static_cast<std::uint64_t>(problem.block_size);
}
std::uint64_t many_per_thread(const Problem&) {
  return kElementsPerBlock;
}

template <kernels::ladder::CountFunction kElementsPerPartial>
Variant partial_sums(decltype(Variant::launch) launch) {
  return kernels::ladder::rung<kElementsPerPartial>("wrong_form", "", "", nullptr, launch);
}

const float* input(const Buffers& buffers) {
  return static_cast<const float*>(buffers.d_input);
}
float* output(const Buffers& buffers) {
  return static_cast<float*>(buffers.d_output);
}

unsigned blocks_for(std::uint64_t n, std::uint64_t elements) {
  return static_cast<unsigned>((n + elements - 1) / elements);
}

/// Holds the calling threads back for a while.
__device__ void be_late() {
  const long long start = clock64();
  while (clock64() - start < 50'000) {
  }
}

class WrongFormTest : public GpuTest {
 protected:
  static Verification verify_form(const Variant& variant, const Problem& problem,
                                  const std::vector<DataSet>& data_sets) {
    constexpr std::size_t kTailElements = 2 * kElementsPerBlock;
    const DeviceBuffer input((problem.n + kTailElements) * size_bytes(problem.dtype));
    const DeviceBuffer output((kernels::output_count(variant, problem) + kTailElements) * sizeof(float));
    return verify(variant, problem, {memory_of(input), memory_of(output), {}}, references(),
                  /*stream=*/nullptr, data_sets);
  }

  /// The data that every point of a run is verified with are enough.
  static void expect_caught(const Variant& variant, const Problem& problem) {
    const Verification verification =
        verify_form(variant, problem, {kUsualDataSets.begin(), kUsualDataSets.end()});
    EXPECT_FALSE(verification.passed) << verification.detail;
  }

  static Problem problem(std::uint64_t n, int block_size = kBlock) {
    return {.dtype = Dtype::f32, .n = n, .block_size = block_size};
  }
};

// The first index forgets the block: every block adds up the same elements.

__global__ void block_index_forgotten(const float* d_input, float* d_output, std::uint64_t n) {
  float sum = 0.0F;
  for (std::uint64_t i = threadIdx.x; i < n; i += kernels::grid_threads()) sum += d_input[i];
  sum = warp_sum(sum);
  if (threadIdx.x % kWarpSize == 0) atomicAdd(d_output, sum);
}

Variant block_index_forgotten_variant() {
  return kernels::sum::variant(
      "wrong_form", "", "", 1, nullptr, [](const Problem& problem) { return problem.n; },
      [](const Problem& problem, const Buffers& buffers, cudaStream_t stream) {
        kernels::check(cudaMemsetAsync(buffers.d_output, 0, sizeof(float), stream), "cudaMemsetAsync");
        block_index_forgotten<<<blocks_for(problem.n, kBlock), kBlock, 0, stream>>>(
            input(buffers), output(buffers), problem.n);
      });
}

TEST_F(WrongFormTest, ForgottenBlockIndexIsCaught) {
  expect_caught(block_index_forgotten_variant(), problem(1 << 20));
}

TEST_F(WrongFormTest, ForgottenBlockIndexIsHiddenByOnes) {
  EXPECT_TRUE(verify_form(block_index_forgotten_variant(), problem(1 << 20), {DataSet::ones}).passed);
}

// The loop runs down to 32, and the last warp adds its upper half once more.

__global__ void last_half_twice(const float* d_input, float* d_output, std::uint64_t n) {
  __shared__ float shared[kBlock];
  const unsigned tid = threadIdx.x;
  const std::uint64_t i = kernels::global_thread();
  shared[tid] = i < n ? d_input[i] : 0.0F;
  __syncthreads();
  for (unsigned stride = kBlock / 2; stride >= 32; stride /= 2) {
    if (tid < stride) shared[tid] += shared[tid + stride];
    __syncthreads();
  }
  if (tid < 32) kernels::warp_sum_in_shared(shared, tid);
  if (tid == 0) d_output[blockIdx.x] = shared[0];
}

TEST_F(WrongFormTest, LastHalfAddedTwiceIsCaught) {
  expect_caught(
      partial_sums<one_per_thread>([](const Problem& problem, const Buffers& buffers, cudaStream_t stream) {
        last_half_twice<<<blocks_for(problem.n, kBlock), kBlock, 0, stream>>>(input(buffers), output(buffers),
                                                                              problem.n);
      }),
      problem(1 << 16));
}

// The number of blocks is rounded down: nobody adds up the tail. And a bound that is always true: the last
// block reads past the end.

__global__ void unbounded(const float* d_input, float* d_output, std::uint64_t /*n*/) {
  __shared__ float shared[kBlock];
  const unsigned tid = threadIdx.x;
  const float* d_segment = d_input + blockIdx.x * kElementsPerBlock;
  shared[tid] = 0.0F;
  for (unsigned i = 0; i < kElementsPerBlock / kBlock; ++i) {
    const unsigned index = tid + i * kBlock;
    if (index < kElementsPerBlock) shared[tid] += d_segment[index];
  }
  __syncthreads();
  for (unsigned stride = kBlock / 2; stride > 32; stride /= 2) {
    if (tid < stride) shared[tid] += shared[tid + stride];
    __syncthreads();
  }
  if (tid < 32) kernels::warp_sum_in_shared(shared, tid);
  if (tid == 0) d_output[blockIdx.x] = shared[0];
}

void launch_too_few_blocks(const Problem& problem, const Buffers& buffers, cudaStream_t stream) {
  unbounded<<<static_cast<unsigned>(problem.n / kElementsPerBlock), kBlock, 0, stream>>>(
      input(buffers), output(buffers), problem.n);
}

TEST_F(WrongFormTest, TailLeftOutIsCaughtByTheMissingResult) {
  expect_caught(partial_sums<many_per_thread>(launch_too_few_blocks), problem(4 * kElementsPerBlock + 3));
}

TEST_F(WrongFormTest, TailLeftOutIsCaughtByTheElementsThatNoResultCovers) {
  Variant variant = partial_sums<many_per_thread>(launch_too_few_blocks);
  variant.shape = [](const Problem& problem) {
    return LaunchShape{.grid = problem.n / kElementsPerBlock, .block = problem.block_size};
  };
  expect_caught(variant, problem(4 * kElementsPerBlock + 3));
}

Variant reads_past_the_end() {
  return partial_sums<many_per_thread>(
      [](const Problem& problem, const Buffers& buffers, cudaStream_t stream) {
        unbounded<<<blocks_for(problem.n, kElementsPerBlock), kBlock, 0, stream>>>(
            input(buffers), output(buffers), problem.n);
      });
}

TEST_F(WrongFormTest, ReadingPastTheEndIsCaught) {
  expect_caught(reads_past_the_end(), problem(4 * kElementsPerBlock - 1));
}

TEST_F(WrongFormTest, ReadingPastTheEndIsHiddenByASizeThatDivides) {
  EXPECT_TRUE(verify_form(reads_past_the_end(), problem(4 * kElementsPerBlock), {DataSet::integers}).passed);
}

// The number of warps is rounded down and all 32 lanes are taken to exist: the last, partial warp is lost.

__device__ float block_sum_of_whole_warps(float value) {
  __shared__ float warp_sums[kWarpSize];
  const unsigned lane = threadIdx.x % kWarpSize;
  const unsigned warp = threadIdx.x / kWarpSize;
  value = warp_sum(value);
  if (lane == 0) warp_sums[warp] = value;
  __syncthreads();
  if (warp == 0) value = warp_sum(lane < blockDim.x / kWarpSize ? warp_sums[lane] : 0.0F);
  return value;
}

__global__ void partial_warp_lost(const float* d_input, float* d_output, std::uint64_t n) {
  const std::uint64_t i = kernels::global_thread();
  const float sum = block_sum_of_whole_warps(i < n ? d_input[i] : 0.0F);
  if (threadIdx.x == 0) d_output[blockIdx.x] = sum;
}

Variant partial_warp_lost_variant() {
  return partial_sums<one_per_thread>(
      [](const Problem& problem, const Buffers& buffers, cudaStream_t stream) {
        const auto block = static_cast<unsigned>(problem.block_size);
        partial_warp_lost<<<blocks_for(problem.n, block), block, 0, stream>>>(input(buffers), output(buffers),
                                                                              problem.n);
      });
}

TEST_F(WrongFormTest, LostPartialWarpIsCaught) {
  expect_caught(partial_warp_lost_variant(), problem(1 << 16, 48));
}

TEST_F(WrongFormTest, LostPartialWarpIsHiddenByABlockOfWholeWarps) {
  EXPECT_TRUE(verify_form(partial_warp_lost_variant(), problem(1 << 16, 64), {DataSet::integers}).passed);
}

// Two block sums in a row share their memory: warps that go ahead overwrite what the first warp has still to
// read.

__device__ float block_sum_without_last_barrier(float value) {
  __shared__ float warp_sums[kBlock / kWarpSize];
  const unsigned lane = threadIdx.x % kWarpSize;
  const unsigned warp = threadIdx.x / kWarpSize;
  value = warp_sum(value);
  if (lane == 0) warp_sums[warp] = value;
  __syncthreads();
  if (warp == 0) {
    be_late();
    value = warp_sum(lane < kBlock / kWarpSize ? warp_sums[lane] : 0.0F);
  }
  return value;
}

template <bool kBarrierBetween>
__global__ void two_block_sums(const float* d_input, float* d_output, std::uint64_t n) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * (2 * kBlock) + threadIdx.x;
  const float first = block_sum_without_last_barrier(i < n ? d_input[i] : 0.0F);
  if (kBarrierBetween) __syncthreads();
  const float second = block_sum_without_last_barrier(i + kBlock < n ? d_input[i + kBlock] : 0.0F);
  if (threadIdx.x == 0) d_output[blockIdx.x] = first + second;
}

template <bool kBarrierBetween>
void launch_two_block_sums(const Problem& problem, const Buffers& buffers, cudaStream_t stream) {
  two_block_sums<kBarrierBetween>
      <<<blocks_for(problem.n, 2 * kBlock), kBlock, 0, stream>>>(input(buffers), output(buffers), problem.n);
}

TEST_F(WrongFormTest, RaceOfTwoBlockSumsIsCaught) {
  expect_caught(partial_sums<two_per_thread>(launch_two_block_sums<false>), problem(1 << 14));
}

TEST_F(WrongFormTest, BarrierBetweenTwoBlockSumsEndsTheRace) {
  const Verification verification = verify_form(partial_sums<two_per_thread>(launch_two_block_sums<true>),
                                                problem(1 << 14), {DataSet::integers});
  EXPECT_TRUE(verification.passed) << verification.detail;
}

// A block sum that is 0 in all threads but one, used by another thread.

__global__ void zero_for_the_others(const float* d_input, float* d_output, std::uint64_t n) {
  const std::uint64_t i = kernels::global_thread();
  const float in_thread_0 = block_sum_of_whole_warps(i < n ? d_input[i] : 0.0F);
  const float sum = threadIdx.x == 0 ? in_thread_0 : 0.0F;
  if (threadIdx.x == blockDim.x - 1) d_output[blockIdx.x] = sum;
}

TEST_F(WrongFormTest, ZeroForTheOtherThreadsIsCaught) {
  expect_caught(
      partial_sums<one_per_thread>([](const Problem& problem, const Buffers& buffers, cudaStream_t stream) {
        zero_for_the_others<<<blocks_for(problem.n, kBlock), kBlock, 0, stream>>>(input(buffers),
                                                                                  output(buffers), problem.n);
      }),
      problem(1 << 16));
}

// The last warp adds up in volatile shared memory and trusts that its lanes run in lockstep. Two copies of
// the function, one for each half of the warp, let one half be late.

template <bool kLate>
__device__ __noinline__ void warp_sum_in_lockstep(volatile float* shared, unsigned lane) {
  if (kLate) be_late();
  shared[lane] = shared[lane] + shared[lane + 32];
  shared[lane] = shared[lane] + shared[lane + 16];
  shared[lane] = shared[lane] + shared[lane + 8];
  shared[lane] = shared[lane] + shared[lane + 4];
  shared[lane] = shared[lane] + shared[lane + 2];
  shared[lane] = shared[lane] + shared[lane + 1];
}

__global__ void no_warp_barrier(const float* d_input, float* d_output, std::uint64_t n) {
  __shared__ float shared[kBlock];
  const unsigned tid = threadIdx.x;
  const std::uint64_t i = kernels::global_thread();
  shared[tid] = i < n ? d_input[i] : 0.0F;
  __syncthreads();
  for (unsigned stride = kBlock / 2; stride > 32; stride /= 2) {
    if (tid < stride) shared[tid] += shared[tid + stride];
    __syncthreads();
  }
  if (tid < 16) {
    warp_sum_in_lockstep<true>(shared, tid);
  } else if (tid < 32) {
    warp_sum_in_lockstep<false>(shared, tid);
  }
  if (tid == 0) d_output[blockIdx.x] = shared[0];
}

TEST_F(WrongFormTest, MissingWarpBarrierIsCaught) {
  expect_caught(
      partial_sums<one_per_thread>([](const Problem& problem, const Buffers& buffers, cudaStream_t stream) {
        no_warp_barrier<<<blocks_for(problem.n, kBlock), kBlock, 0, stream>>>(input(buffers), output(buffers),
                                                                              problem.n);
      }),
      problem(1 << 14));
}

// The first index is computed in 32 bits: it wraps round at 2^32 elements. Half as input keeps the memory
// down.

__global__ void index_in_32_bits(const __half* d_input, float* d_output, std::uint64_t n) {
  const unsigned begin = blockIdx.x * static_cast<unsigned>(kElementsPerBlock);
  float sum = 0.0F;
  for (unsigned i = threadIdx.x; i < kElementsPerBlock; i += kBlock) {
    if (begin + i < n) sum += __half2float(d_input[begin + i]);
  }
  sum = block_sum_of_whole_warps(sum);
  if (threadIdx.x == 0) d_output[blockIdx.x] = sum;
}

Variant index_in_32_bits_variant() {
  return partial_sums<many_per_thread>(
      [](const Problem& problem, const Buffers& buffers, cudaStream_t stream) {
        index_in_32_bits<<<blocks_for(problem.n, kElementsPerBlock), kBlock, 0, stream>>>(
            static_cast<const __half*>(buffers.d_input), output(buffers), problem.n);
      });
}

TEST_F(WrongFormTest, IndexIn32BitsIsCaughtBeyondTwoToThe32Elements) {
  Problem huge = problem((std::uint64_t{1} << 32) + kElementsPerBlock);
  huge.dtype = Dtype::f16;
  if (!fits_in_device_memory((huge.n + 4 * kElementsPerBlock) * size_bytes(huge.dtype))) {
    GTEST_SKIP() << "takes 9 GB of device memory";
  }
  const Verification verification = verify_form(index_in_32_bits_variant(), huge, {DataSet::integers});
  EXPECT_FALSE(verification.passed) << verification.detail;
}

TEST_F(WrongFormTest, IndexIn32BitsIsHiddenBySmallerSizes) {
  Problem small = problem(4 * kElementsPerBlock);
  small.dtype = Dtype::f16;
  EXPECT_TRUE(verify_form(index_in_32_bits_variant(), small, {DataSet::integers}).passed);
}

}  // namespace
}  // namespace rooflinectl
