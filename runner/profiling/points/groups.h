// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/counters/counters.h"
#include "core/machine/ranks.h"
#include "core/model/point_id.h"
#include "core/model/run.h"
#include "core/program/application.h"
#include "core/program/profile_record.h"
#include "core/program/profile_settings.h"
#include "core/stats/repeated_counters.h"
#include "runner/profiling/times/times.h"

namespace rooflinectl {

/// What the times of all launches of a group tell about those that were counted.
struct LaunchPattern {
  std::size_t period = 1;  ///< as `period_of` has it
  double mean_s = 0;       ///< of all launches with a time
  double launches = 0;     ///< of a process
};

/// In which order a process has launched: its groups, as in its records, and their launches.
struct LaunchOrder {
  std::uint64_t group = 0;
  std::uint64_t ordinal = 0;

  auto operator<=>(const LaunchOrder&) const = default;  // NOLINT(modernize-use-nullptr): there is no null
};

/// Which launch of a group: the `ordinal`-th of its process, whose number tells it from those of other
/// processes and runs. `group`: of the process's records, of which several may be one here.
struct LaunchPlace {
  std::size_t process = 0;
  std::uint64_t ordinal = 0;
  std::uint64_t group = 0;

  LaunchOrder order() const { return {group, ordinal}; }
};

/// The warp instructions that the hardware counted, of the launches of a process.
using InstructionsOfLaunches = std::map<LaunchOrder, double>;

/// The launches of one group that were counted in one pass.
class CountedLaunches {
 public:
  void add(const Counters& counters, LaunchPlace place = {});
  /// What one of them took, as the trace has it. Passes that cannot be traced have none.
  void add_time(double time_s);
  void add_instructions(std::map<std::size_t, InstructionsOfLaunches>& to) const;
  /// Leaves out what these processes launched before.
  void leave_out_before(const std::map<std::size_t, LaunchOrder>& first);
  bool empty() const { return launches_.empty(); }

  /// How the counter `key` falls into clusters: values of which neighbours differ by a factor of at least 1.2
  /// in parts of at least 2 % of the launches. `period`: of which each place counts the same, or 1. Nothing
  /// where it does not, or not all launches have it.
  std::optional<WorkClusters> clusters(std::string_view key, std::size_t period) const;

  struct Mean {
    RepeatedCounters counters;
    bool is_of_each_place = false;
    std::optional<double> scale;  ///< by which its counts have to be multiplied
  };
  /// The counters of a launch, on average over all launches of the group, not only over those that were
  /// counted, if these differ:
  /// - The launches repeat after a period, and each place in it was counted: each place counts the same.
  /// - Else `scale` is the mean time of all over that of the counted launches: a launch that does twice the
  ///   work is taken to run twice as long.
  /// - Where neither is possible, it is the mean of those that were counted.
  /// The times are those of the trace, else those that were counted with the launches (`kCountedTimeS`).
  Mean mean(const LaunchPattern& pattern) const;

  /// The mean of these instrumented launches, each as often as the hardware counted a launch of as many
  /// instructions (to within 1 %, and to those that the trace adds to each of `warps`). Nothing if more than
  /// 1 % of the hardware's launches, or of their instructions, have none, or if one has several that differ.
  /// `period`: of the launches, or 1 or 0.
  std::optional<RepeatedCounters> mean_as_in(const CountedLaunches& hardware, std::optional<double> warps,
                                             std::size_t period) const;

 private:
  struct Launch {
    Counters counters;
    LaunchPlace place;
  };
  std::vector<double> weights_by_place(std::size_t period) const;
  std::vector<std::size_t> same_as(double hardware, std::optional<double> warps) const;
  bool are_alike(const std::vector<std::size_t>& launches) const;
  RepeatedCounters weighted_mean(const std::vector<double>& weights) const;
  /// The mean time of the launches that were counted; nothing where one of them has none.
  std::optional<double> mean_time_s() const;

  std::vector<Launch> launches_;
  std::size_t timed_ = 0;
  double timed_s_ = 0;
};

/// What was counted of the launches of one group, by pass. A launch is counted in one pass.
using CountedPasses = std::map<std::string, CountedLaunches, std::less<>>;

/// The passes without launches at a process's start that did something else than all that followed, such as
/// trials of algorithms, by the instructions that the hardware counted; nothing if none is left out. At least
/// eight launches must have followed, and one at each place of the period; those that are left out are at
/// most 10 % of the process's launches.
std::optional<CountedPasses> without_first_that_differ(const CountedPasses& counted,
                                                       const LaunchPattern& pattern);

/// Why a group has no launch that was counted in that pass.
using MissingReason = std::function<std::string(const std::string& pass)>;

/// The counters of a group, and how they stand for launches that were not counted: as in `LaunchStatistics`.
struct GroupCounters {
  RepeatedCounters counted;
  std::optional<std::uint64_t> period;
  std::optional<double> scale;
  std::optional<WorkClusters> clusters;
};

/// For each pass the mean over its launches, as `CountedLaunches` has it; for a counter that several passes
/// have, that of the last. Instrumented launches have no times: where others are scaled by theirs, these are
/// by the instructions that the hardware counted. What was not counted, and what does not stand up to these
/// checks, is unavailable with its reason:
/// - Instrumentation and hardware count the instructions of warps in different passes. If launches
///   differ by more than 5 %, each instrumented one counts as often as the hardware counted one of as many
///   instructions. If that has others, and the means differ by more than 5 % and by more than launches differ
///   within a pass, the instrumentation has failed. The hardware also counts what the trace adds to each of
///   the `warps` of a launch (nothing for a graph); this is left out.
/// - Bulk copies (TMA) bypass the counters of L1. Where L1 moved less than 0.9 of the bytes that it requested
///   from L2, its bytes and its sector efficiencies are incomplete; those of shared memory as well, where
///   the chip does not count what its matrix instructions read there (`has_matrix_bytes`).
/// - Where tensor instructions ran, but of none of the types that were counted, no type is known.
GroupCounters counters_of_group(const CountedPasses& counted, std::optional<double> warps,
                                const MissingReason& missing, const LaunchPattern& pattern = {},
                                bool has_matrix_bytes = true);

/// Adds operations of the Tensor Cores that no pass counted: they follow from the number of instructions and
/// from the machine code, if that has `operations`. Returns whether there are any.
bool derive_tensor_operations(RepeatedCounters& counted, const DecodedTensor& decoded);

/// A value that several processes give: nothing if they give different ones.
template <typename T>
class CommonValue {
 public:
  void add(const std::optional<T>& value) {
    is_common_ = is_common_ && (count_++ == 0 || value == value_);
    value_ = value;
  }
  std::optional<T> value() const { return is_common_ ? value_ : std::nullopt; }

 private:
  std::optional<T> value_;
  bool is_common_ = true;
  int count_ = 0;
};

/// What becomes a point: what the records of all processes have of its launches, except their times.
struct ProfiledGroup {
  record::Kernel kernel;
  record::Group shape;  ///< of the first process that launched it
  std::string subject;
  Axes axes;
  std::string path;  ///< that of `axes`
  std::size_t device = 0;
  bool is_selected = true;
  bool is_collective = false;
  bool has_matrix_bytes = true;  ///< whether the chip counts what matrix instructions read from shared memory
  std::set<std::size_t> processes;  ///< of the first run, that launched it: numbers of their files
  CommonValue<int> process;
  CommonValue<int> rank;
  std::uint64_t untraced = 0;
  std::uint64_t traced = 0;
  std::uint64_t traced_ns = 0;
  std::uint64_t longest_ns = 0;  ///< of all launches with a time, held ones too
  std::uint64_t held = 0;        ///< as `LaunchStatistics::held`; not among the traced ones
  std::uint64_t held_ns = 0;
  std::uint64_t overlapped_ns = 0;  ///< as `LaunchStatistics::overlapped_s`
  std::uint64_t counted = 0;
  std::uint64_t gaps_before = 0;
  std::uint64_t idle_before_ns = 0;
  CountedPasses counters;
  std::string left_alone;                      ///< why its launches were left alone; empty if they were not
  std::optional<ApplicationProblem> too_long;  ///< a launch of it took longer than the program may be held
  std::optional<std::string> operations_path;  ///< as `LaunchStatistics` has it
  std::map<std::string, GraphKernelUse> graph_kernels;

  std::uint64_t launches() const { return traced + held + untraced; }
};

/// Groups of one kernel and shape share what instrumented code counts, by the pass of operations and that of
/// the Tensor Cores, as far as the hardware saw all of their launches do the same: a program may end before
/// it has repeated what it did in one of its ranges.
void share_operations(const std::vector<ProfiledGroup*>& same_kernel);

/// The traced launches of a group, in the order of their starts.
using TracedLaunches = std::vector<const BusyInterval*>;

/// How many times of a point are kept: over the run, and in the order of their lengths, percentiles or
/// deciles from 0 to 100.
struct KeptTimes {
  std::size_t over_time = 0;
  std::size_t samples = 0;
};
inline constexpr KeptTimes kKeptOfDetailed = {kMostLaunchTimes, 101};
inline constexpr KeptTimes kKeptOfOthers = {kFewLaunchTimes, 11};

/// The point that a group becomes, without its experiment. `zero_ns`: time 0 of the run.
Measurement measurement_of(const ProfiledGroup& group, const TracedLaunches& traced, KeptTimes kept,
                           std::uint64_t zero_ns, const MissingReason& missing);

/// In which passes of a run of a program something was counted, and why groups lack some.
class MissingPasses {
 public:
  /// `settings`: those of the first run.
  explicit MissingPasses(const ProfileSettings& settings)
      : counts_nothing_(settings.passes.empty() || settings.limit == 0U) {}

  void add_counted(const std::string& pass) { counted_.insert(pass); }
  /// The program launches collectives, beside which nothing in graphs is instrumented.
  void add_collectives() { has_collectives_ = true; }
  /// Why something could not be measured in a whole process.
  void add_problem(const std::string& cause) { problems_.push_back(cause); }

  int counted() const { return static_cast<int>(counted_.size()); }
  bool has_problem(std::string_view beginning) const;

  /// Why a group was not counted in a pass.
  std::string reason(const ProfiledGroup& group, const std::string& pass) const;
  /// Those that counted none of a group's launches, although it needs them. `measurement` is what became of
  /// it.
  std::vector<Pass> of(const ProfiledGroup& group, const Measurement& measurement) const;
  /// Of these, the ones that another run of the program could count it in: not where its launches wait for
  /// others, nor what cannot be counted at all. Collectives have no roof, with or without counters.
  std::vector<Pass> countable(const ProfiledGroup& group, std::vector<Pass> missing) const;

 private:
  std::string problem_of(std::string_view pass) const;
  bool is_out_of_reach(const ProfiledGroup& group, std::string_view pass) const;

  bool has_collectives_ = false;
  bool counts_nothing_ = false;
  std::set<std::string> counted_;
  std::vector<std::string> problems_;
};

/// Launches that the driver refused. They are in no other number of a run.
class FailedLaunches {
 public:
  /// `subject`: the kernel.
  void add(const std::string& subject, const record::Failed& failed) {
    launches_[{subject, failed.error}] += failed.launches;
  }
  /// One for each kernel and error, those with the most launches first; many kernels share one.
  std::vector<ApplicationProblem> problems() const;

 private:
  std::map<std::pair<std::string, std::string>, std::uint64_t> launches_;  // by kernel and error
};

// What kernels and groups of a profiled program are called in a run.

/// The name of a kernel in a run: its demangled symbol, cut where it is longer than `kMaxSubjectLength`; for
/// a CUDA graph, `CUDA graph <symbol>`.
std::string subject_of(const record::Kernel& kernel);

/// `256`, `16x16`, `4x4x4`
std::string extent_text(const record::Extent& extent);

/// The axes of a group's point: `grid`, `block`, `shared`, `cluster`, `code` and `path`, as far as it has
/// them. `code`: which of the kernels with its name it is (`KernelCodes`); the first has no such axis, so
/// that it has the same name in a run without the others.
Axes axes_of(const record::Group& group, bool is_graph, std::uint64_t code, const std::string& path);

/// What a kernel uses of an SM's resources. Nothing for CUDA graphs, and where it is not known how many
/// blocks fit.
std::optional<KernelResources> resources_of(const record::Kernel& kernel, const record::Group& group);

std::uint64_t volume(const record::Extent& extent);

/// Gathers the processes of a program: who they were, on which hosts, and when they took part in collectives.
class ProcessList {
 public:
  /// The number of a collective's kernel, from 0.
  std::size_t collective(const CollectiveKernel& kernel);

  /// `collectives`: in any order, times on the host's monotonic clock; the newest `kMostCollectives` are
  /// kept, and `kMostHeldCollectives` from the time of the holds; of these, `kMostHolds`.
  void add(const record::Process& process, std::vector<std::size_t> devices,
           std::vector<CollectiveLaunch> collectives, const std::vector<Hold>& holds);

  /// Fills in what an application has of its processes. `zero_ns`: time 0 of the run.
  void complete(Application& application, std::uint64_t zero_ns) const;

 private:
  std::size_t host_of(const record::Process& process);

  std::vector<ProgramHost> hosts_;
  std::vector<CollectiveKernel> kernels_;
  std::map<CollectiveKernel, std::size_t> places_;          // of kernels
  std::multimap<std::uint64_t, ProgramProcess> processes_;  // by start
};

/// Tells kernels with one name apart: compilers that generate code, such as Inductor, give different kernels
/// the same one. They are different if their modules are, or what they need of an SM.
class KernelCodes {
 public:
  /// Which of the kernels with this name, on chips of one kind, it is, in order of appearance, from 1. Where
  /// a module is not known, kernels that need the same are the same. A CUDA graph is always the first: its
  /// name tells it from others.
  std::uint64_t number(const std::string& chip, const std::string& name, const record::Kernel& kernel);

 private:
  std::map<std::pair<std::string, std::string>, std::vector<record::Kernel>> known_;  // by chip and name
};

/// All that ran on a device in the first run.
struct DeviceTimes {
  std::vector<BusyInterval> kernels;    ///< owned by their groups
  std::vector<BusyInterval> held;       ///< set aside from the kernels
  std::vector<BusyInterval> transfers;  ///< owned by their kind
  std::vector<BusyInterval> untraced;   ///< while the trace of a process that uses it was off
  std::vector<BusyInterval> counting;   ///< while a process that uses it was in a pass
  std::map<TransferKind, TransferUse> transfer_uses;
  std::map<std::pair<int, std::uint64_t>, std::size_t> streams;  ///< numbers, by process and stream
};

/// Fills in what each device was used for, how long its groups ran beside others, and which gaps ended with
/// them.
void add_device_uses(std::vector<DeviceTimes>& devices, std::vector<ProfiledGroup>& groups,
                     Application& application);

/// Puts launches of collectives that waited for a rank that was held aside: into `DeviceTimes::held` and out
/// of the times of their groups. How long they took is our doing, not the program's.
void set_held_aside(std::vector<DeviceTimes>& devices, std::vector<ProfiledGroup>& groups,
                    const Holds& holds);

}  // namespace rooflinectl
