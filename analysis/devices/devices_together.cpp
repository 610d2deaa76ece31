// SPDX-License-Identifier: Apache-2.0
#include "analysis/devices/devices_together.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <unordered_map>
#include <utility>

#include "analysis/devices/ranks.h"
#include "core/stats/repeated_counters.h"
#include "core/text/written_number.h"

namespace rooflinectl {

namespace {

/// A kernel of one shape and path: a measurement for each process and device.
using SameKernel = std::vector<const Measurement*>;

/// In the order of the first measurement of each in the run.
std::vector<SameKernel> groups_of(const Run& run) {
  std::vector<SameKernel> groups;
  std::unordered_map<std::string, std::size_t> places;
  for (const Measurement& measurement : run.measurements) {
    if (!is_observed(measurement)) continue;
    const auto [place, is_new] = places.try_emplace(range_name(measurement.point), groups.size());
    if (is_new) groups.emplace_back();
    groups[place->second].push_back(&measurement);
  }
  return groups;
}

/// Times that stand for this many launches each.
struct WeightedTime {
  double time_s = 0;
  double launches = 0;
};

/// The shortest time that a share `part` of all launches do not exceed.
double weighted_quantile(const std::vector<WeightedTime>& sorted, double part) {
  double all = 0;
  for (const WeightedTime& one : sorted) all += one.launches;
  double sum = 0;
  for (const WeightedTime& one : sorted) {
    sum += one.launches;
    if (sum >= part * all) return one.time_s;
  }
  return sorted.back().time_s;
}

/// How many launches the time of a measurement stands for.
double timed_launches(const Measurement& one) {
  return static_cast<double>(std::max<std::uint64_t>(one.launches->traced, 1));
}

/// Over the samples that the run kept for each process; the median where it has none.
std::vector<WeightedTime> sorted_times(const SameKernel& group) {
  std::vector<WeightedTime> times;
  for (const Measurement* one : group) {
    if (!one->time) continue;
    std::vector<double> samples = one->time->samples_s;
    if (samples.empty()) samples.push_back(one->time->median_s);
    const double each = timed_launches(*one) / static_cast<double>(samples.size());
    for (const double time_s : samples) times.push_back({time_s, each});
  }
  std::ranges::sort(times, {}, &WeightedTime::time_s);
  return times;
}

/// The median, and the ends of its interval, are means over the processes, weighted by their launches: where
/// ranks differ, the median of all launches would be near one of theirs by chance.
std::optional<TimeResult> time_of(const SameKernel& group, const std::vector<WeightedTime>& sorted) {
  if (sorted.empty()) return std::nullopt;
  TimeResult all;
  double launches = 0;
  for (const Measurement* one : group) {
    if (one->time) launches += timed_launches(*one);
  }
  for (const Measurement* one : group) {
    if (!one->time) continue;
    const double weight = timed_launches(*one) / launches;
    all.median_s += weight * one->time->median_s;
    all.ci_low_s += weight * one->time->ci_low_s;
    all.ci_high_s += weight * one->time->ci_high_s;
    all.noisy = all.noisy || one->time->noisy;
  }
  for (const WeightedTime& one : sorted) all.samples_s.push_back(one.time_s);
  return all;
}

/// The element of `all` whose `key` is `value`; added with nothing else set if it is not there.
template <typename Element, typename Key>
Element& element_of(std::vector<Element>& all, Key Element::*key, const Key& value) {
  const auto known = std::ranges::find_if(all, [&](const Element& one) { return one.*key == value; });
  if (known != all.end()) return *known;
  Element& added = all.emplace_back();
  added.*key = value;
  return added;
}

LaunchStatistics launches_of(const SameKernel& group, const std::vector<WeightedTime>& sorted) {
  constexpr double kTail = 0.95;
  LaunchStatistics all;
  all.symbol = group.front()->launches->symbol;
  all.graph_nodes = group.front()->launches->graph_nodes;
  all.operations_per_tensor_instruction = group.front()->launches->operations_per_tensor_instruction;
  all.period = group.front()->launches->period;
  all.has_half_arithmetic = group.front()->launches->has_half_arithmetic;
  all.has_sparse_products = group.front()->launches->has_sparse_products;
  all.products = group.front()->launches->products;
  for (const Measurement* one : group) {
    const LaunchStatistics& launches = *one->launches;
    all.count += launches.count;
    all.traced += launches.traced;
    all.total_s += launches.total_s;
    all.held += launches.held;
    all.held_s += launches.held_s;
    all.overlapped_s += launches.overlapped_s;
    all.gaps_before += launches.gaps_before;
    all.idle_before_s += launches.idle_before_s;
    all.counted += launches.counted;
    if (launches.period != all.period) all.period.reset();
    if (launches.has_half_arithmetic != all.has_half_arithmetic) all.has_half_arithmetic.reset();
    if (launches.has_sparse_products != all.has_sparse_products) all.has_sparse_products.reset();
    if (launches.products != all.products) all.products.reset();
    if (launches.operations_path) all.operations_path = launches.operations_path;
    if (launches.counters_scale) all.counters_scale = launches.counters_scale;
    if (launches.operations_per_tensor_instruction != all.operations_per_tensor_instruction)
      all.operations_per_tensor_instruction = 0;
    for (const GraphKernelUse& kernel : launches.graph_kernels) {
      GraphKernelUse& sum = element_of(all.graph_kernels, &GraphKernelUse::kernel, kernel.kernel);
      sum.launches += kernel.launches;
      sum.total_s += kernel.total_s;
    }
  }
  std::ranges::stable_sort(all.graph_kernels, std::greater(), &GraphKernelUse::total_s);
  if (!sorted.empty()) all.p95_s = weighted_quantile(sorted, kTail);
  return all;
}

/// On each rank, the values of a counter lie around its mean there, within its spread there.
double spread_over_ranks(const SameKernel& group, const std::string& key, double mean) {
  double least = mean;
  double largest = mean;
  for (const Measurement* one : group) {
    const std::optional<double> of_rank = value_of(one->counters, key);
    if (!of_rank) continue;
    const auto spread = one->counter_spread.find(key);
    const double half = spread == one->counter_spread.end() ? 0 : *of_rank * spread->second / 2;
    least = std::min(least, *of_rank - half);
    largest = std::max(largest, *of_rank + half);
  }
  return mean > 0 ? (largest - least) / mean : 0;
}

void set_counters(Measurement& all, const SameKernel& group) {
  AveragedCounters counters;
  for (const Measurement* one : group) {
    counters.add(one->counters, static_cast<double>(one->launches->count));
    all.counter_repeats += one->counter_repeats;
  }
  all.counters = counters.result().counters;
  for (const auto& [key, value] : all.counters) {
    if (!value.available()) continue;
    const double spread = spread_over_ranks(group, key, *value.value());
    if (spread > 0) all.counter_spread[key] = spread;
  }
}

Measurement measurement_of(const SameKernel& group, const std::string& experiment, std::size_t device) {
  const Measurement& first = *group.front();
  const std::vector<WeightedTime> sorted = sorted_times(group);
  Measurement all{.point = first.point,
                  .launch = first.launch,
                  .resources = first.resources,
                  .time = time_of(group, sorted),
                  .device = device,
                  .launches = launches_of(group, sorted)};
  all.point.experiment = experiment;
  set_counters(all, group);
  return all;
}

/// Undisturbed use is known for all of them or for none.
DeviceUse sum_of(const std::vector<DeviceUse>& devices, std::size_t device) {
  DeviceUse all{.device = device, .undisturbed = UndisturbedUse{}};
  for (const DeviceUse& one : devices) {
    all.span_s += one.span_s;
    all.untraced_s += one.untraced_s;
    all.kernel_busy_s += one.kernel_busy_s;
    all.busy_s += one.busy_s;
    all.kernel_s += one.kernel_s;
    if (!one.undisturbed || !all.undisturbed) {
      all.undisturbed.reset();
      continue;
    }
    all.undisturbed->busy_s += one.undisturbed->busy_s;
    for (const IdleGaps& gaps : one.undisturbed->gaps) {
      IdleGaps& sum = element_of(all.undisturbed->gaps, &IdleGaps::below_s, gaps.below_s);
      sum.count += gaps.count;
      sum.total_s += gaps.total_s;
    }
  }
  return all;
}

std::vector<TransferUse> sums_of(const std::vector<TransferUse>& transfers,
                                 const std::set<std::size_t>& devices, std::size_t device) {
  std::vector<TransferUse> sums;
  for (const TransferUse& one : transfers) {
    if (!devices.contains(one.device)) continue;
    TransferUse& sum = element_of(sums, &TransferUse::kind, one.kind);
    sum.device = device;
    sum.count += one.count;
    sum.bytes += one.bytes;
    sum.total_s += one.total_s;
    sum.gaps_before += one.gaps_before;
    sum.idle_before_s += one.idle_before_s;
  }
  return sums;
}

Application sum_of(const Application& application, const std::set<std::size_t>& devices, std::size_t device) {
  Application all = application;
  all.transfers = sums_of(application.transfers, devices, device);
  all.collectives.clear();
  all.other_ranks.clear();
  all.devices.clear();
  for (ProgramProcess& process : all.processes) {
    process.collectives.clear();
    process.holds.clear();
  }
  std::vector<DeviceUse> used;
  for (const DeviceUse& use : application.devices) {
    if (devices.contains(use.device)) used.push_back(use);
  }
  if (used.size() == devices.size()) all.devices.push_back(sum_of(used, device));
  return all;
}

/// `ranks 0–7`, or `devices 0, 1` of a program without ranks.
std::string users_text(const Run& run, const std::set<std::size_t>& devices) {
  const std::vector<int> ranks = ranks_on(run, devices);
  if (ranks.size() > 1) return fmt::format("ranks {}", number_ranges(ranks));
  return fmt::format("devices {}", number_ranges({devices.begin(), devices.end()}));
}

/// The first of the devices that has roofs.
std::size_t device_with_roofs(const Run& run, const std::set<std::size_t>& devices) {
  const auto found = std::ranges::find_if(devices, [&](std::size_t device) {
    return std::ranges::any_of(run.ceilings, [&](const Ceiling& ceiling) {
      return ceiling.device == device && ceiling.source == CeilingSource::measured;
    });
  });
  return found == devices.end() ? *devices.begin() : *found;
}

}  // namespace

std::optional<DevicesTogether> devices_together(const Run& run) {
  if (!run.application) return std::nullopt;
  const std::vector<SameKernel> groups = groups_of(run);
  std::set<std::size_t> devices;
  std::set<std::string> models;
  for (const SameKernel& group : groups) {
    for (const Measurement* one : group) {
      devices.insert(one->device);
      models.insert(run.device_of(*one).name);
    }
  }
  if (devices.size() < 2 || models.size() > 1) return std::nullopt;

  const std::string& program = groups.front().front()->point.experiment;
  DevicesTogether together{.title = fmt::format("{}, {} together: {} × {}", program, users_text(run, devices),
                                                devices.size(), *models.begin()),
                           .gpus = devices.size(),
                           .is_part = !run.application->other_ranks.empty()};
  Run& all = together.run;
  all.tool_version = run.tool_version;
  all.tool_commit = run.tool_commit;
  all.source = run.source;
  all.started_utc = run.started_utc;
  all.host = run.host;
  all.environment = run.environment;
  all.devices = run.devices;
  all.counter_session = run.counter_session;
  all.ceilings = run.ceilings;
  all.imports = run.imports;
  const std::size_t device = device_with_roofs(run, devices);
  all.application = sum_of(*run.application, devices, device);
  for (const SameKernel& group : groups)
    all.measurements.push_back(measurement_of(group, program + "_together", device));
  return together;
}

ExperimentAnalysis analyse(const DevicesTogether& together) {
  Analysis analysis = analyse(together.run);
  ExperimentAnalysis experiment = std::move(analysis.experiments.front());
  experiment.title = together.title;
  experiment.gpus = together.gpus;
  experiment.is_part = together.is_part;
  // A step is that of one GPU; what they could save together is not.
  for (RooflinePoint& point : experiment.points) {
    if (point.launches) point.launches->recoverable_per_step_s.reset();
  }
  return experiment;
}

}  // namespace rooflinectl
