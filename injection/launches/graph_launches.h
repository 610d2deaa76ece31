// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "injection/cuda/activities.h"
#include "injection/launch.h"
#include "injection/launches/launch_groups.h"
#include "injection/lock_order.h"
#include "injection/ranges/nvtx_paths.h"

namespace rooflinectl::injection {

/// The kernels that a CUDA graph launches, in an order in which they may run. Never changed once it is made.
struct GraphNodes {
  std::string name;             ///< of the graph, as a range
  std::vector<Launch> kernels;  ///< without context, stream and correlation

  /// Whether it launches the same.
  bool is_like(const GraphNodes& other) const;
};

/// The groups of a graph's kernels where it is launched. Each kernel of it is in one, as if the program had
/// launched it in a range of the graph's name.
class GraphGroups {
 public:
  struct Member {
    LaunchGroup group;
    std::uint64_t kernels = 0;  ///< that one launch of the graph launches
  };

  /// `symbol`: of the kernel, for as long as this lives.
  void add(std::string_view symbol, const Launch& kernel, const LaunchGroup& group);
  const std::vector<Member>& members() const { return members_; }
  /// A kernel of the graph is in no group, since there are too many.
  void leave_out() { ++left_out_; }
  /// How many of them one launch of the graph launches.
  std::uint64_t left_out() const { return left_out_; }
  /// The group of each kernel, as its session knows it.
  const std::vector<GroupId>& kernels() const { return kernels_; }
  /// The place among them of a kernel that ran in the graph; nothing if the graph has none like it.
  std::optional<std::size_t> find(const activities::Kernel& kernel) const;

 private:
  /// Kernels with one symbol but different code are told apart by their shape, or not at all.
  using Shape = std::tuple<std::string_view, record::Extent, record::Extent, std::uint64_t>;
  struct HashShape {
    std::size_t operator()(const Shape& shape) const {
      return std::hash<std::string_view>()(std::get<0>(shape)) ^ std::get<1>(shape)[0];
    }
  };

  std::unordered_map<Shape, std::size_t, HashShape> of_shape_;  // in `members_`
  std::unordered_map<std::uint64_t, std::size_t> of_record_;    // likewise, by `LaunchGroup::record`
  std::vector<Member> members_;
  std::vector<GroupId> kernels_;
  std::uint64_t left_out_ = 0;
};

/// What is known about the launches of graphs whose kernels are known: the groups of these, and how often
/// the kernels were launched one by one in place of the graph. Member functions may be called from any
/// thread.
class GraphLaunches {
 public:
  /// Of a graph, one launch in `kSpacing` is made kernel by kernel, at most; of the first ones, this many may
  /// be, but only for what a pass would have nothing of: one in each pass that all groups need.
  static constexpr std::uint64_t kAtFirst = 5;
  static constexpr std::uint64_t kSpacing = 50;

  /// The groups of a graph that was launched before under that path, or of one like it; null if none was.
  std::shared_ptr<const GraphGroups> find(const std::shared_ptr<const GraphNodes>& nodes, Handle context,
                                          PathId path);
  void add(const std::shared_ptr<const GraphNodes>& nodes, Handle context, PathId path,
           std::shared_ptr<const GraphGroups> groups);

  /// A graph of that name is about to be launched under that path. Returns what its kernels may be launched
  /// one by one for.
  ByNodes may_run_by_nodes(const std::string& name, PathId path);
  /// They are.
  void runs_by_nodes(const std::string& name, PathId path);
  /// The context was destroyed.
  void forget(Handle context);

 private:
  static constexpr std::size_t kMostKnown = 4096;
  static constexpr std::size_t kMostPaths = 16;

  struct Known {
    std::shared_ptr<const GraphNodes> nodes;
    std::shared_ptr<const GraphGroups> groups;
  };
  struct Count {
    std::uint64_t launches = 0;
    std::uint64_t by_nodes = 0;
  };

  Count& count_of(const std::string& name, PathId path);

  OrderedMutex<LockOrder::graphs> mutex_;  // guards what follows
  std::map<std::tuple<std::string, Handle, PathId>, Known> known_;
  std::unordered_map<std::string, std::map<PathId, Count>> counts_;
};

}  // namespace rooflinectl::injection
