// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/program/profile_settings.h"

namespace rooflinectl::injection {

/// Launches of one kernel of one shape under one NVTX path on one device, by their place in order of
/// appearance.
using GroupId = std::uint32_t;

/// What a program has launched since it may have begun to repeat its steps: since a pass began or a new
/// kernel came, or a known one in another shape or range, unless 7 in 8 launches lately were of older groups,
/// as in a text that grows word by word. Times are seconds on any steady clock.
class ProgramSteps {
 public:
  /// All that is known is forgotten: a pass begins.
  void begin(double now);
  /// The next group was not seen before. If `may_begin_steps`, they are taken to begin, unless it is a known
  /// kernel's and launches of groups that are as new were few lately.
  void add_group(double now, bool may_begin_steps, bool has_new_kernel);
  void launched(GroupId group);
  void counted(GroupId group) { ++groups_[group].samples; }

  /// How long since then, and how many launches: all, those of a group, and how many of these were counted.
  double duration_s(double now) const { return now - since_s_; }
  std::uint64_t launches() const { return launches_; }
  std::uint64_t launches_of(GroupId group) const { return is_current(group) ? groups_[group].launches : 0; }
  int samples_of(GroupId group) const { return is_current(group) ? groups_[group].samples : 0; }

  /// Whether the program repeats them: that took a while, or was a lot, and nearly all launches are of groups
  /// with more than one.
  bool have_repeated(double now) const;
  /// Whether the group was launched throughout, not in one burst, as far as half a second shows it.
  bool is_steady(GroupId group, double now) const;
  /// Whether so many launches more take less than `limit_s` if they go on coming as they do.
  bool comes_within(double limit_s, GroupId group, int launches, double now) const;
  /// How many launches of all groups are to be expected in that time.
  std::uint64_t launches_within(double limit_s, double now) const;

  static constexpr double kLongS = 0.1;  ///< what the program does for so long may be its work

 private:
  struct Group {
    std::uint64_t restarts = 0;  // that came before the rest was noted
    std::uint64_t launches = 0;
    int samples = 0;
    std::uint64_t first = 0;  // so many launches of all groups came before it
    std::uint64_t last = 0;
    std::uint64_t new_in = 0;  // so many restarts came before the steps in which it is new
    bool began_steps = false;  // when it was added
  };

  void restart(double now);
  bool is_current(GroupId group) const { return groups_[group].restarts == restarts_; }

  std::vector<Group> groups_;
  double since_s_ = 0;
  std::uint64_t restarts_ = 1;
  std::uint64_t launches_ = 0;
  std::uint64_t launched_groups_ = 0;
  std::uint64_t launched_once_ = 0;  // groups
  std::uint64_t lately_ = 0;         // launches, of which half are forgotten now and then
  std::uint64_t lately_new_ = 0;     // of these, those of groups that are as new
};

/// Decides which launches are counted, and when a pass has given what it can. Times are seconds on any steady
/// clock.
///
/// A group whose launches were not seen to end by themselves is counted in the memory pass alone: in the
/// other passes the launching call waits, too. A kernel whose launches were not done in time `kMostVoids`
/// times in a row is left alone, in all of its groups.
///
/// Of each group, `samples` launches are counted in each pass that it needs: the first, and then each time
/// the number of launches has doubled, so that they spread over the run. If the hardware has counted the same
/// work in all of them, one is enough in the pass with instrumented, slow code. Of a group whose launches
/// differ, `kVaryingSamples` are counted, one after the other, so that different launches are counted as
/// often as they occur; if they repeat after a period, one at each place of it, and if only the first differ,
/// `kEnoughThatVary` or, instrumented, `samples`. Of a kernel in a graph, whose launches are few, each is
/// counted.
class LaunchSampling {
 public:
  explicit LaunchSampling(int samples) : samples_(samples) {}

  /// What must be known about a group before its first launch.
  struct Wish {
    std::uint64_t kernel = 0;      ///< groups with the same number have the same kernel
    bool is_counted = true;        ///< memory, operations, tensor, stalls and pipes, and what follows
    bool is_known_to_end = false;  ///< by itself, so that it need not be seen to end first
    bool is_in_graph = false;      ///< launched by itself in some launches of the graph only
    bool may_be_instrumented_alone = true;  ///< neither a collective, nor a graph or in one
  };

  /// A group that was not seen before.
  GroupId add_group(double now, Wish wish);
  /// The group has operations that this pass counts.
  void need(GroupId group, Pass pass);

  /// Begins a pass: launches are counted from 0 again.
  void begin(Pass pass, double now);

  /// The group is launched, whether that is to be counted or not.
  void launched(GroupId group);
  const ProgramSteps& steps() const { return steps_; }
  /// Whether the group is to be counted at all.
  bool is_wanted(GroupId group) const {
    return groups_[group].needed[static_cast<std::size_t>(Pass::memory)];
  }

  /// A launch of the group is coming, the `ordinal`-th, which matters if they repeat: returns whether it is
  /// to be counted.
  bool wants(GroupId group, std::uint64_t ordinal = 0);
  /// Its launches take different times, or do different work.
  void varies(GroupId group);
  /// All launches that were counted have done the same.
  void does_the_same(GroupId group);
  /// Whether, of its launches, only the first have differed.
  void settles(GroupId group, bool has_settled);
  /// The program repeats its steps now. What was counted of the group in the memory pass may be older, such
  /// as trials of which kernel is the fastest: more launches are counted, until `enough` are of the steps.
  /// Returns whether some are still to come, and soon: a pass that waits for them keeps the others waiting.
  bool lacks_samples_of_steps(GroupId group, int enough, double now);
  /// From now on, few launches are instrumented, since each takes long, and none of groups that may not be
  /// alone.
  void instruments_one_by_one();
  /// A graph launches so many kernels of the group, of which it has several: each is counted, as far as
  /// `kVaryingSamples` go, since each may do something else.
  void has_nodes(GroupId group, int nodes);
  /// These repeat after so many launches, at most `kLongestPeriod`.
  void repeats(GroupId group, std::size_t period);
  bool is_varying(GroupId group) const { return groups_[group].is_varying; }
  /// It was counted.
  void counted(GroupId group, double now, std::uint64_t ordinal = 0);
  /// It was to be counted, but earlier work was not done in time.
  void postponed(GroupId group);
  /// It was to be counted, but the program had to continue before it was done. Some launches pass before it
  /// is tried again, so that their times show how long a launch takes that is not held up.
  void voided(GroupId group);

  /// Whether the pass is over: no launch was counted and no group was new for `least_patience_s` or, if a
  /// group still lacks samples, for as long as the pass had lasted at the last such event (at most 2 s) if
  /// that is longer. Not before the first group.
  bool is_over(double now, double least_patience_s) const;
  /// For how long no launch was counted and no group was new.
  double quiet_s(double now) const { return now - last_news_; }

  /// Whether the group has all its samples of that pass, or needs none.
  bool is_complete(GroupId group, Pass pass) const;
  /// Whether more launches of the group are to be counted in that pass.
  bool is_awaited(GroupId group, Pass pass) const;
  /// The same for any group.
  bool has_awaited(Pass pass) const;
  /// Whether the pass has too little of the group. Of a graph, which is rarely launched kernel by kernel, one
  /// launch is enough; of launches that vary without a period, some are.
  bool is_missing(GroupId group, Pass pass) const;
  /// How many launches of all groups are still to be counted in that pass.
  std::size_t awaited_samples(Pass pass) const;
  int samples_of(GroupId group, Pass pass) const { return state(group, pass).counted; }
  /// Whether the kernel was not done in time when it was last to be counted.
  bool was_voided(GroupId group) const { return voids_.at(groups_[group].kernel) > 0; }
  bool is_left_alone(GroupId group) const { return voids_.at(groups_[group].kernel) >= kMostVoids; }
  std::size_t group_count() const { return groups_.size(); }

  static constexpr int kMostVoids = 3;
  static constexpr int kVaryingSamples = 32;
  static constexpr int kEnoughThatVary = 8;   ///< the first pass shows what they do on average
  static constexpr int kEnoughToSettle = 24;  ///< in a row that do nearly the same, of a group that varied
  static constexpr double kSoonS = 1;         ///< a pass waits no longer for launches of the steps

 private:
  struct State {
    int counted = 0;
    std::uint64_t next = 1;               // the launch, since the pass began, that is counted next
    std::vector<std::uint64_t> ordinals;  // of what was counted, until a period is known
    std::vector<bool> places;             // of the period, which were counted
  };
  struct Group {
    std::array<State, kPasses.size()> states;
    std::uint64_t kernel = 0;
    std::uint64_t launches = 0;  // since the pass began
    std::size_t period = 0;      // or the least multiple that has enough launches; 0 if there is none
    bool is_known_to_end = false;
    bool is_varying = false;
    bool does_the_same = false;
    bool has_settled = false;
    int least_samples = 0;            // in the memory pass
    int enough_of_steps = 0;          // of these, that many of the program's steps
    std::uint64_t awaited_until = 0;  // so many launches of all groups
    bool is_in_graph = false;
    bool may_be_instrumented_alone = true;
    int nodes = 1;  // of its graph
    std::array<bool, kPasses.size()> needed{};
  };

  const State& state(GroupId group, Pass pass) const {
    return groups_[group].states[static_cast<std::size_t>(pass)];
  }
  /// Runs `change`, after which the group may no longer be awaited, or be awaited again.
  template <typename Change>
  void change(GroupId group, Change change);

  int samples_for(GroupId group, Pass pass) const;
  void find_awaited();
  /// The launch after this one that is counted next.
  std::uint64_t next_after(const Group& group) const;

  const int samples_;
  std::vector<Group> groups_;
  std::unordered_map<std::uint64_t, int> voids_;  // of each kernel, in a row
  bool is_one_by_one_ = false;
  Pass pass_ = Pass::memory;
  std::size_t awaited_ = 0;  // groups of which the pass still wants launches
  double begun_ = 0;
  double last_news_ = 0;  // a new group, or a launch that was counted
  std::uint64_t launches_ = 0;
  ProgramSteps steps_;
};

}  // namespace rooflinectl::injection
