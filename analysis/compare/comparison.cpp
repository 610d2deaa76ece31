// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare/comparison.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "analysis/roofline/point.h"
#include "core/stats/statistics.h"

namespace rooflinectl {

namespace {

/// Exact quantities that moved by less differ in how a few threads at the edge were counted.
constexpr double kSmallestExactFactor = 1.001;
constexpr double kSmallestCeilingChange = 0.02;

// ---- what became of the points ----

bool has_time(const RooflinePoint* point) {
  return point != nullptr && is_timed(*point->measurement);
}

/// How many comparisons between runs the usual drift counts as.
constexpr double kWeightOfUsualDrift = 10;

TimeInterval time_of(const RooflinePoint* point) {
  const LaunchTime time = mean_launch(*point->measurement);
  return {time.time_s, time.low_s, time.high_s};
}

/// The `bases` (all have a time) that were timed in the same way as `now`.
std::vector<const RooflinePoint*> timed_like(const RooflinePoint* now,
                                             std::vector<const RooflinePoint*> bases) {
  std::erase_if(bases, [&](const RooflinePoint* base) {
    return launch_mode(*base->measurement->time) != launch_mode(*now->measurement->time);
  });
  return bases;
}

std::vector<TimeInterval> times_of(const std::vector<const RooflinePoint*>& points) {
  std::vector<TimeInterval> times;
  for (const RooflinePoint* point : points) times.push_back(time_of(point));
  return times;
}

/// The geometric mean of the times (not empty), with the interval of a mean of independent values.
TimeInterval pooled(const std::vector<TimeInterval>& times) {
  double mean = 0;
  double below = 0;
  double above = 0;
  for (const TimeInterval& time : times) {
    mean += std::log(time.median_s / times.front().median_s);  // no rounding where all are equal
    below += std::pow(std::log(time.median_s / time.low_s), 2);
    above += std::pow(std::log(time.high_s / time.median_s), 2);
  }
  const auto n = static_cast<double>(times.size());
  const double median_s = times.front().median_s * std::exp(mean / n);
  return {median_s, median_s * std::exp(-std::sqrt(below) / n), median_s * std::exp(std::sqrt(above) / n)};
}

/// The compared quantities that every one of `points` (not empty) has, each the median of all.
std::vector<QuantityValue> pooled_quantities(const std::vector<const RooflinePoint*>& points) {
  std::vector<QuantityValue> pooled;
  for (const QuantityValue& quantity : points.front()->quantities) {
    std::vector<double> values;
    for (const RooflinePoint* point : points) {
      for (const QuantityValue& other : point->quantities) {
        if (other.quantity == quantity.quantity) values.push_back(other.value);
      }
    }
    if (values.size() == points.size()) pooled.push_back({quantity.quantity, median(values)});
  }
  return pooled;
}

PointChange change_without_times(const PointComparison& point) {
  const bool was_timed = !point.bases.empty();
  if (point.now == nullptr) return was_timed ? PointChange::missing : PointChange::untimed;
  const bool is_timed_now = has_time(point.now);
  if (was_timed) return PointChange::broken;
  if (!is_timed_now) return PointChange::untimed;
  return point.base == nullptr ? PointChange::added : PointChange::fixed;
}

/// The fastest first.
std::vector<const RooflinePoint*> timed_bases(std::vector<const RooflinePoint*> bases) {
  std::erase_if(bases, [](const RooflinePoint* point) { return !has_time(point); });
  std::ranges::stable_sort(bases, {},
                           [](const RooflinePoint* point) { return time_per_launch_s(*point->measurement); });
  return bases;
}

/// The smallest factor that is a change of a count, and not a difference from launch to launch.
double smallest_exact_factor(const PointComparison& point) {
  double spread = 0;
  for (const RooflinePoint* base : point.bases) {
    spread = std::max(spread, largest_count_spread(*base->measurement));
  }
  return std::max(kSmallestExactFactor, 1 + spread + largest_count_spread(*point.now->measurement));
}

/// Those of quantities that every base run has.
void set_counter_changes(PointComparison& compared) {
  if (compared.bases.empty() || !has_time(compared.now)) return;
  compared.counter_changes = counter_changes(pooled_quantities(compared.bases), compared.now->quantities,
                                             smallest_exact_factor(compared));
  if (compared.time) {
    const bool is_slower = compared.time->ratio() > 1;
    sort_by_explanation(compared.counter_changes, 1 / compared.time->ratio(),
                        (is_slower ? compared.now : compared.bases.front())->bound);
  }
}

/// The medians of a point in those of `runs` that timed it in the same way.
std::vector<TimeInterval> repeated_times(const std::vector<const RooflinePoint*>& runs) {
  const auto timed = timed_bases(runs);
  return timed.empty() ? std::vector<TimeInterval>() : times_of(timed_like(timed.front(), timed));
}

/// A point of repeated runs: those of the base and, apart from them, those of the new side.
struct RepeatedPoint {
  std::vector<const RooflinePoint*> bases;
  std::vector<const RooflinePoint*> repeats;
};

RepeatedPoint split(const MatchedPoint& match, std::size_t base_runs) {
  const auto middle = match.bases.begin() + static_cast<std::ptrdiff_t>(base_runs);
  return {{match.bases.begin(), middle}, {middle, match.bases.end()}};
}

/// What runs of the same code show of the drift between runs.
double observed_drift(const std::vector<MatchedPoint>& matched, std::size_t base_runs) {
  std::vector<std::vector<TimeInterval>> points;
  for (const MatchedPoint& match : matched) {
    RepeatedPoint point = split(match, base_runs);
    if (!point.repeats.empty()) point.repeats.push_back(match.now);
    points.push_back(repeated_times(point.bases));
    points.push_back(repeated_times(point.repeats));
  }
  return drift_between_runs(points);
}

/// Relative half-width of the 95 % interval that drift adds to the ratio of means of so many runs.
double drift_of_ratio(double drift, std::size_t base_runs, std::size_t new_runs) {
  const double variance = 1 / static_cast<double>(base_runs) + 1 / static_cast<double>(new_runs);
  return kNormal95 * drift * std::sqrt(variance);
}

/// The logarithm of the factor by which the time changed, up or down; 0 where the change is not significant.
/// For a program's kernel, the time of all launches that was gained or lost.
double effect(const PointComparison& point) {
  const double before_s = point.base != nullptr ? whole_time_s(*point.base) : 0;
  const double now_s = point.now != nullptr ? whole_time_s(*point.now) : 0;
  if (before_s > 0 || now_s > 0) return std::abs(now_s - before_s);
  if (point.change != PointChange::slower && point.change != PointChange::faster) return 0;
  return std::abs(std::log(point.time->ratio()));
}

bool point_comes_before(const PointComparison& a, const PointComparison& b) {
  return a.change != b.change ? a.change < b.change : effect(a) > effect(b);
}

// ---- programs ----

struct ProgramTotal {
  double time_s = 0;
  double below_s = 0;  ///< to the lower end of the interval of that sum, and to the upper one
  double above_s = 0;
  std::uint64_t launches = 0;
  std::string name;

  TimeInterval interval() const { return {time_s, time_s * time_s / (time_s + below_s), time_s + above_s}; }
};

ProgramTotal total_of(const AnalysedRun& run, std::size_t device) {
  ProgramTotal total;
  for (const ExperimentAnalysis& experiment : run.analysis.experiments) {
    for (const RooflinePoint& point : experiment.points) {
      if (!is_observed(point) || point.measurement->device != device) continue;
      total.time_s += whole_time_s(point);
      total.launches += point.measurement->launches->count;
      if (has_time(&point)) {
        // The groups are independent of each other.
        const TimeInterval each = time_of(&point);
        const auto launches = static_cast<double>(point.measurement->launches->count);
        total.below_s = std::hypot(total.below_s, launches * (each.median_s - each.low_s));
        total.above_s = std::hypot(total.above_s, launches * (each.high_s - each.median_s));
      }
      total.name = point.measurement->point.experiment;
    }
  }
  return total;
}

/// For each device on which a program ran before and now.
std::vector<ProgramComparison> compare_programs(const RunComparison& comparison, double drift) {
  std::vector<ProgramComparison> programs;
  for (std::size_t device = 0; device < comparison.devices.size(); ++device) {
    const ComparedDevice& compared = comparison.devices[device];
    if (!compared.now) continue;
    const ProgramTotal now = total_of(*comparison.now, *compared.now);
    std::vector<TimeInterval> before;
    std::vector<TimeInterval> after = {now.interval()};
    for (const AnalysedRun& repeat : comparison.repeats) {
      const ProgramTotal total = total_of(repeat, *compared.now);
      if (total.time_s > 0) after.push_back(total.interval());
    }
    ProgramComparison program;
    for (std::size_t base = 0; base < compared.bases.size(); ++base) {
      if (!compared.bases[base]) continue;
      const ProgramTotal total = total_of(comparison.baseline[base], *compared.bases[base]);
      if (!(total.time_s > 0)) continue;
      before.push_back(total.interval());
      program.launches_before = total.launches;
    }
    if (before.empty() || !(now.time_s > 0)) continue;
    program.launches_now = now.launches;
    program.whole.point = {now.name, "all kernels", {}};
    program.whole.device = device;
    program.whole.label = fmt::format("all kernels of {}{}", now.name, device_suffix(comparison, device));
    program.whole.time =
        TimeChange{pooled(before), pooled(after), drift_of_ratio(drift, before.size(), after.size())};
    program.whole.change = classify(*program.whole.time, comparison.smallest_change);
    programs.push_back(std::move(program));
  }
  return programs;
}

/// A kernel that only one run has in this shape may have the name that another has in the other run.
void tell_apart(RunComparison& comparison) {
  std::vector<PointComparison>& points = comparison.points;
  std::map<std::string_view, int> counts;
  for (const PointComparison& point : points) ++counts[point.label];
  std::vector<std::string> labels;
  for (const PointComparison& point : points) {
    const RooflinePoint& shown = point.now != nullptr ? *point.now : *point.base;
    labels.push_back(counts.at(point.label) > 1 && is_observed(shown)
                         ? fmt::format("{}{}{}", shown.kernel, kernel_details(shown),
                                       device_suffix(comparison, point.device))
                         : point.label);
  }
  for (std::size_t i = 0; i < points.size(); ++i) points[i].label = std::move(labels[i]);
}

// ---- ceilings ----

/// On the devices that both runs have; `base` is the last base run.
std::vector<CeilingChange> ceiling_changes(const Run& base, const Run& now,
                                           const std::vector<ComparedDevice>& devices) {
  std::vector<CeilingChange> changes;
  const auto is_measured_on = [](const Ceiling& ceiling, std::size_t place) {
    return ceiling.source == CeilingSource::measured && ceiling.device == place;
  };
  for (std::size_t device = 0; device < devices.size(); ++device) {
    const auto place_before = devices[device].bases.back();
    const auto place_now = devices[device].now;
    if (!place_before || !place_now) continue;
    for (const Ceiling& ceiling : now.ceilings) {
      if (!is_measured_on(ceiling, *place_now)) continue;
      const Ceiling* before = find_ceiling(base, ceiling.id, CeilingSource::measured, *place_before);
      if (before == nullptr || std::abs(ceiling.value / before->value - 1) >= kSmallestCeilingChange) {
        changes.push_back({before, &ceiling, device});
      }
    }
    for (const Ceiling& ceiling : base.ceilings) {
      if (!is_measured_on(ceiling, *place_before)) continue;
      if (find_ceiling(now, ceiling.id, CeilingSource::measured, *place_now) == nullptr) {
        changes.push_back({&ceiling, nullptr, device});
      }
    }
  }
  return changes;
}

std::string model_of(const DeviceInfo& device) {
  return device.name.empty() ? "an unknown GPU" : device.name;
}

}  // namespace

double whole_time_s(const RooflinePoint& point) {
  const auto& launches = point.measurement->launches;
  return launches && has_time(&point)
             ? static_cast<double>(launches->count) * time_per_launch_s(*point.measurement)
             : 0;
}

std::string_view to_string(PointChange change) {
  return separated_name<'-'>(change);
}

double drift_between_runs(std::span<const std::vector<TimeInterval>> points) {
  double squares = 0;
  double within = 0;
  double comparisons = 0;
  for (const std::vector<TimeInterval>& times : points) {
    if (times.size() < 2) continue;
    const double center = std::log(pooled(times).median_s);
    const auto runs = static_cast<double>(times.size());
    for (const TimeInterval& time : times) {
      const double noise = std::log(time.high_s / time.low_s) / 2 / kNormal95;
      squares += std::pow(std::log(time.median_s) - center, 2);
      within += noise * noise * (runs - 1) / runs;
    }
    comparisons += runs - 1;
  }
  const double usual = kWeightOfUsualDrift * kUsualDrift * kUsualDrift;
  return std::sqrt(std::max(0.0, (usual + squares - within) / (kWeightOfUsualDrift + comparisons)));
}

double TimeChange::lowest_ratio() const {
  const double noise = std::hypot(std::log(to.median_s / to.low_s), std::log(from.high_s / from.median_s));
  return ratio() * std::exp(-std::hypot(noise, drift));
}

double TimeChange::highest_ratio() const {
  const double noise = std::hypot(std::log(to.high_s / to.median_s), std::log(from.median_s / from.low_s));
  return ratio() * std::exp(std::hypot(noise, drift));
}

PointChange classify(const TimeChange& change, double smallest_change) {
  const double lowest = change.lowest_ratio();
  const double highest = change.highest_ratio();
  const double ratio = change.ratio();
  if (lowest > 1 && ratio > 1 + smallest_change) return PointChange::slower;
  if (highest < 1 && ratio < 1 - smallest_change) return PointChange::faster;
  const bool is_near = std::abs(ratio - 1) <= smallest_change;
  const bool is_narrow = (highest - lowest) / 2 <= smallest_change;
  return is_near && is_narrow ? PointChange::same : PointChange::unclear;
}

PointComparison compare_times(std::vector<const RooflinePoint*> bases, const RooflinePoint* now, double drift,
                              double smallest_change, std::vector<const RooflinePoint*> repeats) {
  PointComparison compared;
  compared.now = now;
  if (has_time(now)) compared.repeats = timed_like(now, timed_bases(std::move(repeats)));
  std::erase(bases, nullptr);
  if (!bases.empty()) compared.base = bases.back();
  compared.bases = timed_bases(std::move(bases));
  const auto comparable = has_time(now) ? timed_like(now, compared.bases) : compared.bases;
  const auto& standing = comparable.empty() ? compared.bases : comparable;
  if (!standing.empty()) compared.base = standing[(standing.size() - 1) / 2];

  const RooflinePoint& shown = compared.now != nullptr ? *compared.now : *compared.base;
  compared.point = shown.measurement->point;
  compared.label = shown.label;
  if (compared.bases.empty() || !has_time(compared.now)) {
    compared.change = change_without_times(compared);
    return compared;
  }
  if (comparable.empty()) {
    compared.change = PointChange::timed_differently;
  } else {
    std::vector<TimeInterval> after = times_of(compared.repeats);
    after.insert(after.begin(), time_of(now));
    compared.time = TimeChange{pooled(times_of(comparable)), pooled(after),
                               drift_of_ratio(drift, comparable.size(), after.size())};
    compared.change = classify(*compared.time, smallest_change);
  }
  return compared;
}

RunComparison compare(std::span<const AnalysedRun> baseline, const AnalysedRun& now, double smallest_change) {
  return compare_repeated(baseline, baseline.size(), now, smallest_change);
}

RunComparison compare_repeated(std::span<const AnalysedRun> earlier, std::size_t base_runs,
                               const AnalysedRun& now, double smallest_change) {
  RunComparison comparison;
  comparison.baseline = earlier.first(base_runs);
  comparison.repeats = earlier.subspan(base_runs);
  comparison.now = &now;
  comparison.smallest_change = smallest_change;
  comparison.devices = compared_devices(earlier, now);
  const std::vector<MatchedPoint> matched = matched_points(earlier, now, comparison.devices);
  for (ComparedDevice& device : comparison.devices) device.bases.resize(base_runs);
  const double drift = observed_drift(matched, base_runs);
  for (const MatchedPoint& match : matched) {
    const RepeatedPoint repeated = split(match, base_runs);
    const bool is_in_base =
        std::ranges::any_of(repeated.bases, [](const RooflinePoint* base) { return base != nullptr; });
    if (match.now == nullptr && !is_in_base) continue;
    PointComparison point =
        compare_times(repeated.bases, match.now, drift, smallest_change, repeated.repeats);
    set_counter_changes(point);
    point.device = match.device;
    point.label += device_suffix(comparison, match.device);
    comparison.points.push_back(std::move(point));
  }
  tell_apart(comparison);
  std::ranges::stable_sort(comparison.points, point_comes_before);
  comparison.programs = compare_programs(comparison, drift);
  comparison.environment = environment_changes(comparison);
  comparison.ceilings = ceiling_changes(comparison.baseline.back().run, now.run, comparison.devices);
  return comparison;
}

std::string timing_difference(const PointComparison& point) {
  if (point.change != PointChange::timed_differently) return {};
  const auto how = [](const RooflinePoint* side) {
    return launch_mode(*side->measurement->time) == LaunchMode::graph ? "in graphs" : "launch by launch";
  };
  return fmt::format("timed {} before, {} now", how(point.base), how(point.now));
}

std::string device_suffix(const RunComparison& comparison, std::size_t device) {
  return comparison.devices.size() > 1 ? fmt::format(" device {}", device) : "";
}

std::vector<ModelDifference> model_differences(const RunComparison& comparison) {
  std::vector<ModelDifference> differences;
  for (std::size_t device = 0; device < comparison.devices.size(); ++device) {
    const ComparedDevice& compared = comparison.devices[device];
    if (!compared.now) continue;
    const std::string name = model_of(comparison.now->run.devices[*compared.now]);
    for (std::size_t base = 0; base < compared.bases.size(); ++base) {
      if (!compared.bases[base]) continue;
      const std::string before = model_of(comparison.baseline[base].run.devices[*compared.bases[base]]);
      if (before == name) continue;
      differences.push_back({device, before, name});
      break;
    }
  }
  return differences;
}

}  // namespace rooflinectl
