// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/machine/launcher.h"
#include "core/serial/rank_messages.h"
#include "runner/ranks/rank_lock.h"

namespace rooflinectl {

/// Makes the run, and takes over what the others measure.
inline constexpr int kFirstRank = 0;

/// The processes that a launcher started together, as they measure one run. They meet in a folder that all of
/// them see, and tell each other through files how far they are:
///   1. each leaves a token in `<parent>/.ranks-<job>/`
///   2. rank 0 makes the folder of the run, and invites the ranks whose tokens it sees
///   3. a rank that finds its own token in the invitation says hello in `<folder>/.ranks/`: what an earlier
///      launch left behind, under the same name, is not taken for this one
///   4. each reports its steps there, and its end
/// A lock shows the others if a rank dies.
class Meeting {
 public:
  /// Whether the user wants the program to end.
  using IsStopped = std::function<bool()>;

  /// `parent` holds the runs of the plan. `rank.ranks` is known. Throws Error(usage) for an environment
  /// variable ROOFLINECTL_RANK_LIMIT that is no number of seconds.
  Meeting(LauncherRank rank, std::filesystem::path parent, IsStopped is_stopped);
  /// Ends. Rank 0 leaves nothing of the meeting.
  ~Meeting();
  Meeting(const Meeting&) = delete;
  Meeting& operator=(const Meeting&) = delete;

  /// For rank 0: waits for all others in `folder`. False if the user stopped it. Throws Error(environment)
  /// that names who did not come in time, or if another launch is meeting in its place.
  bool invite(const std::filesystem::path& folder, RankHello hello);
  /// For the others, likewise.
  bool join(RankHello hello);

  /// From here on, all have met.
  const std::filesystem::path& folder() const { return folder_; }
  /// That the files are in.
  std::filesystem::path message_folder() const { return folder_ / ".ranks"; }
  /// By rank.
  const std::vector<RankHello>& hellos() const { return hellos_; }

  /// This rank has completed a step.
  void report(const std::string& step, const RankStep& result) const;
  /// This rank will report nothing more.
  void end() const;

  /// Waits until `rank` has completed the step, or ended. False if the user stopped it.
  bool wait_for(int rank, const std::string& step) const;
  /// Waits until the process of `rank` is no more. False if the user stopped it.
  bool wait_until_gone(int rank) const;
  /// Waits until all others have ended, at most for `limit`.
  void wait_for_ends(std::chrono::seconds limit) const;
  /// Nothing if `rank` has not completed the step.
  std::optional<RankStep> step_of(int rank, const std::string& step) const;
  /// Whether `rank` will report nothing more.
  bool has_ended(int rank) const;
  /// Whether its process ended before it reported its end.
  bool has_died(int rank) const;

 private:
  using Clock = std::chrono::steady_clock;

  std::filesystem::path file_of(int rank, const std::string& what) const;
  bool is_gone(int rank) const;
  void say_hello(RankHello hello);
  bool have_all_said_hello();
  std::string missing_ranks() const;
  [[noreturn]] void fail_without(const std::string& missing) const;
  bool wait_until(const std::function<bool()>& is_there,
                  std::optional<Clock::time_point> deadline = {}) const;
  bool wait_in_time(const std::function<bool()>& is_there, const std::function<std::string()>& missing) const;

  LauncherRank rank_;
  int ranks_;
  std::filesystem::path parent_;
  std::filesystem::path waiting_folder_;  // where they leave their tokens
  std::filesystem::path folder_;
  IsStopped is_stopped_;
  std::chrono::duration<double> limit_;
  RankLock lock_;
  std::vector<RankHello> hellos_;
  std::set<int> met_;
};

}  // namespace rooflinectl
