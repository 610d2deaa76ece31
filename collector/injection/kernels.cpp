// SPDX-License-Identifier: Apache-2.0
#include "collector/injection/kernels.h"

#include <fmt/format.h>

#include <vector>

namespace rooflinectl::injection {

namespace {

int attribute(CUfunction function, CUfunction_attribute attribute) {
  int value = 0;
  return cuFuncGetAttribute(&value, attribute, function) == CUDA_SUCCESS ? value : 0;
}

/// FNV-1a, 64 bits.
class Digest {
 public:
  void add(std::string_view text) {
    for (const char character : text) add_byte(static_cast<unsigned char>(character));
    add_byte(0);
  }
  std::uint64_t value() const { return value_; }

 private:
  void add_byte(unsigned char byte) { value_ = (value_ ^ byte) * 0x100000001b3; }

  std::uint64_t value_ = 0xcbf29ce484222325;
};

std::string name_of(const CUDA_KERNEL_NODE_PARAMS& node) {
  const char* name = nullptr;
  const bool is_known = node.func != nullptr ? cuFuncGetName(&name, node.func) == CUDA_SUCCESS
                                             : cuKernelGetName(&name, node.kern) == CUDA_SUCCESS;
  return is_known && name != nullptr ? name : "?";
}

/// What the node does, as far as it tells graphs apart.
std::string text_of(CUgraphNode node) {
  CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
  cuGraphNodeGetType(node, &type);
  CUDA_KERNEL_NODE_PARAMS kernel{};
  if (type != CU_GRAPH_NODE_TYPE_KERNEL || cuGraphKernelNodeGetParams(node, &kernel) != CUDA_SUCCESS) {
    return std::to_string(static_cast<int>(type));
  }
  return fmt::format("{} {} {} {} {} {} {}", name_of(kernel), kernel.gridDimX, kernel.gridDimY,
                     kernel.gridDimZ, kernel.blockDimX, kernel.blockDimY, kernel.blockDimZ);
}

}  // namespace

CUfunction loaded_function(CUfunction function) {
  CUfunction of_kernel = nullptr;
  const bool is_kernel =
      cuKernelGetFunction(&of_kernel, reinterpret_cast<CUkernel>(function)) == CUDA_SUCCESS &&
      of_kernel != nullptr;
  return is_kernel ? of_kernel : function;
}

KernelId Kernels::of(CUfunction function, const char* symbol) {
  {
    const std::lock_guard lock(mutex_);
    const auto known = of_function_.find(function);
    if (known != of_function_.end()) return known->second;
  }
  // Not under the lock: the driver may take a while.
  const CUfunction loaded = loaded_function(function);
  cuFuncLoad(loaded);
  const auto bytes = [&](CUfunction_attribute which) {
    return static_cast<std::uint64_t>(attribute(loaded, which));
  };
  const record::Kernel kernel = {.symbol = symbol == nullptr ? "?" : symbol,
                                 .registers_per_thread = attribute(loaded, CU_FUNC_ATTRIBUTE_NUM_REGS),
                                 .static_shared_bytes = bytes(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES),
                                 .local_bytes_per_thread = bytes(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)};
  const std::lock_guard lock(mutex_);
  const auto same = of_symbol_.find(kernel.symbol);
  const KernelId id = same != of_symbol_.end() ? same->second : add(kernel);
  of_function_.emplace(function, id);
  return id;
}

KernelId Kernels::of(std::string_view symbol) {
  const std::lock_guard lock(mutex_);
  const auto known = of_symbol_.find(std::string(symbol));
  return known != of_symbol_.end() ? known->second : add({.symbol = std::string(symbol)});
}

KernelId Kernels::of(CUgraphExec graph) {
  const std::lock_guard lock(mutex_);
  const auto known = of_graph_.find(graph);
  if (known != of_graph_.end()) return known->second;
  const KernelId id = add({.symbol = fmt::format("CUDA graph #{}", of_graph_.size() + 1), .graph_nodes = 0});
  of_graph_.emplace(graph, id);
  return id;
}

std::string Kernels::symbol(KernelId kernel) const {
  const std::lock_guard lock(mutex_);
  return symbols_.at(kernel);
}

void Kernels::graph_made(CUgraphExec executable, CUgraph graph) {
  std::size_t count = 0;
  if (cuGraphGetNodes(graph, nullptr, &count) != CUDA_SUCCESS) return;
  std::vector<CUgraphNode> nodes(count);
  if (cuGraphGetNodes(graph, nodes.data(), &count) != CUDA_SUCCESS) return;
  Digest digest;
  for (const CUgraphNode node : nodes) digest.add(text_of(node));

  const std::string symbol = fmt::format("CUDA graph {:08x}", static_cast<std::uint32_t>(digest.value()));
  const std::lock_guard lock(mutex_);
  const auto known = of_symbol_.find(symbol);
  of_graph_[executable] =
      known != of_symbol_.end() ? known->second : add({.symbol = symbol, .graph_nodes = count});
}

void Kernels::graph_destroyed(CUgraphExec executable) {
  const std::lock_guard lock(mutex_);
  of_graph_.erase(executable);
}

void Kernels::module_unloaded() {
  const std::lock_guard lock(mutex_);
  of_function_.clear();
}

KernelId Kernels::add(record::Kernel kernel) {
  kernel.kernel = symbols_.size();
  symbols_.push_back(kernel.symbol);
  of_symbol_.emplace(kernel.symbol, kernel.kernel);
  sink_(kernel);
  return kernel.kernel;
}

}  // namespace rooflinectl::injection
