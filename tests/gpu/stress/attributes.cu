// SPDX-License-Identifier: Apache-2.0
// Launches with attributes: blocks that wait for each other, and kernels that begin before others end.

#include <cooperative_groups.h>

#include "tests/gpu/stress/scenarios.h"

namespace stress {

/// Each block adds 1 and waits for all others, then one adds their number if it sees them all.
__global__ void cooperative_work(unsigned long long* d_sum, unsigned long long* d_arrived) {
  if (threadIdx.x == 0) atomicAdd(d_arrived, 1ULL);
  cooperative_groups::this_grid().sync();
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    if (*d_arrived == gridDim.x) atomicAdd(d_sum, static_cast<unsigned long long>(gridDim.x));
    *d_arrived = 0;
  }
}

/// The blocks of a cluster add up their ranks by shared memory of the first.
__global__ void cluster_work(unsigned long long* d_sum) {
#if __CUDA_ARCH__ >= 900
  __shared__ unsigned ranks;
  const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
  if (threadIdx.x == 0) ranks = 0;
  cluster.sync();
  if (threadIdx.x == 0) atomicAdd(cluster.map_shared_rank(&ranks, 0), cluster.block_rank() + 1);
  cluster.sync();
  if (cluster.block_rank() == 0 && threadIdx.x == 0) atomicAdd(d_sum, static_cast<unsigned long long>(ranks));
#endif
}

/// May begin before the launch before it has ended, but waits for its results.
__global__ void programmatic_work(Data data) {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
  cudaGridDependencySynchronize();
#endif
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < data.count; i += gridDim.x * blockDim.x) {
    data.d_elements[i] = data.d_elements[i] * 5 + 1;
  }
}

namespace {

struct Tallies {
  Tally cooperative{"cooperative_work"};
  Tally cluster{"cluster_work"};
  Tally programmatic{"programmatic_work"};
};

Tallies& tallies() {
  static auto* const all = new Tallies;
  return *all;
}

template <typename... Arguments>
void launch_with(const cudaLaunchAttribute& attribute, unsigned grid, cudaStream_t stream,
                 void (*kernel)(Arguments...), Arguments... arguments) {
  cudaLaunchAttribute attributes[] = {attribute};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(grid);
  config.blockDim = dim3(kBlock);
  config.attrs = attributes;
  config.numAttrs = 1;
  config.stream = stream;
  check(cudaLaunchKernelEx(&config, kernel, arguments...), "cudaLaunchKernelEx");
}

}  // namespace

std::string attributes(Random random, int rounds) {
  Lane lane;
  Stream stream(random);
  unsigned long long* d_arrived = nullptr;
  check(cudaMalloc(&d_arrived, sizeof *d_arrived));
  check(cudaMemsetAsync(d_arrived, 0, sizeof *d_arrived, stream));
  for (int i = 0; i < rounds; ++i) {
    cudaLaunchAttribute attribute{};
    switch (random.below(4)) {
      case 0: {
        const auto grid = static_cast<unsigned>(random.between(2, 16));
        attribute.id = cudaLaunchAttributeCooperative;
        attribute.val.cooperative = 1;
        launch_with(attribute, grid, stream, cooperative_work, lane.data().d_sum, d_arrived);
        tallies().cooperative.add();
        lane.expect({.sum = grid});
        break;
      }
      case 1: {
        const unsigned cluster = 1U << random.below(4);
        const auto clusters = static_cast<unsigned>(random.between(1, 16));
        attribute.id = cudaLaunchAttributeClusterDimension;
        attribute.val.clusterDim.x = cluster;
        attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
        launch_with(attribute, clusters * cluster, stream, cluster_work, lane.data().d_sum);
        tallies().cluster.add();
        lane.expect({.sum = std::uint64_t{clusters} * cluster * (cluster + 1) / 2});
        break;
      }
      case 2:
        attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attribute.val.programmaticStreamSerializationAllowed = 1;
        for (int j = random.between(1, 8); j > 0; --j) {
          launch_with(attribute, 16, stream, programmatic_work, lane.data());
          tallies().programmatic.add();
          lane.expect({.factor = 5, .summand = 1});
        }
        break;
      default:
        lane.launch(random.below(kKernels), 16, stream);
        check(cudaLaunchHostFunc(
                  stream, [](void* count) { static_cast<std::atomic<int>*>(count)->fetch_add(1); },
                  [] {
                    static std::atomic<int> calls = 0;
                    return &calls;
                  }()),
              "cudaLaunchHostFunc");
    }
    if (i % 16 == 15) stream.wait();
  }
  const std::uint64_t checksum = lane.check(stream);
  check(cudaFree(d_arrived));
  return text("%d rounds, checksum %016llx", rounds, static_cast<unsigned long long>(checksum));
}

int attributes_in_threads(const Plan& plan) {
  Random random(plan.seed);
  std::vector<Part> parts;
  for (int i = random.between(1, 4); i > 0; --i) {
    parts.push_back({"attributes", [part = random.split(), rounds = plan.times(6000)] {
                       return attributes(part, rounds);
                     }});
  }
  run_parts(parts);
  return 0;
}

}  // namespace stress
