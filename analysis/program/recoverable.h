// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/program/range_tree.h"

/// Where the GPU time of a profiled program went, and how much of it lies above the roofs of its kernels
/// (docs/internals/method.md, “Recoverable time”).
namespace rooflinectl {

// What one kernel could save in place of several that go over the same data one after another.

/// DRAM-bound kernels with few operations, of one launch shape, that take nearly all of the time within an
/// NVTX range: as the passes of an optimizer over its parameters do.
struct FusionSaving {
  std::string path;                           ///< of the range
  std::vector<const RooflinePoint*> kernels;  ///< the one that took longest first
  double total_s = 0;                         ///< of their traced launches
  double bytes = 0;  ///< that one pass of each moves through DRAM, as often as it runs, together
  double fewest_bytes =
      0;  ///< of these, those of the pass that moves most: one kernel needs at least as many
  /// The most that one kernel could save: the part of the time for the bytes beyond.
  double recoverable_s = 0;
  std::optional<double> recoverable_per_step_s;  ///< nothing where the number of steps is unknown
};

/// The one that could save most among `groups`, which are all of a program on its device. Nothing where there
/// are none.
std::optional<FusionSaving> fusion_saving(const std::vector<const RooflinePoint*>& groups,
                                          std::optional<double> steps);

/// Sets `launches` of the kernels of a profiled program among `points`, which are all of those on `device`.
void set_launches(std::vector<RooflinePoint>& points, const Run& run, std::size_t device);

/// Copies, or sets, of one kind, and how well they use the link or memory that they run on.
struct TransferRate {
  const TransferUse* use = nullptr;
  /// Nothing where they are so small, in the mean, that each is mostly overhead.
  std::optional<double> bytes_per_s;
  /// The fraction of the ceiling for what they do: that of the link to the host (pinned memory), or of DRAM,
  /// where a copy within the device reads and writes each byte. Nothing for copies between devices.
  std::optional<double> fraction;
  std::string_view ceiling;  ///< its id
};

/// What ran after a device had been idle.
struct IdleBefore {
  const RooflinePoint* group = nullptr;   ///< or
  const TransferUse* transfer = nullptr;  ///< copies or sets of one kind
  std::uint64_t gaps = 0;
  double idle_s = 0;
  double share = 0;  ///< of all idle time
};

/// The cause of most of the idle time, judged by the lengths of the gaps.
enum class IdleCause {
  unclear,           ///< too little idle time to matter, or no length has most of it
  launches,          ///< gaps below 100 µs: the host launches no faster, or each launch is short
  between_launches,  ///< gaps of 100 µs to 1 ms
  elsewhere,         ///< gaps of 1 ms and more
};

/// When nothing ran on a device although nothing was counted.
struct IdleUse {
  const UndisturbedUse* undisturbed = nullptr;
  std::vector<IdleGaps> gaps;  ///< by length, those that come again and again
  IdleGaps beside_steps;       ///< all others, in which it starts, ends or pauses; none if `count` is 0
  double idle_s = 0;           ///< in `gaps`
  double share = 0;            ///< of the undisturbed time
  IdleCause cause = IdleCause::unclear;
  std::uint64_t cause_gaps = 0;    ///< how many gaps have the lengths of that cause
  double cause_share = 0;          ///< of the idle time
  std::vector<IdleBefore> before;  ///< most idle time first
};

/// How long kernels of collectives do nothing but wait for the rank that comes last.
struct CollectiveWaiting {
  double wait_s = 0;           ///< of `DeviceUse::busy_s`, while no other kernel ran
  std::string last;            ///< the rank for which the others wait longest: `rank 1`
  double last_share = 0;       ///< of the waiting of all ranks
  double last_slow_share = 0;  ///< of that rank's time in other kernels, what they took beyond the others'
  bool is_one_late = false;    ///< that rank, mostly; else the ranks take turns arriving last
  std::string second;          ///< the one for which they wait longest after it
  double second_share = 0;
};

/// The fewest kernels that take most of the time in steps.
struct Concentration {
  std::size_t kernels = 0;
  double share = 0;
};

/// What a program's kernels used of one device.
struct ProgramUse {
  /// The time of all kernels: the sum over groups, or what the trace has beyond them (filtered kernels).
  double kernel_s = 0;
  double in_steps_s = 0;  ///< of `kernel_s`, what belongs to its steps; all of it if there are none
  std::size_t groups_beside_steps = 0;
  std::vector<const RooflinePoint*> groups;       ///< the one that took longest first
  std::vector<const RooflinePoint*> recoverable;  ///< those with recoverable time in steps, most first
  /// Imported ones with a roof over a part of their work; the one that took longest first.
  std::vector<const RooflinePoint*> partly_counted;
  Concentration concentration;
  std::size_t kernels = 0;        ///< different ones, whatever their shapes
  std::uint64_t launches = 0;     ///< of all groups
  std::uint64_t untimed = 0;      ///< of these, because they were not traced
  std::uint64_t collectives = 0;  ///< of all launches, those of collectives
  std::uint64_t held = 0;         ///< of these, those that waited for a rank that was held to be counted
  double held_s = 0;              ///< the time of these, which is in no other time
  double counted_share = 0;       ///< of `in_steps_s`, of groups with everything counted that a roof needs
  double roofless_share = 0;  ///< of `in_steps_s`, of groups without a roof: left out of what is recoverable
  std::size_t short_groups = 0;      ///< of launches that are too short to be worth a faster kernel
  std::uint64_t short_launches = 0;  ///< their number, and the time of those that were traced
  double short_s = 0;
  double overlapped_share = 0;        ///< of the time of all kernels, while another ran too
  std::size_t gpus = 1;               ///< that total times and launches are sums over
  bool is_part = false;               ///< whether the program had more of them
  const DeviceUse* device = nullptr;  ///< null in a run that does not have it
  std::optional<IdleUse> idle;        ///< nothing where something was counted all the time
  std::vector<TransferRate> transfers;
  std::optional<FusionSaving> fusion;        ///< the one that could save most
  std::optional<CollectiveWaiting> waiting;  ///< of several ranks
  /// In the order of a tree: a range, then those inside of it; siblings with the longest first.
  std::vector<RangeUse> ranges;
  RangeUse outside;  ///< what ran in no range; its path is empty
  /// The range that tells how long a step takes: among the outermost ones that repeat, the one with most of
  /// the time, except NCCL's functions, of which a step has many. Null where none repeats, where the host
  /// launches ahead of the GPU, and in older runs.
  const RangeTimes* step = nullptr;
  double tensor_share = 0;  ///< of `in_steps_s`, of groups that executed operations on Tensor Cores
  double tensor_use = 0;    ///< of `in_steps_s`, the time that these operations need at the measured ceilings
  double tensor_unknown_share = 0;  ///< of `in_steps_s`, of groups for which they were not counted

  /// The share of the time in which anything ran that did not just wait for another rank: of the undisturbed
  /// time if there is any, else of what the trace covered. Nothing without `device`.
  std::optional<double> busy_share() const;
  /// The share of that time in which collectives did nothing but wait; nothing was idle then.
  double waiting_share() const;
  /// The time that it is a share of.
  double watched_s() const;
};

/// The time of the kernels in steps with one bound.
struct TimeLimit {
  Bound bound = Bound::unknown;
  double in_steps_s = 0;
  double share = 0;                          ///< of the program's `in_steps_s`
  double recoverable_s = 0;                  ///< of those with a roof
  std::vector<const RooflinePoint*> groups;  ///< the one that took longest first
};

/// What a kernel could save in several shapes together.
struct KernelSaving {
  std::vector<const RooflinePoint*> groups;  ///< the one with most recoverable time first
  double recoverable_s = 0;
  std::optional<double> recoverable_per_step_s;
};

/// The kernels, up to two, that could save notably more in their shapes together than any one group could,
/// the one that could save most first.
std::vector<KernelSaving> kernel_savings(const ProgramUse& program);

/// The time of a program's steps by what bounds its kernels, what takes most of it first.
std::vector<TimeLimit> time_by_limit(const ProgramUse& program);

/// Nothing if no point of `experiment` is a kernel of a profiled program. The result points into both.
std::optional<ProgramUse> program_use(const Run& run, const ExperimentAnalysis& experiment);

/// Whether everything was counted that the roof over a kernel of a profiled program needs.
bool is_fully_counted(const Measurement& measurement);

// Where to begin: everything that costs a program time, whatever its kind, compared by the same time.

/// What a loss is a share of.
struct LossBasis {
  /// A step, if the program has steps; else the time in which its traced kernels ran, idle time included.
  double time_s = 0;
  bool is_step = false;
};

LossBasis loss_basis(const ProgramUse& program);

/// The share of that time in which kernels ran that have `in_steps_s` of the program's `in_steps_s`.
double time_share(const ProgramUse& program, double in_steps_s);

/// The share of the time that these kernels could save, each by reaching its roof.
double saving_share(const ProgramUse& program, double recoverable_s,
                    const std::optional<double>& recoverable_per_step_s);
double saving_share(const ProgramUse& program, const LaunchUse& launches);

enum class LossKind {
  waiting,  ///< in collectives, for the rank that comes last
  idle,
  fusion,          ///< several kernels where one would do
  short_launches,  ///< so many that fewer would save notable time
  groups,          ///< one kernel in several launch groups
  kernel,
};

struct Loss {
  LossKind kind = LossKind::kernel;
  double share = 0;                          ///< of the time of `LossBasis`
  std::vector<const RooflinePoint*> groups;  ///< the kernels that could save it, if any; the most first
};

/// The largest first. A kernel that is listed for several launch groups is not listed for each.
std::vector<Loss> losses(const ProgramUse& program);

}  // namespace rooflinectl
