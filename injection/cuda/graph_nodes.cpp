// SPDX-License-Identifier: Apache-2.0
#include "injection/cuda/graph_nodes.h"

#include <fmt/format.h>

#include <cstddef>

#include "injection/launches/loaded_code.h"

namespace rooflinectl::injection {

namespace {

/// What the node does, as far as it tells graphs apart.
std::string text_of(CUgraphNode node) {
  CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
  cuGraphNodeGetType(node, &type);
  CUDA_KERNEL_NODE_PARAMS kernel{};
  if (type != CU_GRAPH_NODE_TYPE_KERNEL || cuGraphKernelNodeGetParams(node, &kernel) != CUDA_SUCCESS) {
    return std::to_string(static_cast<int>(type));
  }
  return fmt::format("{} {} {} {} {} {} {}", kernel_symbol(kernel), kernel.gridDimX, kernel.gridDimY,
                     kernel.gridDimZ, kernel.blockDimX, kernel.blockDimY, kernel.blockDimZ);
}

}  // namespace

std::optional<std::vector<CUgraphNode>> nodes_of(CUgraph graph) {
  std::size_t count = 0;
  if (cuGraphGetNodes(graph, nullptr, &count) != CUDA_SUCCESS) return std::nullopt;
  std::vector<CUgraphNode> nodes(count);
  if (cuGraphGetNodes(graph, nodes.data(), &count) != CUDA_SUCCESS) return std::nullopt;
  return nodes;
}

const char* kernel_symbol(const CUDA_KERNEL_NODE_PARAMS& kernel) {
  const char* name = nullptr;
  const bool is_known = kernel.func != nullptr ? cuFuncGetName(&name, kernel.func) == CUDA_SUCCESS
                                               : cuKernelGetName(&name, kernel.kern) == CUDA_SUCCESS;
  return is_known && name != nullptr ? name : "?";
}

std::optional<GraphIdentity> identity_of(CUgraph graph) {
  const auto nodes = nodes_of(graph);
  if (!nodes) return std::nullopt;
  Digest digest;
  for (CUgraphNode node : *nodes) digest.add(text_of(node));
  return GraphIdentity{.name = fmt::format("CUDA graph {:08x}", static_cast<std::uint32_t>(digest.value())),
                       .nodes = nodes->size()};
}

}  // namespace rooflinectl::injection
