// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernels/cuda_check.h"
#include "kernels/multi/multi_sum.h"
#include "kernels/reduction/best.cuh"
#include "kernels/reduction/dispatch.h"
#include "kernels/reduction/element.cuh"

namespace rooflinectl::kernels {

namespace {

/// The problem of the GPU with the most elements.
Problem largest_share(Problem problem) {
  problem.n = share_of(problem, 0).n;
  problem.gpus = 1;
  return problem;
}

LaunchShape shape(const Problem& problem) {
  return best::shape(largest_share(problem));
}

IndependentLoads loads(const Problem& problem) {
  return best::loads(largest_share(problem));
}

/// The sums of the GPUs are added up one after the other. The last share may be smaller, and a smaller one
/// may have a longer chain: in one block.
std::uint64_t longest_chain(const Problem& problem) {
  std::uint64_t longest = 0;
  for (int gpu = 0; gpu < problem.gpus; ++gpu) {
    Problem share = problem;
    share.n = share_of(problem, gpu).n;
    share.gpus = 1;
    longest = std::max(longest, best::longest_chain(share));
  }
  return longest + static_cast<std::uint64_t>(problem.gpus);
}

std::size_t share_workspace_bytes(const Problem& problem) {
  return best::workspace_bytes(largest_share(problem));
}

template <typename Value>
struct Values {
  const Value* d_values[kMostGpus];
  int count;
};

/// One after the other, so that the result is the same every time; the loads do not wait for each other.
template <typename Value>
__global__ void add_values(Values<Value> values, Value* d_output) {
  Value loaded[kMostGpus];
#pragma unroll
  for (int i = 0; i < kMostGpus; ++i) {
    if (i < values.count) loaded[i] = *values.d_values[i];
  }
  Value sum = loaded[0];
#pragma unroll
  for (int i = 1; i < kMostGpus; ++i) {
    if (i < values.count) sum += loaded[i];
  }
  *d_output = sum;
}

}  // namespace

Variant multi_sum(std::string id, std::string label, std::string title, const Gathering& gathering) {
  Variant variant = best::variant<Sum>(std::move(id), std::move(label), std::move(title));
  variant.info.several_gpus = true;
  variant.shape = shape;
  variant.loads = loads;
  variant.longest_chain = longest_chain;
  variant.workspace_bytes = share_workspace_bytes;
  variant.gathering = gathering;
  return variant;
}

void wait_for_members(const Team& team) {
  const Member& first = team.members.front();
  for (const Member& member : team.members.subspan(1)) {
    check(cudaSetDevice(member.device), "cudaSetDevice");
    check(cudaEventRecord(member.arrived, member.stream), "cudaEventRecord");
  }
  check(cudaSetDevice(first.device), "cudaSetDevice");
  for (const Member& member : team.members.subspan(1)) {
    check(cudaStreamWaitEvent(first.stream, member.arrived), "cudaStreamWaitEvent");
  }
}

void enqueue_addition(const Team& team, Dtype dtype, std::span<const void* const> d_values) {
  with_element_type(dtype, [&](auto type) {
    using Value = Accumulator<typename decltype(type)::type>;
    Values<Value> values = {};
    values.count = static_cast<int>(d_values.size());
    std::transform(d_values.begin(), d_values.end(), values.d_values,
                   [](const void* d_value) { return static_cast<const Value*>(d_value); });
    add_values<<<1, 1, 0, team.members.front().stream>>>(values, static_cast<Value*>(team.d_output));
  });
  check_launch("add_values");
}

}  // namespace rooflinectl::kernels
