// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/analysis.h"

/// What changed from one run, or several, to another (`docs/internals/method.md`, "Statistics when
/// comparing").
namespace rooflinectl {

/// A run, its analysis, and its name among several runs. The analysis points into the run:
/// it is moved, never copied.
struct AnalysedRun {
  AnalysedRun(std::string name_of_run, Run measured)
      : name(std::move(name_of_run)), run(std::move(measured)), analysis(analyse(run)) {}
  /// With an analysis, or the part of one that is needed, that points into the measurements of the run.
  AnalysedRun(std::string name_of_run, Run measured, Analysis analysed)
      : name(std::move(name_of_run)), run(std::move(measured)), analysis(std::move(analysed)) {}
  AnalysedRun(AnalysedRun&&) = default;
  AnalysedRun& operator=(AnalysedRun&&) = default;
  AnalysedRun(const AnalysedRun&) = delete;
  AnalysedRun& operator=(const AnalysedRun&) = delete;
  ~AnalysedRun() = default;

  std::string name;  ///< the file or folder that it was read from
  Run run;
  Analysis analysis;
};

/// Medians that differ by less than this are not significant: within a day, medians of the same kernel on the
/// same GPU drift by a few tenths of a percent from run to run.
inline constexpr double kSmallestTimeChange = 0.01;

/// What became of a point, the most important change first.
enum class PointChange {
  broken,   ///< had a time before, is failed or unverified now
  missing,  ///< had a time before, was not measured now
  slower,   ///< the interval of the change is beyond 1, and the medians differ by more than the threshold
  faster,   ///< the same in the other direction
  fixed,    ///< was failed, unverified or unfinished before, has a time now
  added,    ///< is measured for the first time
  unclear,  ///< the interval of the change is too wide to tell
  timed_differently,  ///< in graphs on one side, launch by launch on the other: neither slower nor faster
  same,     ///< the medians differ by the threshold at most, and the intervals are narrow enough to see it
  untimed,  ///< has a time neither before nor now
};

/// `broken`, `missing`, `slower`, …
std::string_view to_string(PointChange change);

/// A median with its 95 % confidence interval from the noise within runs (of a program's launches, which may
/// differ, the mean: `mean_launch`); for several runs, the geometric mean of these and its interval.
struct TimeInterval {
  double median_s = 0;
  double low_s = 0;
  double high_s = 0;
};

/// The standard deviation of the medians of runs of the same code on the same GPU, relative to their value
/// and beyond the noise within a run, that is assumed where nothing better is known. On an H200 medians drift
/// by a few tenths of a percent within a day.
inline constexpr double kUsualDrift = 0.002;

/// Estimates that deviation from `points` (the medians of each point in each of several base runs), over all
/// points together: the mean square of the deviations of their logarithms less what the intervals of the
/// medians explain. `kUsualDrift` weighs as much as ten more comparisons would, and is all that there is with
/// a single base run.
double drift_between_runs(std::span<const std::vector<TimeInterval>> points);

/// New time over old time.
struct TimeChange {
  TimeInterval from;
  TimeInterval to;
  /// Relative half-width of the 95 % interval that drift between the runs adds to the ratio.
  double drift = 0;

  double ratio() const { return to.median_s / from.median_s; }
  /// Ends of the 95 % interval of the ratio: the two medians and the drift are independent, so their
  /// deviations add up as squares.
  double lowest_ratio() const;
  double highest_ratio() const;
};

/// `slower`, `faster`, `same` or `unclear`, for a threshold of `smallest_change` (0.01 for 1 %).
PointChange classify(const TimeChange& change, double smallest_change);

/// A device of compared runs: its place in `Run::devices` of each, nothing where no device of a run
/// corresponds to it.
struct ComparedDevice {
  std::vector<std::optional<std::size_t>> bases;  ///< of each base run
  std::optional<std::size_t> now;
};

/// One point before and now.
struct PointComparison {
  PointId point;           ///< in the new run, or in the base runs if it is missing
  std::size_t device = 0;  ///< its place in `RunComparison::devices`
  std::string label;       ///< unique within its experiment: with the device where several are compared
  PointChange change = PointChange::untimed;

  std::vector<const RooflinePoint*> bases;  ///< the point in each base run that has a time for it
  /// The point that represents `bases`: the one with the median time (of two, the faster), if possible among
  /// those timed as the point is now. If none has a time, the point as it failed; null if no base run has it.
  const RooflinePoint* base = nullptr;
  const RooflinePoint* now = nullptr;  ///< null where it is missing
  /// The point in repetitions of the new run, where they timed it as the new run did.
  std::vector<const RooflinePoint*> repeats;

  std::optional<TimeChange> time;  ///< where there is one before and now, taken in the same way
  /// Derived quantities that moved: exact ones by a factor of 1.001 or more, and by more than they differ
  /// from launch to launch; all others as between steps of the ladder; for several base runs, the median.
  std::vector<CounterChange> counter_changes;
};

/// Compares `now` with `bases`, the same point in base runs: oldest first, null where a run does not have it;
/// `now` may be null, too, if not all of them are; `repeats` are like `bases`, in repetitions of the new run.
/// `drift` is that between runs (`drift_between_runs`). The device is left to the caller, the label is that
/// of the run, and there are no `counter_changes`, which are most of the work.
PointComparison compare_times(std::vector<const RooflinePoint*> bases, const RooflinePoint* now, double drift,
                              double smallest_change, std::vector<const RooflinePoint*> repeats = {});

/// Something about device, driver, tool or plan that is not what it was.
struct EnvironmentChange {
  std::string name;
  std::string from;  ///< for several base runs, each value once
  std::string to;
};

/// A measured ceiling that moved by 2 % or more, or was measured on one side only.
struct CeilingChange {
  const Ceiling* base = nullptr;
  const Ceiling* now = nullptr;
  std::size_t device = 0;  ///< its place in `RunComparison::devices`
};

/// What became of all kernels of a profiled program on one device together.
struct ProgramComparison {
  /// Its time is that of all launches that were seen, each at the mean of its group; it has no points.
  PointComparison whole;
  std::uint64_t launches_before = 0;  ///< in the last base run
  std::uint64_t launches_now = 0;
};

/// What all launches of a profiled program's kernel take, those that were not traced at the mean of the
/// others, in seconds; 0 for other points.
double whole_time_s(const RooflinePoint& point);

struct RunComparison {
  std::span<const AnalysedRun> baseline;
  std::span<const AnalysedRun> repeats;  ///< of the new run; their times count as much as its own
  const AnalysedRun* now = nullptr;
  double smallest_change = kSmallestTimeChange;
  /// Those of the new run in its order, then those that only base runs have.
  std::vector<ComparedDevice> devices;
  /// In the order of `PointChange`; slower and faster ones with the largest factor first, all others in the
  /// order of the plan. Kernels of a profiled program by the share of its time that they take, or took.
  std::vector<PointComparison> points;
  std::vector<ProgramComparison> programs;
  std::vector<EnvironmentChange> environment;
  std::vector<CeilingChange> ceilings;

  std::size_t count(PointChange change) const {
    return static_cast<std::size_t>(std::ranges::count(points, change, &PointComparison::change));
  }
};

/// `timed in graphs before, launch by launch now`; empty where the point was timed in the same way, or not at
/// all.
std::string timing_difference(const PointComparison& point);

/// Compares `now` with `baseline` (not empty). Points belong together if device,
/// variant, dtype, size, cache state, block size, elements per thread and launch mode are the same, and,
/// where a run measures such a point in several experiments, the experiment. Kernels of profiled programs
/// belong together if kernel, shape and NVTX path are the same, and rank, or number of the process. The
/// result points into both, which must outlive it.
RunComparison compare(std::span<const AnalysedRun> baseline, const AnalysedRun& now,
                      double smallest_change = kSmallestTimeChange);

/// The same for a new run that was repeated: `earlier` has the base runs, `base_runs` of them, and after them
/// the repetitions, which were measured on the same devices.
RunComparison compare_repeated(std::span<const AnalysedRun> earlier, std::size_t base_runs,
                               const AnalysedRun& now, double smallest_change = kSmallestTimeChange);

/// ` device 1` for a place in `RunComparison::devices`, to be added to a name; nothing where only one device
/// is compared.
std::string device_suffix(const RunComparison& comparison, std::size_t device);

/// A device that is of a different model in the new run than in a base run.
struct ModelDifference {
  std::size_t device = 0;  ///< its place in `RunComparison::devices`
  std::string base;        ///< the model in the first base run that has another
  std::string now;
};

/// Empty where every device is compared with one of its own model.
std::vector<ModelDifference> model_differences(const RunComparison& comparison);

/// What differs in driver, tool, plan and each of `comparison.devices` between the new run and every base run
/// that has such a device.
std::vector<EnvironmentChange> environment_changes(const RunComparison& comparison);

/// Which devices of `baseline` correspond to which of `now`: those with the same UUID; among the rest those
/// of the same model, in their order; among the rest any, in their order, so that runs of different models
/// can be compared. The devices of `now` come first, in its order, then those that only base runs have.
std::vector<ComparedDevice> compared_devices(std::span<const AnalysedRun> baseline, const AnalysedRun& now);

/// One point in several runs.
struct MatchedPoint {
  std::vector<const RooflinePoint*> bases;  ///< in each base run; null where it has none
  const RooflinePoint* now = nullptr;       ///< null where the new run has none
  std::size_t device = 0;                   ///< its place among the compared devices
};

/// Which points of the runs belong together, as for `compare`; `devices` are those of the same runs. The
/// order is that of the new run; points that it does not have come last.
std::vector<MatchedPoint> matched_points(std::span<const AnalysedRun> baseline, const AnalysedRun& now,
                                         const std::vector<ComparedDevice>& devices);

/// What became of a kernel from one run of a program to another.
enum class KernelChange {
  changed,      ///< both runs have the group
  introduced,   ///< only the new run has the kernel
  eliminated,   ///< only the base run has it
  only_now,     ///< only the new run has these groups of a kernel that both have
  only_before,  ///< only the base run has them
  reshaped,     ///< each run has groups of the kernel, with other shapes or ranges, that the other lacks
  rest,         ///< all that are not listed
};

/// `changed`, `introduced`, …
std::string_view to_string(KernelChange change);

/// A part of what a program gained or lost.
struct WaterfallStep {
  std::string label;  ///< of the group, or of the kernel where it is a sum of groups; empty for the rest
  KernelChange kind = KernelChange::changed;
  double change_s = 0;     ///< above 0 where time was lost
  std::size_t groups = 0;  ///< that it sums
};

/// From the time that all kernels of a program took to the time that they take now.
struct Waterfall {
  const ProgramComparison* program = nullptr;
  std::vector<WaterfallStep> steps;  ///< the largest first, the rest last; they add up to the whole change
};

/// One for each of `comparison.programs`, with at most `most` steps besides the rest, none of them below a
/// ten-thousandth of the time before. A group counts with all launches that were seen at the median, as in
/// `ProgramComparison::whole`.
std::vector<Waterfall> waterfalls(const RunComparison& comparison, std::size_t most);

}  // namespace rooflinectl
