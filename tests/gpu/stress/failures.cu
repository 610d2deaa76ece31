// SPDX-License-Identifier: Apache-2.0
// Launches that fail: they are no launches, and what was to be measured of them never was.

#include <array>
#include <utility>

#include "tests/gpu/stress/scenarios.h"

namespace stress {

/// Adds to the sum. A kernel for each thread, since the permission for much shared memory is the kernel's.
template <int kThread>
__global__ void with_much_shared(unsigned long long* d_sum) {
  extern __shared__ unsigned values[];
  if (d_sum == nullptr) values[threadIdx.x] = 1;
  if (threadIdx.x == 0) atomicAdd(d_sum, 1ULL);
}

template <int kThread>
__global__ void with_cluster(unsigned long long* d_sum) {
  if (threadIdx.x == 0) atomicAdd(d_sum, 1ULL);
}

namespace {

constexpr int kThreads = 8;
constexpr int kShared = 100 << 10;
using Counts = void (*)(unsigned long long*);

template <int... kNumbers>
std::array<Counts, kThreads> all_with_much_shared(std::integer_sequence<int, kNumbers...>) {
  return {with_much_shared<kNumbers>...};
}

template <int... kNumbers>
std::array<Counts, kThreads> all_with_cluster(std::integer_sequence<int, kNumbers...>) {
  return {with_cluster<kNumbers>...};
}

Tally& tally_of(const char* kernel, int thread) {
  static auto* const all = [] {
    auto* const made = new std::array<std::array<Tally*, kThreads>, 2>;
    for (int i = 0; i < kThreads; ++i) {
      const auto index = static_cast<std::size_t>(i);
      (*made)[0][index] = new Tally(text("with_much_shared<%d>", i));
      (*made)[1][index] = new Tally(text("with_cluster<%d>", i));
    }
    return made;
  }();
  return *(*all)[kernel[5] == 'm' ? 0 : 1][static_cast<std::size_t>(thread)];
}

cudaError_t launch_cluster(Counts kernel, unsigned grid, unsigned cluster, unsigned long long* d_sum,
                           cudaStream_t stream) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = cluster;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(grid);
  config.blockDim = dim3(kBlock);
  config.attrs = &attribute;
  config.numAttrs = 1;
  config.stream = stream;
  return cudaLaunchKernelEx(&config, kernel, d_sum);
}

}  // namespace

std::string failures(Random random, int rounds) {
  static std::atomic<int> next_thread = 0;
  const int thread = next_thread++ % kThreads;
  static const auto shared_kernels = all_with_much_shared(std::make_integer_sequence<int, kThreads>());
  static const auto cluster_kernels = all_with_cluster(std::make_integer_sequence<int, kThreads>());
  Counts const shared_kernel = shared_kernels[static_cast<std::size_t>(thread)];
  Counts const cluster_kernel = cluster_kernels[static_cast<std::size_t>(thread)];

  Lane lane;
  Lane counts;
  Stream stream(random);
  int ran = 0;
  int failed = 0;
  const auto done = [&](cudaError_t status, bool must_run, Tally& tally, unsigned grid) {
    if ((cudaGetLastError() == cudaSuccess) != must_run || (status == cudaSuccess) != must_run) {
      wrong("a launch returned %s", cudaGetErrorName(status));
    }
    ++(must_run ? ran : failed);
    if (!must_run) return;
    tally.add();
    counts.expect({.sum = grid});
  };
  for (int i = 0; i < rounds; ++i) {
    lane.launch(random.below(kKernels), 16, stream);
    ++ran;
    const bool must_run = random.one_in(2);
    unsigned long long* d_sum = counts.data().d_sum;
    switch (random.below(4)) {
      case 0: {  // the same grid, block and shared memory, with or without the permission
        check(cudaFuncSetAttribute(reinterpret_cast<const void*>(shared_kernel),
                                   cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   must_run ? kShared : 48 << 10));
        void* arguments[] = {&d_sum};
        done(cudaLaunchKernel(reinterpret_cast<const void*>(shared_kernel), dim3(32), dim3(kBlock), arguments,
                              kShared, stream),
             must_run, tally_of("with_much_shared", thread), 32);
        break;
      }
      case 1: {  // too large a block
        void* arguments[] = {&d_sum};
        done(cudaLaunchKernel(reinterpret_cast<const void*>(cluster_kernel), dim3(8),
                              dim3(must_run ? 1024 : 2048), arguments, 0, stream),
             must_run, tally_of("with_cluster", thread), 8);
        break;
      }
      case 2:  // no such cluster, or a grid that is not divided by it
        done(launch_cluster(cluster_kernel, must_run ? 16 : 18, must_run || random.one_in(2) ? 4 : 64, d_sum,
                            stream),
             must_run, tally_of("with_cluster", thread), 16);
        break;
      default: {  // a kernel that may never have been launched, with an empty grid
        Data data = lane.data();
        data.count = 0;
        const int number = random.below(kKernels);
        if (must_run) {
          lane.launch_apart(number, 8, stream);
          ++ran;
        } else if (launch(number, 0, data, stream) == cudaSuccess || cudaGetLastError() == cudaSuccess) {
          wrong("an empty grid was launched");
        } else {
          ++failed;
        }
      }
    }
    if (i % 32 == 31) stream.wait();
  }
  return text("%d ran, %d failed, checksums %016llx %016llx", ran, failed,
              static_cast<unsigned long long>(lane.check(stream)),
              static_cast<unsigned long long>(counts.check(stream)));
}

int failures_in_threads(const Plan& plan) {
  Random random(plan.seed);
  std::vector<Part> parts;
  for (int i = random.between(1, 6); i > 0; --i) {
    parts.push_back(
        {"failures", [part = random.split(), rounds = plan.times(8000)] { return failures(part, rounds); }});
  }
  run_parts(parts);
  return 0;
}

}  // namespace stress
