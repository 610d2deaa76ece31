// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/devices/collective_sizes.h"
#include "analysis/roofline/launch_times.h"
#include "core/model/run.h"
#include "core/stats/statistics.h"

/// The ranks of a profiled program side by side: how the times of the same kernels differ, which rank is
/// slower, and how long ranks wait in collectives (docs/scaling.md).
namespace rooflinectl {

/// A process of the program among those that ran together.
struct RankUse {
  const ProgramProcess* process = nullptr;
  std::string name;               ///< `rank 3`; `process 2` where no launcher started it
  double compute_s = 0;           ///< of all launches of its kernels except those of collectives
  double collective_s = 0;        ///< of those
  double overlapped_s = 0;        ///< of these, while another kernel, not of a collective, ran on the device
  std::size_t slow_groups = 0;    ///< in which it is slower than the others
  double slow_s = 0;              ///< what these launches took beyond those of the others, together
  std::uint64_t collectives = 0;  ///< in which it was judged whether it waited
  std::uint64_t last = 0;         ///< of these, where it came last: the others waited for it
  double judged_s = 0;            ///< their time
  double wait_s = 0;              ///< of that, beyond the time of the rank that came last

  /// The share of its time in kernels other than collectives that it took beyond the others.
  double slow_share() const { return portion_of(slow_s, compute_s); }
  /// The share of its time in kernels that collectives take.
  double collective_share() const { return portion_of(collective_s, compute_s + collective_s); }
  /// The share of its time in collectives during which another kernel also ran.
  double overlapped_share() const { return portion_of(overlapped_s, collective_s); }
  /// The share of its time in judged collectives that it waited.
  double wait_share() const { return portion_of(wait_s, judged_s); }
  /// The share of its judged collectives in which it came last.
  double last_share() const {
    return portion_of(static_cast<double>(last), static_cast<double>(collectives));
  }
};

/// The launches of a group in one rank.
struct RankTime {
  std::size_t rank = 0;  ///< its place in `RankAnalysis::ranks`
  RankLaunches launches;
  LaunchTime mean;  ///< of a launch; of several devices, on the slowest of them; 0 where none was timed
  bool is_slower = false;  ///< than the others: see `RankGroupUse`
  double slow_s = 0;       ///< what its launches took beyond those of the others, where it is slower

  /// Of all launches; those without a time take as long as the others.
  double time_s() const;
  /// The share of the time of its traced launches during which another kernel also ran.
  double overlapped_share() const { return portion_of(launches.overlapped_s, launches.total_s); }
};

/// The same kernel, shape and NVTX path on several ranks.
///
/// A rank is slower where its mean is 5 % or more above the median of the others' means, the lower end of its
/// interval is above the median of the upper ends of theirs, and at least five launches of each are timed.
/// Ranks wait in collectives: in these no rank counts as slower.
struct RankGroupUse {
  std::string kernel;  ///< its short name, with grid where there are several
  std::string path;    ///< of the NVTX ranges; empty for none
  bool is_collective = false;
  std::vector<RankTime> ranks;  ///< in the order of `RankAnalysis::ranks`
  double total_s = 0;           ///< of all launches on all ranks
  double min_s = 0;             ///< of the ranks' means; 0 where no launch was timed
  double median_s = 0;
  double max_s = 0;
  std::size_t slowest = 0;  ///< the place in `ranks` of the largest mean

  double spread() const { return median_s > 0 ? (max_s - min_s) / median_s : 0; }
  std::size_t slower() const;  ///< how many ranks are
  /// That of the rank at this place in `RankAnalysis::ranks`; null where it did not launch the kernel.
  const RankTime* of(std::size_t rank) const;
};

/// The time of each rank within one NVTX path: kernels other than collectives, or collectives alone.
struct RankPhase {
  std::string name;             ///< the path; `no range`; `collectives`
  bool is_collectives = false;  ///< the one for all paths
  std::vector<double> times_s;  ///< by rank
  std::vector<double> slow_s;   ///< of that, what groups in which the rank is slower took beyond the others

  /// The place of the rank that loses most in groups in which it is slower; nothing where none is.
  std::optional<std::size_t> slowest() const;
  /// The times of the ranks that spent any in it, the shortest first.
  std::vector<double> sorted_times_s() const;
  /// Of these times, the longest less the shortest, over their median; 0 without any.
  double spread() const;
  /// The share of this rank's time that it took beyond the others.
  double slow_share(std::size_t rank) const { return portion_of(slow_s[rank], times_s[rank]); }
};

/// Collectives within one NVTX path, over all ranks.
struct CollectiveUse {
  std::string path;  ///< empty for none
  double total_s = 0;
  double overlapped_s = 0;   ///< while another kernel, not of a collective, ran on the device too
  std::uint64_t judged = 0;  ///< launches, by whether they waited
  double judged_s = 0;       ///< their time
  double wait_s = 0;         ///< of that, beyond the time of the rank that came last

  /// The share of its time during which another kernel also ran.
  double overlapped_share() const { return portion_of(overlapped_s, total_s); }
  /// The share of the time of its judged launches that is waiting.
  double wait_share() const { return portion_of(wait_s, judged_s); }
};

struct RankAnalysis {
  std::vector<RankUse> ranks;  ///< by rank, then by start
  /// On several ranks; first those in which the slowest rank loses most.
  std::vector<RankGroupUse> groups;
  std::size_t single_groups = 0;           ///< that one rank alone launched
  std::vector<RankPhase> phases;           ///< the one with most time first
  std::vector<CollectiveUse> collectives;  ///< the longest first
  /// Collectives that were found on several ranks: those by which waiting is judged, and those that are set
  /// aside because counting held a rank.
  std::uint64_t judged_collectives = 0;
  std::uint64_t set_aside_collectives = 0;
  std::uint64_t held_collectives = 0;  ///< launches that are in no time, as `LaunchStatistics::held`
  std::vector<CollectiveSize> collective_sizes;  ///< of those that are judged
  /// The ranks that are slower than the others in groups with at least 1 % of their time, slowest first:
  /// places in `ranks`.
  std::vector<std::size_t> stragglers;
  std::vector<std::string> gpus;  ///< the different names of the GPUs that they used

  /// The times and numbers of all ranks together, without a name.
  RankUse sum() const;
  /// The rank that came last in most collectives.
  const RankUse& latest() const;
  /// In which share of the judged collectives it did.
  double latest_share() const;
  /// The group in which the rank at this place loses most to the others (`RankTime::slow_s`); null where it
  /// is slower in none.
  const RankGroupUse* slowest_group(std::size_t rank) const;
};

/// The ranks of the processes that used any of these devices (places in `Run::devices`), in their order.
std::vector<int> ranks_on(const Run& run, const std::set<std::size_t>& devices);

/// Nothing where fewer than two processes launched kernels, each on devices of its own. The result points
/// into `run`.
std::optional<RankAnalysis> rank_analysis(const Run& run);

}  // namespace rooflinectl
