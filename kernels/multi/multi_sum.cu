// SPDX-License-Identifier: Apache-2.0
#include "kernels/multi/multi_sum.h"
#include "kernels/reduction/best.cuh"

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

}  // namespace rooflinectl::kernels
