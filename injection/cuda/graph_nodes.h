// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rooflinectl::injection {

/// Nothing if the driver does not tell them.
std::optional<std::vector<CUgraphNode>> nodes_of(CUgraph graph);

/// The kernel's, as long as its module is loaded; `?` if it is unknown.
const char* kernel_symbol(const CUDA_KERNEL_NODE_PARAMS& kernel);

/// What tells a graph from others: the kernels that it launches and what else it does.
struct GraphIdentity {
  std::string name;
  std::uint64_t nodes = 0;
};
std::optional<GraphIdentity> identity_of(CUgraph graph);

}  // namespace rooflinectl::injection
