// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "analysis/analysis.h"
#include "core/counters/metrics.h"
#include "core/stats/statistics.h"
#include "crosscheck/crosscheck.h"

namespace rooflinectl {

namespace {

constexpr double kTimeTolerance = 0.05;

// ---- kernels of one range ----

using Kernels = std::vector<const NcuKernel*>;

Reference sum_of(const Kernels& kernels, const std::string& metric, double scale) {
  Reference all{CounterValue::measured(0), 0};
  for (const NcuKernel* kernel : kernels) all = sum(all, metric_of(*kernel, metric, scale));
  return all;
}

/// Ratios per instruction of warps, over several kernels.
Reference weighed(const Kernels& kernels, const std::string& metric, double scale,
                  const std::optional<std::string>& weight_metric) {
  if (!weight_metric) return no_reference("ratios of several kernels cannot be combined without weights");
  double weights = 0;
  double weighed_sum = 0;
  double rounding = 0;
  for (const NcuKernel* kernel : kernels) {
    const Reference ratio = metric_of(*kernel, metric, scale);
    const Reference weight = metric_of(*kernel, *weight_metric, 1);
    if (!ratio.value.available()) return ratio;
    if (!weight.value.available()) return weight;
    weights += *weight.value.value();
    weighed_sum += *weight.value.value() * *ratio.value.value();
    rounding = std::max(rounding, ratio.rounding);
  }
  if (weights <= 0) return no_reference("no instruction counts to weight the kernels by");
  return {CounterValue::measured(weighed_sum / weights), rounding};
}

// ---- one agreement ----

/// A tool times one launch on an idle GPU, and only its kernels; we time a launch between two events, or many
/// in a graph. The difference is at most what an empty launch takes between two events.
Tolerance time_tolerance(const Run& run, const Measurement& measurement) {
  const Ceiling* const launch =
      find_ceiling(run, ceiling_id::kLaunch, CeilingSource::measured, measurement.device);
  if (launch == nullptr)
    return {kTimeTolerance, true, 0, "the launch overhead was not measured, so nothing is allowed for it"};
  return {kTimeTolerance, true, launch->value,
          fmt::format("5 % + {:.2f} µs for the launch", 1e6 * launch->value)};
}

// ---- Nsight Compute ----

/// How closely the sum of that key has to agree, which its parts say.
double tolerance_of_sum(std::string_view key) {
  const auto part = std::ranges::find_if(basic_metrics(), [key](const Metric& metric) {
    return metric.agreement && metric.agreement->sum == key;
  });
  return part->agreement->tolerance;
}

/// The hardware metric that a counter came from in this run.
std::optional<std::string> metric_for(const Run& run, std::string_view key) {
  const auto found = run.counter_session.metrics.find(std::string(key));
  return found == run.counter_session.metrics.end() ? std::nullopt : std::optional(found->second);
}

class NcuComparison {
 public:
  NcuComparison(const Run& run, const std::vector<NcuKernel>& kernels) : run_(run) {
    for (const NcuKernel& kernel : kernels) kernels_[kernel.range].push_back(&kernel);
  }

  std::vector<Agreement> compare() {
    for (const Measurement& measurement : run_.measurements) {
      if (measurement.status == Status::ok && !is_observed(measurement)) compare(measurement);
    }
    return std::move(agreements_);
  }

 private:
  void compare(const Measurement& measurement) {
    const std::string subject = range_name(measurement.point);
    const auto found = kernels_.find(subject);
    if (found == kernels_.end()) {
      agreements_.push_back(agreement(subject, "time", ComparedUnit::seconds, time_of(measurement),
                                      no_reference("no kernel was profiled in this range"), {}));
      return;
    }
    const Kernels& kernels = found->second;
    agreements_.push_back(agreement(subject, "time", ComparedUnit::seconds, time_of(measurement),
                                    sum_of(kernels, std::string(kDurationMetric), 1),
                                    time_tolerance(run_, measurement)));
    if (measurement.counters.empty()) return;
    // What the caches keep of a warm point varies from launch to launch, and so does what they fetch.
    if (cache_of(measurement.point) == CacheState::cold) compare_dram(subject, measurement, kernels);
    for (const Metric& counter : basic_metrics()) {
      const auto metric = metric_for(run_, counter.key);
      if (!counter.agreement || !counter.agreement->sum.empty() || !metric) continue;
      const ToolAgreement& allowed = *counter.agreement;
      const Reference reference = allowed.unit == ComparedUnit::ratio
                                      ? ratio(counter, *metric, kernels)
                                      : sum_of(kernels, *metric, counter.scale);
      agreements_.push_back(agreement(subject, counter.key, allowed.unit,
                                      ours_of(measurement.counters, counter.key), reference,
                                      {allowed.tolerance, allowed.is_relative, 0, ""}));
    }
  }

  void compare_dram(const std::string& subject, const Measurement& measurement, const Kernels& kernels) {
    const auto read = metric_for(run_, counter::kDramReadBytes);
    const auto write = metric_for(run_, counter::kDramWriteBytes);
    if (!read || !write) return;
    const auto bytes = dram_bytes(measurement.counters);
    const Reference all = sum(sum_of(kernels, *read, 1), sum_of(kernels, *write, 1));
    agreements_.push_back(
        agreement(subject, counter::kDramBytes, ComparedUnit::bytes,
                  bytes ? CounterValue::measured(*bytes) : CounterValue::unavailable("not counted"), all,
                  dram_tolerance(measurement, all.value.value().value_or(0))));
  }

  /// The counters are of the whole device: what else reads while a kernel runs is in them. And what ncu left
  /// dirty in L2 between its passes is written while the kernel reads as much as L2 holds.
  Tolerance dram_tolerance(const Measurement& measurement, double bytes) const {
    constexpr double kDirtyShare = 0.05;
    const double time_s = measurement.time ? measurement.time->median_s : 0;
    const double background = kBackgroundDramBytesPerS * time_s;
    const double dirty =
        kDirtyShare * std::min(bytes, static_cast<double>(run_.device_of(measurement).l2_bytes));
    const double tolerance = tolerance_of_sum(counter::kDramBytes);
    return {tolerance, true, background + dirty,
            fmt::format("{:g} % + {:.2f} MB of other traffic + {:.2f} MB that ncu left dirty in L2",
                        100 * tolerance, 1e-6 * background, 1e-6 * dirty)};
  }

  Reference ratio(const Metric& counter, const std::string& metric, const Kernels& kernels) const {
    if (kernels.size() == 1) return metric_of(*kernels.front(), metric, counter.scale);
    const bool per_instruction = counter.key == counter::kWarpExecutionEfficiency ||
                                 counter.key == counter::kWarpNonpredExecutionEfficiency;
    const auto weight = per_instruction ? metric_for(run_, counter::kWarpInstructions) : std::nullopt;
    return weighed(kernels, metric, counter.scale, weight);
  }

  const Run& run_;
  std::map<std::string, Kernels> kernels_;  // by range
  std::vector<Agreement> agreements_;
};

// ---- tracers ----

Reference median_duration(const std::vector<const TracedLaunch*>& launches) {
  std::vector<double> durations;
  for (const TracedLaunch* launch : launches) {
    const std::vector<double>& operations_s = launch->operations_s;
    if (operations_s.empty()) continue;
    durations.push_back(std::accumulate(operations_s.begin(), operations_s.end(), 0.0));
  }
  if (durations.empty()) return no_reference("the trace has no kernel in this range");
  return {CounterValue::measured(median(durations)), 0};
}

}  // namespace

std::vector<std::string> ncu_metrics(const Run& run) {
  std::vector<std::string> metrics = {std::string(kDurationMetric)};
  for (const Metric& counter : basic_metrics()) {
    const auto metric = counter.agreement ? metric_for(run, counter.key) : std::nullopt;
    if (metric) metrics.push_back(*metric);
  }
  return metrics;
}

std::vector<Agreement> compare_with_ncu(const Run& run, const std::vector<NcuKernel>& kernels) {
  return NcuComparison(run, kernels).compare();
}

std::vector<Agreement> compare_with_trace(const Run& run, const std::vector<TracedLaunch>& launches) {
  std::map<std::string, std::vector<const TracedLaunch*>> by_range;
  for (const TracedLaunch& launch : launches) by_range[launch.range].push_back(&launch);
  std::vector<Agreement> agreements;
  for (const Measurement& measurement : run.measurements) {
    if (measurement.status != Status::ok || is_observed(measurement)) continue;
    const std::string subject = range_name(measurement.point);
    const auto& found = by_range[subject];
    const Reference is_there{CounterValue::measured(found.empty() ? 0 : 1), 0};
    agreements.push_back(
        agreement(subject, "nvtx_range", ComparedUnit::count, CounterValue::measured(1), is_there, {}));
    if (found.empty()) continue;
    const Tolerance tolerance = time_tolerance(run, measurement);
    agreements.push_back(agreement(subject, "time", ComparedUnit::seconds, time_of(measurement),
                                   median_duration(found), tolerance));
  }
  return agreements;
}

Reference no_reference(std::string reason) {
  return {CounterValue::unavailable(std::move(reason)), 0};
}

Reference metric_of(const NcuKernel& kernel, const std::string& metric, double scale) {
  const auto found = kernel.metrics.find(metric);
  if (found == kernel.metrics.end()) return {};
  const auto& [value, rounding] = found->second;
  if (!value.available()) return {value};
  return {CounterValue::measured(*value.value() * scale), rounding * std::abs(scale)};
}

Reference sum(const Reference& a, const Reference& b) {
  if (!a.value.available()) return a;
  if (!b.value.available()) return b;
  return {CounterValue::measured(*a.value.value() + *b.value.value()), a.rounding + b.rounding};
}

Agreement agreement(std::string subject, std::string_view quantity, ComparedUnit unit, CounterValue ours,
                    const Reference& reference, const Tolerance& tolerance) {
  Agreement result;
  result.subject = std::move(subject);
  result.quantity = quantity;
  result.unit = unit;
  result.ours = std::move(ours);
  result.reference = reference.value;
  result.tolerance = tolerance.value;
  result.is_relative = tolerance.is_relative;
  result.note = tolerance.note;
  const double extra = tolerance.absolute + reference.rounding;
  if (extra > 0 && result.reference.available()) {
    const double share = tolerance.is_relative ? std::abs(*result.reference.value()) : 1;
    result.tolerance = tolerance.value * share + extra;
    result.is_relative = false;
  }
  return result;
}

CounterValue ours_of(const Counters& counters, std::string_view key) {
  const auto found = counters.find(key);
  return found == counters.end() ? CounterValue::unavailable("not counted") : found->second;
}

CounterValue time_of(const Measurement& measurement) {
  if (measurement.time) return CounterValue::measured(measurement.time->median_s);
  return CounterValue::unavailable(measurement.cause.empty() ? "not timed" : measurement.cause);
}

}  // namespace rooflinectl
