// SPDX-License-Identifier: Apache-2.0
#include "injection/launches/kernels.h"

#include <fmt/format.h>

#include <mutex>
#include <utility>

#include "core/program/application.h"

namespace rooflinectl::injection {

Kernels::Kernels(Sink sink, std::size_t most_kernels) : sink_(std::move(sink)), most_kernels_(most_kernels) {
  left_out_.launches = &left_out_launches_;
  left_out_.is_left_out = true;
}

Kernel* Kernels::find(Handle function) {
  const std::lock_guard lock(mutex_);
  const auto found = of_function_.find(function);
  return found == of_function_.end() ? nullptr : found->second;
}

Kernel& Kernels::add(Handle function, const record::Kernel& kernel) {
  const std::lock_guard lock(mutex_);
  return *of_function_.emplace(function, &known(kernel)).first->second;
}

Kernel& Kernels::in_graph(std::string_view symbol) {
  const std::lock_guard lock(mutex_);
  const auto found = of_symbol_.find(std::string(symbol));
  return found != of_symbol_.end() ? *found->second : known({.symbol = std::string(symbol)});
}

Kernel& Kernels::graph(Handle executable) {
  const std::lock_guard lock(mutex_);
  Kernel*& graph = of_graph_[executable];
  if (graph == nullptr) {
    graph = &known({.symbol = fmt::format("CUDA graph #{}", ++unknown_graphs_), .graph_nodes = 0});
  }
  return *graph;
}

void Kernels::graph_made(Handle executable, const std::string& name, std::uint64_t nodes) {
  const std::lock_guard lock(mutex_);
  of_graph_[executable] = &known({.symbol = name, .graph_nodes = nodes});
}

void Kernels::graph_destroyed(Handle executable) {
  const std::lock_guard lock(mutex_);
  of_graph_.erase(executable);
}

void Kernels::module_unloaded() {
  const std::lock_guard lock(mutex_);
  of_function_.clear();
}

Kernel& Kernels::known(record::Kernel kernel) {
  const Identity identity = {
      kernel.symbol, kernel.registers_per_thread, kernel.static_shared_bytes, kernel.local_bytes_per_thread,
      kernel.code,   kernel.tensor_instructions};
  const auto found = of_identity_.find(identity);
  if (found != of_identity_.end()) return *found->second;
  if (kernels_.size() >= most_kernels_) {
    if (!std::exchange(is_full_, true)) {
      sink_(record::Problem{.group = std::nullopt,
                            .cause = fmt::format("the program has more than {} kernels and graphs: launches "
                                                 "of those that came later are left out",
                                                 most_kernels_),
                            .hint = "select some with --kernel, --nvtx or --capture"});
    }
    return left_out_;
  }
  kernel.kernel = kernels_.size();
  Kernel& added = kernels_.emplace_back();
  added.id = kernel.kernel;
  added.symbol = kernel.symbol;
  added.is_collective = is_collective(kernel.symbol);
  added.is_graph = kernel.graph_nodes.has_value();
  added.is_of_nccl = is_of_nccl(kernel.symbol);
  if (kernel.tensor_instructions) added.tensor = decoded_tensor(*kernel.tensor_instructions);
  of_identity_.emplace(identity, &added);
  const auto [first, is_first] = of_symbol_.emplace(kernel.symbol, &added);
  added.launches = is_first ? &launches_.emplace_back(0) : first->second->launches;
  sink_(kernel);
  return added;
}

}  // namespace rooflinectl::injection
