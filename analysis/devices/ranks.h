// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/roofline/point.h"
#include "core/model/run.h"
#include "core/program/application.h"
#include "core/program/collective.h"
#include "core/program/timeline.h"
#include "core/stats/statistics.h"

/// The ranks of a profiled program side by side: how the times of the same kernels differ, which rank is
/// slower, and how long ranks wait in collectives (docs/scaling.md).
namespace rooflinectl {

/// How long one launch of a collective's kernel waited for others.
struct CollectiveWait {
  std::size_t process = 0;  ///< its place in `Application::processes`
  std::size_t kernel = 0;   ///< its place in `Application::collectives`
  std::uint64_t start_ns = 0;
  std::uint64_t duration_ns = 0;
  std::uint64_t wait_ns = 0;    ///< beyond the shortest time of the same collective on any rank
  bool is_last = false;         ///< it was the shortest: it began last, and the others waited for it
  std::uint64_t caused_ns = 0;  ///< what they waited for it, together
};

/// A collective whose launches were found on several processes.
struct MatchedCollective {
  std::size_t kernel = 0;  ///< of one of them: its place in `Application::collectives`
  std::size_t processes = 0;
  std::uint64_t shortest_ns = 0;  ///< of the one that came last, and so did not wait
};

/// Collectives whose launches were matched with those of other processes.
struct CollectiveWaits {
  std::vector<MatchedCollective> judged;
  std::vector<CollectiveWait> launches;  ///< of those
  /// Not judged: the ranks waited for one that was held (`Holds`).
  std::uint64_t set_aside = 0;
};

/// The same collective ends on all its ranks at the same time, to within 50 µs and the uncertainty of the
/// clocks; hosts whose clocks are not aligned with that of the first host are left out.
CollectiveWaits collective_waits(const Application& application);

/// Collectives of a program of one kind and size, whatever their NVTX ranges.
struct CollectiveSize {
  Collective collective = Collective::all_reduce;
  std::size_t ranks = 0;
  std::uint64_t count = 0;
  /// The array's bytes, and the median time of the rank that came last, and so has not waited.
  CollectiveTime time;
  /// How long it takes on the same devices with nothing else running on them, according to
  /// `Run::collectives`. Nothing where that was not measured, or was over another number of devices.
  std::optional<double> alone_s;

  /// Bytes per second of `time` on the links: see `bus_bytes_per_s`.
  double bus_bytes_per_s() const;
  /// The same if it took `alone_s`.
  std::optional<double> alone_bus_bytes_per_s() const;
  /// What the rank that came last took longer than `alone_s`; negative where it was faster.
  std::optional<double> beyond_alone_s() const {
    return alone_s ? std::optional(time.time_s - *alone_s) : std::nullopt;
  }
  /// `alone_s` over what that rank took: the share of the bandwidth alone that is reached.
  std::optional<double> share_of_alone() const {
    return alone_s ? std::optional(portion_of(*alone_s, time.time_s)) : std::nullopt;
  }
};

/// Collectives whose time alone is known, whatever their kind and size.
struct AgainstAlone {
  std::uint64_t count = 0;
  double time_s = 0;   ///< of the ranks that came last, together
  double alone_s = 0;  ///< what they take alone, together

  /// How much longer than alone they take: `time_s` / `alone_s` − 1. Negative where they are faster.
  double relative_excess() const { return portion_of(time_s, alone_s) - 1; }
};

/// Nothing where none of `sizes` has a time alone.
std::optional<AgainstAlone> against_alone(const std::vector<CollectiveSize>& sizes);

/// Those of `collectives` whose kind and bytes are known; the ones that took longest together first. `run`
/// has an application.
std::vector<CollectiveSize> collective_sizes(const Run& run,
                                             const std::vector<MatchedCollective>& collectives);

/// A process of the program among those that ran together.
struct RankUse {
  const ProgramProcess* process = nullptr;
  std::string name;               ///< `rank 3`; `process 2` where no launcher started it
  double compute_s = 0;           ///< of the timed launches of its kernels except those of collectives
  double collective_s = 0;        ///< of those
  double overlapped_s = 0;        ///< of these, while another kernel, not of a collective, ran on the device
  std::size_t slow_groups = 0;    ///< in which it is slower than the others
  double slow_s = 0;              ///< what these launches took beyond those of the others, together
  std::uint64_t collectives = 0;  ///< in which it was judged whether it waited
  std::uint64_t last = 0;         ///< of these, where it came last: the others waited for it
  double judged_s = 0;            ///< their time
  double wait_s = 0;              ///< of that, beyond the time of the rank that came last
  double caused_s = 0;            ///< what the others waited for it

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
  double slow_s = 0;       ///< what its timed launches took beyond those of the others, where it is slower

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

/// From this share of the ranks' waiting on, one rank is late, and ranks do not just take turns in being
/// last.
inline constexpr double kOneIsLate = 2.0 / 3;

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
  /// The two ranks for which the others waited longest, that with the longest wait first.
  std::pair<const RankUse*, const RankUse*> latest() const;
  /// Of all waiting, the share that was for this rank.
  double caused_share(const RankUse& rank) const { return portion_of(rank.caused_s, sum().caused_s); }
  /// Whether the others waited mostly for one rank, not for several in turn.
  bool is_one_late() const { return caused_share(*latest().first) >= kOneIsLate; }
  /// The group in which the rank at this place loses most to the others (`RankTime::slow_s`); null where it
  /// is slower in none.
  const RankGroupUse* slowest_group(std::size_t rank) const;
};

/// The ranks of the processes that used any of these devices (places in `Run::devices`), in their order.
std::vector<int> ranks_on(const Run& run, const std::set<std::size_t>& devices);

/// Nothing where fewer than two processes launched kernels, each on devices of its own. The result points
/// into `run`.
std::optional<RankAnalysis> rank_analysis(const Run& run);

/// A collective on one rank, within a window.
struct CollectiveSpan {
  std::uint64_t start_ns = 0;  ///< since the window began
  std::uint64_t duration_ns = 0;
  std::uint64_t wait_ns = 0;  ///< of that, at its beginning, until the last rank came
};

/// When ranks were in collectives, side by side, in a part of the run.
struct RankWindow {
  std::uint64_t duration_ns = 0;
  std::vector<std::vector<CollectiveSpan>> processes;  ///< in the order of `Application::processes`
};

/// A part of the run with this length and median waiting, of those in which the rank that waits longest in
/// the whole run does so, too. Nothing if no collectives were matched between ranks, or they fill no part.
std::optional<RankWindow> typical_window(const Application& application, std::uint64_t duration_ns);

// What the devices of a program's ranks did over time, beside each other.

/// The shares of a part of the time in which kernels ran.
struct LaneBin {
  double compute = 0;      ///< at least one that is not a collective
  double collectives = 0;  ///< collectives alone
};

/// One device.
struct RankLane {
  std::size_t device = 0;  ///< its place in `Run::devices`
  /// Nothing where the device was not sampled. All parts are `RankLanes::bin_ns` long.
  std::vector<std::optional<LaneBin>> bins;
};

struct RankLanes {
  std::uint64_t start_ns = 0;  ///< since time 0 of the run
  std::uint64_t bin_ns = 0;
  std::vector<RankLane> lanes;  ///< by device
};

/// The most parts that a lane has.
inline constexpr std::size_t kMostLaneBins = 600;

/// Nothing where no two devices were sampled at the same time, for a twentieth of all, while a program ran.
std::optional<RankLanes> rank_lanes(const Run& run, const Timeline& timeline);

}  // namespace rooflinectl
