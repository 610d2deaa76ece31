// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/roofline/bound.h"
#include "core/enum_names.h"
#include "core/model/run.h"

/// What the counts and times of a run mean.
namespace rooflinectl {

/// A level of the memory hierarchy, farthest from the SM's registers first.
enum class MemoryLevel { dram, l2, l1, shared };
inline constexpr auto kMemoryLevels = kEnumerators<MemoryLevel>;

/// The id of a ceiling, or the ids of those that are mixed. Half of the rate of a ceiling is `f16_fma / 2`.
using CeilingIds = std::vector<std::string>;

/// The roof over one point: what the device could attain at the point's useful intensity. For a kernel of a
/// profiled program, which has nothing declared, what it could attain with the work that was counted.
struct Roof {
  double time_s = 0;      ///< the shortest time in which the declared, or counted, work could be done
  double flop_per_s = 0;  ///< 0 where the work has no flops (an integer sum)
  /// What needs that time: a memory level, NVLink, or a pipe.
  Bound resource = Bound::dram;
  CeilingIds ceilings;  ///< those that set it: that of the level or those of the pipe below, or `nvlink`
  /// The level whose part of the declared bytes takes longest: DRAM, or L2 where a cache serves the point.
  MemoryLevel level = MemoryLevel::dram;
  /// The declared bytes over the time that this level needs: its ceiling, where it delivers all of them.
  double memory_bytes_per_s = 0;
  std::string memory_ceiling;     ///< id of the ceiling of that level: `dram_read`, `l2_read`
  double compute_flop_per_s = 0;  ///< the compute ceiling of the operation mix; 0 where there are no flops
  CeilingIds compute_ceilings;    ///< `f32_add`; `f32_fma` and `f32_add` for a mix
  double relative_spread = 0;     ///< of the ceiling that limits
  /// Whether only a part of the work was counted: the launch is at least as close to its roof as shown.
  bool is_partly_counted = false;
};

/// What a launch of a profiled program asks of one resource of the device, as counted.
struct ResourceUse {
  Bound resource = Bound::unknown;  ///< a memory level, or a pipe
  double amount = 0;                ///< bytes, operations, or instructions where their operations are unknown
  std::optional<double> time_s;     ///< the least that it takes, at the ceiling
  CeilingIds ceilings;              ///< none where no time is known, or nothing is asked of it
  double relative_spread = 0;       ///< of the ceiling; the largest of a mix
  /// Why `time_s` is unknown; empty where it is known.
  std::string missing;
  /// Where it is unknown: an upper bound, from the instructions that its pipe executed, and a lower one, from
  /// those of its operations that were counted.
  std::optional<double> most_time_s;
  double least_time_s = 0;
  /// Which ceiling stands in for one of the products that a kernel multiplies, of which none was measured:
  /// `f16_tensor for FP16 products with FP16 sums`. Of DRAM, which one for a mix of reads and writes that is
  /// unknown: `dram_read, the highest of DRAM`. Empty where none does.
  std::string stands_in;
  /// Of the Tensor Cores, whose ceilings are the fastest of a short burst: the least time at the SM clock of
  /// the launches that were counted, and at the rate that products sustain under the power cap. Nothing where
  /// that is not known.
  std::optional<double> time_at_clock_s;
  std::optional<double> sustained_time_s;

  /// The time that it takes for sure.
  double known_time_s() const { return time_s.value_or(least_time_s); }
};

/// A 95 % confidence interval.
struct Interval {
  double low = 0;
  double high = 0;
};

/// How a point uses one level of the memory hierarchy; counted.
struct LevelUse {
  MemoryLevel level = MemoryLevel::dram;
  double bytes = 0;
  /// Useful operations per byte of this level, executed ones where nothing is declared; nothing without
  /// either.
  std::optional<double> ai;
  std::string ceiling;                ///< id of the measured ceiling; empty if it is missing
  std::optional<double> utilisation;  ///< the time that the traffic takes at that ceiling, over the time
};

/// What to know about a point before believing its numbers.
enum class Flag {
  failed,
  unverified,
  skipped,
  noisy,
  throttled,
  power_capped,
  cache_resident,
  above_roof,
  declared,        ///< nothing was counted
  not_counted,     ///< the same for a kernel of a profiled program, which has nothing declared either
  partly_counted,  ///< of an imported kernel: % of roofline, intensity and FLOP/s are lower bounds
  not_repeatable,  ///< the launch does not execute the same instructions every time
  implausible,     ///< see `RooflinePoint::implausible`
};

/// `noisy`, `power-capped`, …
std::string_view to_string(Flag flag);

/// The names of `flags`.
std::vector<std::string_view> names_of(const std::vector<Flag>& flags);

struct Quantity;  // analysis/roofline/quantities/quantities.h

struct QuantityValue {
  const Quantity* quantity = nullptr;
  double value = 0;
};

struct GroupOperators;  // analysis/program/operators.h

/// All launches of a point by a profiled program: those of one kernel with one shape under the same NVTX
/// ranges.
struct LaunchUse {
  double total_s = 0;  ///< of the launches that the trace saw
  double share = 0;    ///< of the time of all kernels on the device
  /// `total_s`, or 0 if the launches are in a range that never came while the program's steps were timed,
  /// such as a compiler's trials before the first one.
  double in_steps_s = 0;
  /// What these launches took beyond the roof, and beyond the time of short ones: total · (1 − fraction of
  /// roofline), or total · (1 − 3 µs / time) if that is less, never below 0. Nothing without a roof for all
  /// of its work.
  std::optional<double> recoverable_s;
  std::optional<Interval> recoverable_interval_s;  ///< from `RooflinePoint::fraction_interval`
  /// What of that falls on one step: that of a launch, times the launches per step. Nothing where the number
  /// of steps is unknown.
  std::optional<double> recoverable_per_step_s;
  /// Whether other kernels ran meanwhile for so much of the time that the program may gain less than the
  /// kernel does.
  bool is_overlapped = false;
  /// Whether a launch is so short (`is_short_launch`) that a faster kernel would save nothing.
  bool is_short = false;
  /// Who launched them, according to a trace of PyTorch. Null without one.
  const GroupOperators* operators = nullptr;
};

/// A number of a point that cannot be right: a fraction above 1 beyond the spread.
struct Implausible {
  double fraction = 0;
  std::string of;     ///< `roofline`, or the id of the ceiling that the utilisation is of
  std::string cause;  ///< the likely one

  /// `102.4 % of l2_read: …`
  std::string text() const;
};

/// One measurement on the roofline. Rates are those of the median time; where several GPUs share the work,
/// work and rates are those of one of them.
struct RooflinePoint {
  const Measurement* measurement = nullptr;  ///< of the analysed run, which must outlive this
  std::string label;   ///< unique within its experiment: `V3`, `V6 b128`, `V3 2^20`, `softmax<f32>`
  std::string kernel;  ///< in a profiled program, its short name, with which the label begins; else empty
  std::string family;
  const CompiledKernel* compiled = nullptr;  ///< of the run; null unless it is a kernel from a file

  /// Type of the operations, which is that of the accumulator: f32 for a sum of f16. Rates of an integer type
  /// are integer operations per second, also in fields named after FLOPs.
  Dtype precision = Dtype::f32;
  double flops_useful = 0;          ///< declared by the algorithm
  double dram_bytes_useful = 0;     ///< declared: compulsory traffic
  std::optional<double> ai_useful;  ///< FLOP per byte; nothing without flops

  /// Counted, in the precision of the accumulator, and on Tensor Cores. Nothing where operations ran that the
  /// counters cannot see; of an imported kernel, those that the report has.
  std::optional<double> flops_executed;
  /// Why there is no `flops_executed`, or why it is only a part of them; empty where it is all of them, and
  /// for integers.
  std::string executed_missing;
  std::optional<double> dram_bytes;  ///< counted
  /// Counted FLOP per counted byte. Nothing if launches differ so much that those whose operations were
  /// counted, and those whose bytes were, tell nothing of each other.
  std::optional<double> ai_executed;
  std::optional<double> redundancy;  ///< flops_executed / flops_useful

  std::optional<double> flop_per_s;           ///< useful; nothing without flops
  std::optional<double> executed_flop_per_s;  ///< counted
  std::optional<double> useful_bytes_per_s;   ///< effective bandwidth: compulsory bytes, not counted ones
  std::optional<double> dram_bytes_per_s;     ///< counted

  std::optional<Roof> roof;              ///< from the measured ceilings
  std::string roof_missing;              ///< why there is no `roof`, or why it is partly counted; else empty
  std::optional<Roof> theoretical_roof;  ///< from the theoretical ceilings, compute at the point's own clock
  std::optional<double> fraction_of_roofline;     ///< time of `roof` over the median time
  std::optional<double> fraction_of_theoretical;  ///< time of `theoretical_roof` over the median time
  /// Of a program's kernel: intervals from those of its mean time and of the mean work of its launches, of
  /// which some were counted. Nothing where only one was.
  std::optional<Interval> fraction_interval;  ///< of `fraction_of_roofline`
  std::optional<Interval> executed_flop_per_s_interval;

  /// If it has executed work alone, what a launch asks of each resource: those that need longest first, then
  /// what is unknown. Else empty: see `verdict`.
  std::vector<ResourceUse> resources;
  std::optional<LaunchUse> launches;  ///< of a kernel of a profiled program

  /// The levels whose traffic was counted, in the order of `kMemoryLevels`.
  std::vector<LevelUse> levels;
  /// The memory level with the highest utilisation; nothing if no level has a ceiling.
  std::optional<MemoryLevel> busiest_level;

  Bound bound = Bound::unknown;  ///< `verdict.bound`
  BoundVerdict verdict;
  /// The known ones of `compared_quantities`, in the same order.
  std::vector<QuantityValue> quantities;
  /// In the order of `Flag`.
  std::vector<Flag> flags;
  /// The evidence for `throttled`, `power-capped` and `not-repeatable`, and how launches differ in their
  /// times, or which DRAM bytes are not its own: a sentence each.
  std::vector<std::string> evidence;
  /// They are shown as they are, never clamped.
  std::vector<Implausible> implausible;
};

/// A compared quantity that differs between two points.
struct CounterChange {
  const Quantity* quantity = nullptr;
  double from = 0;
  double to = 0;

  /// `fewer instructions`
  std::string_view meaning() const;
};

/// A step from one version to the next (plan order) within a family, at equal elements per thread where both
/// have a number of them, or from one such number to the next within a version: same experiment, kind of
/// output and values of all other axes, both timed.
struct LadderStep {
  const RooflinePoint* from = nullptr;
  const RooflinePoint* to = nullptr;
  double speedup = 0;  ///< time of `from` over time of `to`
  /// Changes by a factor of 1.05 or more, for a ratio also by 0.01 or more; those that explain the time
  /// first.
  std::vector<CounterChange> counter_changes;
};

/// The points of one experiment on one device, in plan order: one that was measured on several devices has an
/// analysis for each, named after it, since points are compared with the roofs of their own device. Steps
/// point into `points`: it is moved, never copied.
struct ExperimentAnalysis {
  ExperimentAnalysis() = default;
  ExperimentAnalysis(ExperimentAnalysis&&) = default;
  ExperimentAnalysis& operator=(ExperimentAnalysis&&) = default;

  std::string name;
  std::string title;
  std::size_t device = Run::kFirstDevice;  ///< of all points: its place in `Run::devices`
  std::size_t gpus = 1;                    ///< more than one: points are of this many GPUs together
  bool is_part = false;                    ///< whether the program had more GPUs than these
  std::vector<RooflinePoint> points;
  /// Labels of the plan's points for which the run has no measurement on this device. What was measured on
  /// none of the experiment's devices is named once, with the first.
  std::vector<std::string> missing;
  std::vector<LadderStep> steps;
};

struct Analysis {
  std::vector<ExperimentAnalysis> experiments;
};

/// Derives everything above for every measurement: first the plan's points in its order, then all others.
/// Does not throw on missing counters, times or ceilings: what cannot be derived is absent.
Analysis analyse(const Run& run);

/// Whether a program that was profiled launched the point: nothing is declared about its work.
bool is_observed(const Measurement& measurement);
/// Whether it is judged by what it executed: it is observed, or a kernel from a file whose plan declares no
/// work.
bool has_executed_work_alone(const Measurement& measurement);
inline bool is_observed(const RooflinePoint& point) {
  return is_observed(*point.measurement);
}
inline bool has_executed_work_alone(const RooflinePoint& point) {
  return has_executed_work_alone(*point.measurement);
}

/// What `point` asks of `resource`; null where it has no such entry.
const ResourceUse* find_use(const RooflinePoint& point, Bound resource);

/// How `point` uses `level`; null if that was not counted, or without a level.
const LevelUse* find_level(const RooflinePoint& point, std::optional<MemoryLevel> level);

/// A ceiling of the device in both its forms.
struct CeilingPair {
  const Ceiling* measured = nullptr;     ///< null where it was not measured
  const Ceiling* theoretical = nullptr;  ///< null where none is known; for DRAM the same in every direction
  /// The theoretical value at the SM clock of the measurement; for DRAM and L2, which have clocks of their
  /// own, the theoretical value itself.
  std::optional<double> theoretical_at_clock;
  std::optional<double> fraction;  ///< measured over `theoretical_at_clock`
  /// Why the measured value should not be trusted: counters do not confirm it, or it lies above the
  /// theoretical one, with the likely cause. Empty if there is no reason.
  std::vector<std::string> findings;
};

/// Every ceiling of a run: memory levels first, from DRAM to shared memory, then compute by precision, then
/// latencies; each by id.
std::vector<CeilingPair> ceiling_pairs(const Run& run);

}  // namespace rooflinectl
