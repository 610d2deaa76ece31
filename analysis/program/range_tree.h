// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/analysis.h"

/// Time, work and possible savings of a program's kernels, summed by where they were launched.
namespace rooflinectl {

/// What ran inside of an NVTX range or of a module of PyTorch, with those nested in it.
struct RangeUse {
  std::string path;       ///< names from the outermost on, joined by `/`
  std::string name;       ///< the last of them
  std::size_t depth = 0;  ///< 0 for the outermost
  std::uint64_t launches = 0;
  double total_s = 0;     ///< sum of the times of the traced launches
  double in_steps_s = 0;  ///< of `total_s`, what belongs to the program's steps (`LaunchUse::in_steps_s`)
  double share = 0;       ///< of the time of all kernels
  double flops = 0;       ///< executed, by the groups whose operations are known
  double flops_s = 0;     ///< of `total_s`, of these groups
  double dram_bytes = 0;  ///< moved, by the groups for which they were counted
  double dram_s = 0;      ///< of `total_s`, of these groups
  double recoverable_s = 0;
  double roofed_s = 0;   ///< of `total_s`, of the groups with a roof, short ones aside
  double at_roof_s = 0;  ///< of `roofed_s`, what lies below these roofs

  /// The share of the time of its groups with a roof that lies below these roofs. Nothing without such a
  /// group.
  std::optional<double> fraction_of_roofline() const {
    return roofed_s > 0 ? std::optional(at_roof_s / roofed_s) : std::nullopt;
  }
  /// Executed FLOP per second of `total_s`: a lower bound where the operations of some groups are unknown.
  /// Nothing where none are known.
  std::optional<double> flop_per_s() const {
    return has_flops() ? std::optional(flops / total_s) : std::nullopt;
  }
  /// Executed FLOP per DRAM byte, likewise. Nothing where the bytes of some group are not known.
  std::optional<double> ai() const;
  /// Whether the operations are known, except for at most 1 % of the time.
  bool has_all_flops() const { return flops_s >= kAlmostAll * total_s; }

 private:
  static constexpr double kAlmostAll = 0.99;  ///< a share of the time of a range

  bool has_flops() const { return total_s > 0 && (flops > 0 || has_all_flops()); }
};

/// A part of a group's launches: the part of their time, which is also that of its work, and of their number.
struct GroupPart {
  double time = 1;
  double launches = 1;
};

/// Adds the group, or a part of it.
void add_use(RangeUse& range, const RooflinePoint& group, const GroupPart& part = {});

/// Sums over groups by names within names.
class RangeTree {
 public:
  /// Adds to each node from the outermost name to the innermost one. Returns a number by which `places` knows
  /// the innermost one.
  std::size_t add(const std::vector<std::string>& names, const RooflinePoint& group,
                  const GroupPart& part = {});

  /// A node, then those inside of it; siblings with the longest first. `kernel_s` is the time that shares
  /// refer to.
  std::vector<RangeUse> list(double kernel_s) const;
  /// The place in `list` of each number that `add` returned.
  std::vector<std::size_t> places() const;

 private:
  struct Node {
    RangeUse use;
    std::map<std::string, std::size_t> inside;  // places of nodes, by name
  };
  void add_inside(std::size_t node, std::vector<std::size_t>& order) const;
  std::vector<std::size_t> order() const;

  std::vector<Node> nodes_ = std::vector<Node>(1);  // the root first
};

}  // namespace rooflinectl
