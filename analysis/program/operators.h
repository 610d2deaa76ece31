// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/program/range_tree.h"
#include "core/program/torch_trace.h"

/// The operators and modules of PyTorch that launched the kernels of a profiled program (docs/profile.md,
/// “Operators and modules of PyTorch”). The trace is of another run of the program: it tells how a group's
/// launches are distributed, not how long each of them took.
namespace rooflinectl {

// Which operator of PyTorch launched which kernel, as a trace of `torch.profiler` has it.

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

/// An operator, with the part of a group's time that its launches take in the trace.
struct OperatorShare {
  std::string name;  ///< empty where no operator launched them
  double share = 0;
};

/// The same for a place in `OperatorUse::tree`.
struct ScopeShare {
  std::size_t scope = 0;
  GroupPart part;
};

/// Who launched a group. Both are empty where the trace has no launch of it.
struct GroupOperators {
  std::vector<OperatorShare> operators;  ///< the one with most time first
  std::vector<ScopeShare> scopes;        ///< the innermost ones; most time first
};

/// Launches of the trace with the same kernel that the run does not have.
struct UnknownKernel {
  std::string name;
  std::uint64_t launches = 0;
  double share = 0;  ///< of the time of all kernels of the trace
};

struct OperatorUse {
  bool has_modules = false;
  std::vector<GroupOperators> groups;  ///< of each point of the experiment, in their order
  /// By module and operator, or by operator, as trees. Numbers are estimates: those of each group,
  /// distributed as its launches are in the trace.
  std::vector<RangeUse> tree;
  std::vector<RangeUse> modules;    ///< by module alone, as a tree
  std::vector<RangeUse> operators;  ///< by the innermost operator, the longest first
  RangeUse outside;                 ///< groups that the trace does not have, or launched by nothing it names
  std::uint64_t launches = 0;       ///< in the trace
  std::uint64_t matched = 0;        ///< those of them that belong to a group
  double matched_trace_share = 0;   ///< of the time of the trace's kernels
  double matched_share = 0;         ///< of the run's GPU time, of the groups that they belong to
  /// The share of the run's GPU time of groups that differ from others only in what the trace does not have,
  /// such as their NVTX path: each of them is given the launches of all.
  double shared_share = 0;
  std::vector<const RooflinePoint*> missing;  ///< groups that the trace does not have, the longest first
  std::vector<UnknownKernel> unknown;         ///< the longest first
};

/// Matches the launches of the trace with the groups of `experiment`, whose kernels took `kernel_s` in all:
/// by the kernel's name, grid, block and shared memory, as far as the trace has them, and its device, if both
/// have several. Where groups differ only in their NVTX path, a launch gets the path of the nearest launches
/// before and after it whose path is known. The result points into `experiment`.
OperatorUse operator_use(const Run& run, const ExperimentAnalysis& experiment, const TorchTrace& trace,
                         const TorchLaunches& launches, double kernel_s);

}  // namespace rooflinectl
