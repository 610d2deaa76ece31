// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "core/program/torch_trace.h"

/// Which operator of PyTorch launched which kernel, as a trace of `torch.profiler` has it.
namespace rooflinectl {

/// Where in a program something was launched.
struct TorchScope {
  /// From the outermost on: the modules that were being called (for a backward operator, those of its forward
  /// operator) or, outside of all modules, annotations; then the operators.
  std::vector<std::string> path;
  std::size_t modules = 0;  ///< how many names of the path, from the first on, are modules
  std::string op;           ///< the innermost operator; empty where none launched it

  bool operator==(const TorchScope&) const = default;
  bool operator<(const TorchScope& other) const {
    return std::tie(path, modules, op) < std::tie(other.path, other.modules, other.op);
  }
};

/// A launch of a kernel, or of a CUDA graph with its kernels.
struct TorchLaunch {
  std::vector<const TorchKernel*> kernels;  ///< one, or those of the graph
  bool is_graph = false;
  double start_us = 0;     ///< of the call; of the kernel where the trace lacks the call
  double duration_us = 0;  ///< of all kernels
  std::size_t scope = 0;   ///< its place in `TorchLaunches::scopes`
};

struct TorchLaunches {
  std::vector<TorchLaunch> launches;  ///< in the order of their calls
  std::vector<TorchScope> scopes;     ///< each once
  bool has_modules = false;           ///< whether any launch is within a module
};

/// The launches of a trace, which must outlive them. A kernel belongs to the call with its correlation, and
/// that to the operators and modules that were open on its thread; without a call, to the operator with its
/// `External id`.
TorchLaunches torch_launches(const TorchTrace& trace);

}  // namespace rooflinectl
