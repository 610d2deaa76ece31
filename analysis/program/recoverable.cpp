// SPDX-License-Identifier: Apache-2.0
#include "analysis/program/recoverable.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "analysis/roofline/executed/executed_work.h"
#include "analysis/roofline/point.h"
#include "core/stats/statistics.h"
#include "core/text/names.h"

namespace rooflinectl {

namespace {

/// From this share of its time on, a group counts as running beside others.
constexpr double kOverlapped = 0.05;
/// What counts as most of the time.
constexpr double kMost = 0.6;
/// If a kernel could save at least this multiple, in all of its shapes, of what any group of launches could
/// save, it is another place to begin.
constexpr double kNotableSum = 1.2;

const DeviceUse* device_use(const Run& run, std::size_t device) {
  if (!run.application) return nullptr;
  const std::vector<DeviceUse>& all = run.application->devices;
  const auto found = std::ranges::find(all, device, &DeviceUse::device);
  return found == all.end() ? nullptr : &*found;
}

/// The sum over groups, or what the trace has beyond them.
double kernel_time_s(const std::vector<RooflinePoint>& points, const DeviceUse* device) {
  double sum_s = 0;
  for (const RooflinePoint& point : points) {
    if (is_observed(point)) sum_s += point.measurement->launches->total_s;
  }
  return device != nullptr ? std::max(sum_s, device->kernel_s) : sum_s;
}

/// The share of a launch's time that it could save with this fraction of its roofline: no launch takes less
/// than its roof does, nor less than a short one.
double beyond_roof(const Measurement& measurement, double fraction) {
  const double time_s = is_timed(measurement) ? time_per_launch_s(measurement) : 0;
  return std::max(0.0, 1 - std::max(fraction, portion_of(kShortLaunchS, time_s)));
}

/// By kernel, whatever its shapes: its time in steps.
std::vector<double> kernel_times(const std::vector<const RooflinePoint*>& groups) {
  std::map<std::string_view, double> of_kernel;
  for (const RooflinePoint* group : groups) {
    of_kernel[group->measurement->point.subject] += group->launches->in_steps_s;
  }
  std::vector<double> times;
  for (const auto& [name, total_s] : of_kernel) times.push_back(total_s);
  std::ranges::sort(times, std::greater<>());
  return times;
}

Concentration concentration_of(const std::vector<double>& times, double kernel_s) {
  Concentration result;
  double sum_s = 0;
  for (const double time_s : times) {
    if (portion_of(sum_s, kernel_s) >= kMost) break;
    sum_s += time_s;
    ++result.kernels;
  }
  result.share = portion_of(sum_s, kernel_s);
  return result;
}

/// Of a transfer: smaller ones take as long as their overhead.
constexpr double kFewestBytesForARate = 1e6;

/// What limits a transfer.
struct TransferRoof {
  std::string_view ceiling;  ///< its id; empty where there is none
  double bytes_per_byte = 1;
};

TransferRoof roof_of(TransferKind kind) {
  switch (kind) {
    case TransferKind::host_to_device:
    case TransferKind::pageable_to_device:
      return {"pcie_h2d"};
    case TransferKind::device_to_host:
    case TransferKind::device_to_pageable:
      return {"pcie_d2h"};
    case TransferKind::device_to_device:
      return {"dram_copy", 2};  // reads and writes each byte
    case TransferKind::set:
      return {"dram_write"};
    case TransferKind::peer_to_peer:
    case TransferKind::other:
      return {};
  }
  return {};
}

std::vector<TransferRate> transfer_rates(const Run& run, std::size_t device) {
  std::vector<TransferRate> rates;
  if (!run.application) return rates;
  for (const TransferUse& use : run.application->transfers) {
    if (use.device != device || !(use.total_s > 0)) continue;
    TransferRate rate = {.use = &use};
    const TransferRoof roof = roof_of(use.kind);
    const Ceiling* ceiling = find_ceiling(run, roof.ceiling, CeilingSource::measured, device);
    const bool is_large = use.bytes >= kFewestBytesForARate * static_cast<double>(use.count);
    if (is_large) rate.bytes_per_s = use.bytes / use.total_s;
    if (is_large && ceiling != nullptr && ceiling->value > 0) {
      rate.fraction = roof.bytes_per_byte * *rate.bytes_per_s / ceiling->value;
      rate.ceiling = roof.ceiling;
    }
    rates.push_back(rate);
  }
  std::ranges::stable_sort(rates, std::greater(), [](const TransferRate& rate) { return rate.use->total_s; });
  return rates;
}

// ---- idle time ----

/// From this share of the time on, idleness matters.
constexpr double kIdle = 0.1;
/// From this share of the idle time on, a cause has most of it.
constexpr double kMostOfIdle = 0.5;
/// Of one operator of PyTorch, with what it does besides launching.
constexpr double kLongestLaunchGap = 100e-6;
constexpr double kLongestGapBetweenLaunches = 1e-3;
/// Gaps that are rarer than one in so many steps, and have much of the idle time, are not of the steps:
/// starting, ending and pausing are no part of what repeats.
constexpr double kOfTheSteps = 0.05;
constexpr double kMuchOfIdle = 0.2;

IdleCause cause_of(const IdleGaps& gaps) {
  if (!gaps.below_s) return IdleCause::elsewhere;
  if (*gaps.below_s <= kLongestLaunchGap) return IdleCause::launches;
  return *gaps.below_s <= kLongestGapBetweenLaunches ? IdleCause::between_launches : IdleCause::elsewhere;
}

void set_cause(IdleUse& idle) {
  if (idle.share < kIdle) return;
  for (const IdleCause cause : {IdleCause::launches, IdleCause::between_launches, IdleCause::elsewhere}) {
    double sum_s = 0;
    std::uint64_t count = 0;
    for (const IdleGaps& gaps : idle.gaps) {
      if (cause_of(gaps) != cause) continue;
      sum_s += gaps.total_s;
      count += gaps.count;
    }
    if (portion_of(sum_s, idle.idle_s) < kMostOfIdle) continue;
    idle.cause = cause;
    idle.cause_gaps = count;
    idle.cause_share = portion_of(sum_s, idle.idle_s);
    return;
  }
}

std::optional<IdleUse> idle_use(const Run& run, const ProgramUse& program, std::size_t device) {
  if (program.device == nullptr || !program.device->undisturbed) return std::nullopt;
  IdleUse idle = {.undisturbed = &*program.device->undisturbed};
  // Without steps, what takes most of the time tells how often the program repeats itself.
  const std::uint64_t repeats = program.step != nullptr
                                    ? program.step->undisturbed
                                    : program.groups.front()->measurement->launches->count;
  const double fewest = kOfTheSteps * static_cast<double>(repeats);
  idle.gaps = idle.undisturbed->gaps;
  while (!idle.gaps.empty()) {
    const IdleGaps& longest = idle.gaps.back();
    const bool is_rare = static_cast<double>(longest.count) < fewest;
    if (!is_rare || longest.total_s < kMuchOfIdle * idle.undisturbed->idle_s()) break;
    idle.beside_steps.count += longest.count;
    idle.beside_steps.total_s += longest.total_s;
    idle.gaps.pop_back();
  }
  for (const IdleGaps& gaps : idle.gaps) idle.idle_s += gaps.total_s;
  const double fewest_before = idle.beside_steps.count > 0 ? fewest : 0;
  idle.share = portion_of(idle.idle_s, idle.idle_s + idle.undisturbed->busy_s);
  set_cause(idle);
  for (const RooflinePoint* group : program.groups) {
    const LaunchStatistics& launches = *group->measurement->launches;
    if (launches.gaps_before == 0 || static_cast<double>(launches.gaps_before) < fewest_before) continue;
    idle.before.push_back({.group = group, .gaps = launches.gaps_before, .idle_s = launches.idle_before_s});
  }
  for (const TransferUse& use : run.application->transfers) {
    if (use.device != device || use.gaps_before == 0) continue;
    if (static_cast<double>(use.gaps_before) < fewest_before) continue;
    idle.before.push_back({.transfer = &use, .gaps = use.gaps_before, .idle_s = use.idle_before_s});
  }
  for (IdleBefore& before : idle.before) before.share = portion_of(before.idle_s, idle.idle_s);
  std::ranges::stable_sort(idle.before, std::greater(), &IdleBefore::idle_s);
  return idle;
}

// ---- ranges ----

void add_to_tree(RangeTree& tree, const RooflinePoint& group) {
  auto path = group.measurement->point.axes.text(axis::kPath);
  if (!path) return;
  std::vector<std::string> names;
  while (!path->empty()) names.emplace_back(take_field(*path, '/'));
  tree.add(names, group);
}

std::vector<RangeUse> range_uses(const std::vector<const RooflinePoint*>& groups, double kernel_s) {
  RangeTree tree;
  for (const RooflinePoint* group : groups) add_to_tree(tree, *group);
  return tree.list(kernel_s);
}

void add_tensor_work(ProgramUse& program, const RooflinePoint& group) {
  const ResourceUse* use = find_use(group, Bound::tensor);
  const double share = portion_of(group.launches->in_steps_s, program.in_steps_s);
  if (use == nullptr || (!use->missing.empty() && !(use->amount > 0))) {
    program.tensor_unknown_share += share;
    return;
  }
  if (!(use->amount > 0)) return;
  program.tensor_share += share;
  const LaunchStatistics& launches = *group.measurement->launches;
  const double at_roof_s = static_cast<double>(launches.traced) * use->time_s.value_or(0);
  program.tensor_use += share * portion_of(at_roof_s, launches.total_s);
}

/// Whether the GPU works longer for a passage than the host needs for it, which launches ahead of the GPU:
/// its time is not that of a step. `device`: how much of the kernels' time they ran side by side.
bool is_launched_ahead(const RangeUse& range, const RangeTimes& times, const DeviceUse* device) {
  constexpr double kNotable = 1.25;
  const bool is_known = device != nullptr && device->kernel_busy_s > 0;
  const double side_by_side = is_known ? std::max(1.0, device->kernel_s / device->kernel_busy_s) : 1;
  return range.total_s / static_cast<double>(times.count) > kNotable * side_by_side * *times.interval_s;
}

/// `ranges` are in the order of a tree.
const RangeTimes* step_of(const Run& run, const std::vector<RangeUse>& ranges, const DeviceUse* device) {
  constexpr std::uint64_t kRepeats = 3;
  if (!run.application) return nullptr;
  const RangeTimes* step = nullptr;
  double longest_s = 0;
  std::size_t within = std::numeric_limits<std::size_t>::max();  // the depth of one that repeats
  for (const RangeUse& range : ranges) {
    if (range.depth > within || range.name.starts_with("nccl")) continue;
    within = std::numeric_limits<std::size_t>::max();
    const auto times = std::ranges::find(run.application->ranges, range.path, &RangeTimes::path);
    if (times == run.application->ranges.end() || times->count < kRepeats || !times->interval_s) continue;
    within = range.depth;
    if (range.total_s <= longest_s || is_launched_ahead(range, *times, device)) continue;
    longest_s = range.total_s;
    step = &*times;
  }
  return step;
}

/// Over several processes, or several runs of a program, the ranges are counted together, but the launches of
/// a device are not.
std::optional<double> steps_of(const Run& run, const RangeTimes* step) {
  if (step == nullptr || run.application->processes.size() > 1 || run.application->runs > 1)
    return std::nullopt;
  return static_cast<double>(step->count);
}

/// The ranges that were never entered while the steps were timed and nothing was counted: what a compiler
/// tries before the first step is in such a range.
std::set<std::string_view> ranges_beside_steps(const Application& application, const RangeTimes& step) {
  std::set<std::string_view> paths;
  if (step.undisturbed == 0) return paths;
  for (const RangeTimes& range : application.ranges) {
    if (range.undisturbed == 0) paths.insert(range.path);
  }
  return paths;
}

void set_steps(std::vector<RooflinePoint>& points, const Run& run, const DeviceUse* device, double kernel_s) {
  std::vector<const RooflinePoint*> groups;
  for (const RooflinePoint& point : points) {
    if (point.launches) groups.push_back(&point);
  }
  const RangeTimes* step = step_of(run, range_uses(groups, kernel_s), device);
  if (step == nullptr) return;
  const auto steps = steps_of(run, step);
  const std::set<std::string_view> beside = ranges_beside_steps(*run.application, *step);
  for (RooflinePoint& point : points) {
    if (!point.launches) continue;
    const LaunchStatistics& all = *point.measurement->launches;
    LaunchUse& use = *point.launches;
    const auto path = point.measurement->point.axes.text(axis::kPath);
    if (path && beside.contains(path->substr(0, path->find('/')))) use.in_steps_s = 0;
    if (!steps || !use.recoverable_s) continue;
    const double launches_per_step = use.in_steps_s > 0 ? static_cast<double>(all.count) / *steps : 0;
    use.recoverable_per_step_s =
        launches_per_step * portion_of(*use.recoverable_s, static_cast<double>(all.traced));
  }
}

}  // namespace

std::optional<double> ProgramUse::busy_share() const {
  if (device == nullptr || !(watched_s() > 0)) return std::nullopt;
  return (idle ? idle->undisturbed->busy_s : device->busy_s) / watched_s() - waiting_share();
}

double ProgramUse::waiting_share() const {
  if (!waiting || device == nullptr || !(device->busy_s > 0) || !(watched_s() > 0)) return 0;
  const double busy = (idle ? idle->undisturbed->busy_s : device->busy_s) / watched_s();
  return busy * std::min(1.0, waiting->wait_s / device->busy_s);
}

double ProgramUse::watched_s() const {
  if (device == nullptr) return 0;
  return idle ? idle->undisturbed->busy_s + idle->idle_s : device->span_s - device->untraced_s;
}

bool is_fully_counted(const Measurement& measurement) {
  const Counters& counters = measurement.counters;
  return dram_bytes(counters) && value_of(counters, counter::kL2Bytes) &&
         counted_operations(counters, Dtype::f64) && counted_operations(counters, Dtype::f32) &&
         value_of(counters, counter::kHadd) && value_of(counters, counter::kHmul) &&
         value_of(counters, counter::kHfma) && executed_tensor_ops(counters);
}

void set_launches(std::vector<RooflinePoint>& points, const Run& run, std::size_t device) {
  const double kernel_s = kernel_time_s(points, device_use(run, device));
  for (RooflinePoint& point : points) {
    if (!is_observed(point)) continue;
    const LaunchStatistics& all = *point.measurement->launches;
    LaunchUse& launches = point.launches.emplace();
    launches.total_s = launches.in_steps_s = all.total_s;
    launches.share = portion_of(all.total_s, kernel_s);
    launches.is_overlapped = all.overlapped_s > kOverlapped * all.total_s;
    launches.is_short = is_short_launch(*point.measurement);
    if (!point.fraction_of_roofline || point.roof->is_partly_counted) continue;
    const auto beyond = [&](double fraction) {
      return all.total_s * beyond_roof(*point.measurement, fraction);
    };
    launches.recoverable_s = beyond(*point.fraction_of_roofline);
    if (point.fraction_interval && !launches.is_short) {
      launches.recoverable_interval_s = {beyond(point.fraction_interval->high),
                                         beyond(point.fraction_interval->low)};
    }
  }
  set_steps(points, run, device_use(run, device), kernel_s);
}

std::vector<KernelSaving> kernel_savings(const ProgramUse& program) {
  constexpr std::size_t kMostKernels = 2;
  std::map<std::string_view, KernelSaving> of_kernel;
  for (const RooflinePoint* group : program.recoverable) {
    KernelSaving& saving = of_kernel[group->measurement->point.subject];
    saving.groups.push_back(group);
    saving.recoverable_s += *group->launches->recoverable_s;
    if (const auto per_step_s = group->launches->recoverable_per_step_s) {
      saving.recoverable_per_step_s = saving.recoverable_per_step_s.value_or(0) + *per_step_s;
    }
  }
  std::vector<KernelSaving> notable;
  for (auto& [name, saving] : of_kernel) {
    // Its largest group may be the largest of all, and its other groups may save nothing.
    const double most_of_a_group_s = *program.recoverable.front()->launches->recoverable_s;
    const bool is_notable = saving.recoverable_s >= kNotableSum * most_of_a_group_s;
    if (is_notable && saving.groups.size() > 1) notable.push_back(std::move(saving));
  }
  std::ranges::stable_sort(notable, std::greater(), &KernelSaving::recoverable_s);
  if (notable.size() > kMostKernels) notable.resize(kMostKernels);
  return notable;
}

std::vector<TimeLimit> time_by_limit(const ProgramUse& program) {
  std::vector<TimeLimit> limits;
  for (const RooflinePoint* group : program.groups) {
    if (!group->launches || group->launches->in_steps_s == 0) continue;
    auto limit = std::ranges::find(limits, group->bound, &TimeLimit::bound);
    if (limit == limits.end()) limit = limits.insert(limit, TimeLimit{.bound = group->bound});
    limit->in_steps_s += group->launches->in_steps_s;
    limit->share += portion_of(group->launches->in_steps_s, program.in_steps_s);
    limit->recoverable_s += group->launches->recoverable_s.value_or(0);
    limit->groups.push_back(group);
  }
  std::ranges::stable_sort(limits, std::greater(), &TimeLimit::in_steps_s);
  return limits;
}

std::optional<ProgramUse> program_use(const Run& run, const ExperimentAnalysis& experiment) {
  ProgramUse program;
  program.gpus = experiment.gpus;
  program.is_part = experiment.is_part;
  double overlapped_s = 0;
  double beside_steps_s = 0;
  double counted_s = 0;
  double roofless_s = 0;
  for (const RooflinePoint& point : experiment.points) {
    if (!point.launches) continue;
    const LaunchUse& launches = *point.launches;
    program.groups.push_back(&point);
    const LaunchStatistics& all = *point.measurement->launches;
    program.launches += all.count;
    program.untimed += all.count - all.traced - all.held;
    if (is_collective(point.measurement->point.subject)) program.collectives += all.count;
    program.held += all.held;
    program.held_s += all.held_s;
    overlapped_s += all.overlapped_s;
    if (point.fraction_of_roofline && !launches.recoverable_s) program.partly_counted.push_back(&point);
    if (launches.in_steps_s == 0 && launches.total_s > 0) {
      ++program.groups_beside_steps;
      beside_steps_s += launches.total_s;
      continue;
    }
    if (is_fully_counted(*point.measurement)) counted_s += launches.in_steps_s;
    if (!point.fraction_of_roofline) roofless_s += launches.in_steps_s;
    if (launches.is_short) {
      ++program.short_groups;
      program.short_launches += all.count;
      program.short_s += launches.in_steps_s;
    }
    if (launches.recoverable_s.value_or(0) > 0) program.recoverable.push_back(&point);
  }
  if (program.groups.empty()) return std::nullopt;
  program.device = device_use(run, experiment.device);
  program.kernel_s = kernel_time_s(experiment.points, program.device);
  program.in_steps_s = program.kernel_s - beside_steps_s;
  program.counted_share = portion_of(counted_s, program.in_steps_s);
  program.roofless_share = portion_of(roofless_s, program.in_steps_s);
  program.overlapped_share = portion_of(overlapped_s, program.kernel_s);
  const auto total_s = [](const RooflinePoint* group) { return group->launches->total_s; };
  std::ranges::stable_sort(program.groups, std::greater(), total_s);
  std::ranges::stable_sort(program.recoverable, std::greater(),
                           [](const RooflinePoint* group) { return *group->launches->recoverable_s; });
  std::ranges::stable_sort(program.partly_counted, std::greater(), total_s);
  const std::vector<double> times = kernel_times(program.groups);
  program.kernels = times.size();
  program.concentration = concentration_of(times, program.in_steps_s);
  program.transfers = transfer_rates(run, experiment.device);
  program.ranges = range_uses(program.groups, program.kernel_s);
  program.step = step_of(run, program.ranges, program.device);
  program.idle = idle_use(run, program, experiment.device);
  program.fusion = fusion_saving(program.groups, steps_of(run, program.step));
  for (const RooflinePoint* group : program.groups) {
    if (!group->measurement->point.axes.text(axis::kPath)) add_use(program.outside, *group);
    add_tensor_work(program, *group);
  }
  program.outside.share = portion_of(program.outside.total_s, program.kernel_s);
  return program;
}

}  // namespace rooflinectl
