// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rooflinectl::injection {

/// Launches of one kernel of one shape under one NVTX path on one device, by their place in order of
/// appearance.
using GroupId = std::uint32_t;

/// What the counters are set to. The hardware counts one set in one pass, and a change of set takes more
/// than half a second.
enum class Pass {
  memory,      ///< bytes, instructions, occupancy: counters of the hardware, beside the activity trace
  operations,  ///< operations by type: instrumented code, without the activity trace
  tensor,      ///< operations of the tensor cores, by the types that the memory pass saw
};
inline constexpr int kPasses = 3;

/// Decides which launches are counted, and when a pass has given what it can. Times are seconds on any steady
/// clock.
///
/// Of each group `samples` launches are counted in each pass that it needs: the first, and then each time
/// the number of launches has doubled, so that they spread over the run.
class Sampling {
 public:
  explicit Sampling(int samples) : samples_(samples) {}

  /// A group that was not seen before. The memory and the operations of every group are wanted.
  GroupId add_group(double now);
  /// The memory pass saw tensor instructions.
  void need_tensor_pass(GroupId group);

  /// Begins a pass: launches are counted from 0 again.
  void begin(Pass pass, double now);

  /// A launch of the group comes: whether it is to be counted.
  bool wants(GroupId group);
  /// It was counted.
  void counted(GroupId group, double now);
  /// It was to be counted, but the program had to go on before it was done. After `kMostVoids` in a row the
  /// group is left alone.
  void voided(GroupId group);

  /// Nothing more is to be expected of the pass: every group has its samples, or for longer than `patience_s`
  /// and half of the time that the pass has taken no launch was counted and no group was new.
  bool is_over(double now, double patience_s) const;

  /// Whether the group has all its samples of that pass, or needs none.
  bool is_complete(GroupId group, Pass pass) const;
  int samples_of(GroupId group, Pass pass) const { return state(group, pass).counted; }
  bool is_left_alone(GroupId group) const { return groups_[group].voids >= kMostVoids; }
  std::size_t group_count() const { return groups_.size(); }

  static constexpr int kMostVoids = 3;

 private:
  struct State {
    int counted = 0;
    std::uint64_t next = 1;  // the launch, since the pass began, that is counted next
  };
  struct Group {
    State states[kPasses];
    std::uint64_t launches = 0;  // since the pass began
    int voids = 0;               // in a row
    bool needs_tensor_pass = false;
  };

  const State& state(GroupId group, Pass pass) const { return groups_[group].states[static_cast<int>(pass)]; }
  bool is_awaited(GroupId group) const { return !is_left_alone(group) && !is_complete(group, pass_); }
  /// Runs `change`, after which the group may no longer be awaited, or be again.
  template <typename Change>
  void change(GroupId group, Change change);

  const int samples_;
  std::vector<Group> groups_;
  Pass pass_ = Pass::memory;
  std::size_t awaited_ = 0;  // groups of which the pass still wants launches
  double begun_ = 0;
  double last_news_ = 0;  // a new group, or a launch that was counted
};

}  // namespace rooflinectl::injection
