// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/machine/ranks.h"
#include "core/model/point_id.h"
#include "core/model/run.h"
#include "core/program/application.h"
#include "core/program/timeline.h"

namespace rooflinectl {

struct MergeRequest {
  std::vector<std::string> runs;          ///< each a run.json, compressed or not, or the folder that has one
  std::string output = "runs";            ///< the folder in which the run's is made
  std::vector<std::string> command_line;  ///< ours
};

/// The most devices whose measurements a merged run has. Of more, it has those of devices that are spread
/// evenly from the one with the least time in kernels to the one with the most; of the others, what each
/// group took.
inline constexpr std::size_t kMostDevicesInFull = 8;

struct MergeResult {
  Run run;
  std::filesystem::path folder;       ///< holds `run.json`
  std::optional<Timeline> timeline;   ///< as it was written beside `run.json`; nothing where there is none
  std::vector<std::string> left_out;  ///< why a run could not be read, for each of these
  std::size_t merged = 0;             ///< how many runs are in it
};

/// Is told how many of the runs have been read.
using MergeProgress = std::function<void(std::size_t read, std::size_t all)>;

/// Joins runs of one program or plan, one per rank or host, and writes the result. What cannot be read is
/// left out, and named. Throws Error(usage) if fewer than two runs are left, or they cannot be of one launch;
/// Error(environment) if the result cannot be written.
MergeResult merge_runs(const MergeRequest& request, const MergeProgress& progress);

// Where the times of several runs lie on one axis. Hosts that share a clock are aligned by it, others by
// collectives: the same one ends on all of its ranks within microseconds.

/// What the alignment needs to know of a run.
struct RunClocks {
  std::vector<ProgramHost> hosts;
  /// Of its processes that took part in collectives, those of each in their order. `kernel` tells names apart
  /// over all runs; times are since time 0 of this run.
  std::vector<std::vector<CollectiveLaunch>> collectives;
};

/// Where time 0 of a run is.
struct RunPlace {
  /// Since time 0 of the first run; for runs that are not aligned with it, since that of the first one that
  /// shares their clock.
  std::int64_t start_ns = 0;
  /// By how much that may be wrong: 0 where a clock is shared. Nothing where the run is not aligned.
  std::optional<double> uncertainty_s;

  bool operator==(const RunPlace&) const = default;
};

/// The place of each run; the first run stays where it is.
std::vector<RunPlace> aligned(const std::vector<RunClocks>& runs);

/// How much later than `reference` the same collectives end in `other`.
struct EndDifference {
  std::int64_t median_ns = 0;
  std::int64_t deviation_ns = 0;  ///< 95 % of the collectives differ from the median by no more
};

/// The two are matched by name and order, in which either may lack some at its beginning. Nothing where fewer
/// than 8 match, where they do not end together to within 1 ms, or where several ways to match them fit.
std::optional<EndDifference> end_difference(const std::vector<CollectiveLaunch>& reference,
                                            const std::vector<CollectiveLaunch>& other);

/// What a group of launches took in a process.
struct GroupInProcess {
  int process = 0;
  const PointId* point = nullptr;
  std::uint64_t traced = 0;
};

struct HeldLaunches {
  std::uint64_t count = 0;
  double total_s = 0;
};

/// Launches of collectives that waited for a rank of another run while that was held, of each group: their
/// own run did not know it. `application`: of the merged run; `parts`: the run of each of its processes.
/// `groups` has all groups of a process, or none of them. What is not aligned with the first host, and what
/// an older run did not record, is not known. Where a collective has several shapes within one NVTX path,
/// which a run does not tell apart for single launches, they are shared out in proportion to the launches.
std::vector<HeldLaunches> held_elsewhere(const Application& application,
                                         const std::vector<std::size_t>& parts,
                                         const std::vector<GroupInProcess>& groups);

/// Problems of many processes, each cause once.
class SharedProblems {
 public:
  void add(ApplicationProblem problem);

  /// In the order in which they were added: one for each process, or one for all if these are many.
  std::vector<ApplicationProblem> all() const;

 private:
  struct Shared {
    ApplicationProblem problem;  // of no process
    std::set<int> processes;
  };

  std::vector<Shared> problems_;
};

/// One of the runs that are merged.
struct RunPart {
  std::string name;  ///< as messages have it
  Run run;           ///< of a profiled program: without measurements and ceilings, which come later
};

/// One run made of those of ranks that measured the same plan, a device each, in the order of the ranks. A
/// point over several GPUs, which all have measured together, is there once. Throws Error(usage) if the runs
/// cannot be of one launch: of different plans, options or builds, or two of one rank or GPU.
Run merged_plan(std::vector<RunPart> parts);

// What the ranks of one launch should have in common, and do not: what cannot be compared is named.

/// Programs and versions of rooflinectl that differ.
std::vector<ApplicationProblem> differences_of(const std::vector<const RunPart*>& parts);

/// Ranks that the launcher started, and of which there is no run.
std::vector<ApplicationProblem> missing_ranks(const Application& merged);

/// Hosts whose clocks could not be aligned with that of the first.
std::vector<ApplicationProblem> unaligned_hosts(const Application& merged);

/// What groups took in the processes of many runs, each name kept once.
class GroupRows {
 public:
  /// Adds the groups of a run. Those that several processes launched on one device belong to none of them.
  void add(std::size_t run, const Run& measured);

  /// One process's share of a group.
  struct Row {
    std::size_t group = 0;
    std::size_t run = 0;
    std::size_t device = 0;  ///< its place in that run
    RankLaunches launches;   ///< the process has the id that it has in that run
  };
  const std::vector<PointId>& groups() const { return groups_; }
  const std::vector<Row>& rows() const { return rows_; }

 private:
  std::size_t place_of(const PointId& point);

  std::vector<PointId> groups_;
  std::unordered_map<std::string, std::size_t> places_;  // by the name of the range
  std::vector<Row> rows_;
};

/// One run made of several: devices, processes and hosts of all of them, on one axis of time.
class MergedRun {
 public:
  /// Throws Error(usage) if the runs cannot be of one launch: two of them have the same rank.
  explicit MergedRun(std::vector<RunPart> parts);

  std::size_t devices() const { return run_.devices.size(); }
  /// The place of a device of that part.
  std::size_t device(std::size_t part, std::size_t device) const { return places_[part].devices[device]; }
  /// The part is the same run as an earlier one: it counts once.
  bool is_duplicate(std::size_t part) const { return places_[part].is_duplicate; }

  /// Adds measurements, ceilings and samples of the devices in `devices`. `full`: the run of that part.
  void add_in_full(std::size_t part, const Run& full, const std::optional<Timeline>& timeline,
                   const std::set<std::size_t>& devices);
  /// Adds what groups took on the other devices.
  void add_rows(const GroupRows& rows, const std::set<std::size_t>& devices_in_full);
  void add_problem(ApplicationProblem problem) { problems_.add(std::move(problem)); }

  /// To be called once, after everything was added.
  Run take_run();
  /// Likewise; nothing where no device was sampled.
  std::optional<Timeline> take_timeline();

 private:
  /// Where things of a part are in the merged run.
  struct Places {
    bool is_duplicate = false;
    RunPlace time;
    std::uint64_t shift_ns = 0;
    std::vector<std::size_t> devices;
    std::vector<std::size_t> hosts;
    std::vector<std::size_t> collectives;
    std::map<int, int> processes;  // ids
  };

  void find_duplicates();
  void refuse_ranks_twice() const;
  void place_collectives();
  void place_in_time();
  void add_hosts(std::size_t part);
  void add_devices(std::size_t part);
  void add_processes(std::size_t part);
  void add_uses(std::size_t part);
  void add_problems(std::size_t part);
  void add_ranges();
  void drop_uses_of_shared_devices();
  void name_differences();
  void leave_out_held_elsewhere();
  void add_timeline(const Timeline& timeline, const Places& places,
                    const std::vector<std::optional<std::size_t>>& measurements,
                    const std::set<std::size_t>& devices);

  std::vector<RunPart> parts_;
  std::vector<Places> places_;
  Run run_;
  std::vector<std::string> device_hosts_;   // the system of each device
  std::vector<std::size_t> process_parts_;  // the part of each process
  SharedProblems problems_;
  Timeline timeline_;
  std::map<std::string, std::size_t> timeline_paths_;  // places in it
};

}  // namespace rooflinectl
