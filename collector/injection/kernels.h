// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/model/profile_record.h"

namespace rooflinectl::injection {

/// A kernel or graph of the process: its place in order of appearance.
using KernelId = std::uint64_t;

/// The kernels that a process launches, by their symbols, and its graphs, by what is in them. Each is written
/// down when it is first seen. Member functions may be called from any thread.
class Kernels {
 public:
  using Sink = std::function<void(const ProfileRecord&)>;

  explicit Kernels(Sink sink) : sink_(std::move(sink)) {}

  /// The kernel behind a handle of the driver, whose code is loaded now rather than in its first launch.
  KernelId of(CUfunction function, const char* symbol);
  /// A kernel of which only the symbol is known.
  KernelId of(std::string_view symbol);
  KernelId of(CUgraphExec graph);

  std::string symbol(KernelId kernel) const;

  /// An executable graph was made of `graph`.
  void graph_made(CUgraphExec executable, CUgraph graph);
  void graph_destroyed(CUgraphExec executable);
  /// Handles may mean other kernels from now on.
  void module_unloaded();

 private:
  KernelId add(record::Kernel kernel);

  const Sink sink_;
  mutable std::mutex mutex_;
  std::unordered_map<CUfunction, KernelId> of_function_;
  std::unordered_map<CUgraphExec, KernelId> of_graph_;
  std::unordered_map<std::string, KernelId> of_symbol_;
  std::vector<std::string> symbols_;
};

/// The function behind a handle that a launch was given, which may also be that of a context-independent
/// kernel.
CUfunction loaded_function(CUfunction function);

}  // namespace rooflinectl::injection
