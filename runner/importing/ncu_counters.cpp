// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

#include "core/counters/metrics.h"
#include "core/counters/stall_reasons.h"
#include "runner/importing/importing.h"

namespace rooflinectl {

namespace {

/// What a kernel takes of an SM (`ncu_launches.cpp`).
constexpr std::array kLaunchMetrics = {std::string_view("launch__registers_per_thread"),
                                       std::string_view("launch__occupancy_limit_registers"),
                                       std::string_view("launch__occupancy_limit_shared_mem"),
                                       std::string_view("launch__occupancy_limit_warps"),
                                       std::string_view("launch__occupancy_limit_blocks"),
                                       std::string_view("launch__shared_mem_per_block_static"),
                                       std::string_view("launch__shared_mem_per_block_dynamic"),
                                       std::string_view("launch__cluster_dim_x"),
                                       std::string_view("launch__cluster_dim_y"),
                                       std::string_view("launch__cluster_dim_z"),
                                       std::string_view("launch__device_id")};

/// Metrics of ncu's sections that ours do not name: the value is the sum of those in `names`.
struct OtherMetric {
  std::string_view key;
  std::array<std::string_view, 2> names;
  double scale = 1;
};
constexpr double kPerSectorByte = 1.0 / 32;
constexpr std::array kOtherMetrics = {
    OtherMetric{counter::kSmClockHz, {"smsp__cycles_elapsed.avg.per_second"}},
    OtherMetric{counter::kSmClockHz, {"gpc__cycles_elapsed.avg.per_second"}},
    OtherMetric{counter::kGlobalLoadSectorEfficiency,
                {"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio"},
                kPerSectorByte},
    OtherMetric{counter::kGlobalStoreSectorEfficiency,
                {"smsp__sass_average_data_bytes_per_sector_mem_global_op_st.ratio"},
                kPerSectorByte},
    OtherMetric{
        counter::kTensorF8Ops,
        {"sm__ops_path_tensor_src_fp8_sparsity_off.sum", "sm__ops_path_tensor_src_fp8_sparsity_on.sum"}},
    OtherMetric{counter::kDramBytes, {"dram__bytes.sum"}}};

/// The section of ncu that brings a counter. Source: the sections of ncu 2025.3, as its reports hold them.
struct Section {
  std::string_view name;
  std::vector<std::string_view> keys;
};

const std::vector<Section>& sections() {
  using namespace counter;
  static const std::vector<Section> all = {
      {"SpeedOfLight", {kSmClockHz, kDramClockHz}},
      {"SpeedOfLight_RooflineChart", {kFadd, kFmul, kFfma, kDadd, kDmul, kDfma}},
      {"SpeedOfLight_HierarchicalHalfRooflineChart", {kHadd, kHmul, kHfma}},
      {"SpeedOfLight_HierarchicalTensorRooflineChart",
       {kTensorPipeInstructions, kTensorF16Ops, kTensorBf16Ops, kTensorTf32Ops, kTensorF8Ops, kTensorI8Ops,
        kTensorF64Ops}},
      {"MemoryWorkloadAnalysis_Tables",
       {kDramReadBytes, kDramWriteBytes, kL2Bytes, kSharedLoadInstructions, kSharedStoreInstructions,
        kGlobalLoadSectorEfficiency, kGlobalStoreSectorEfficiency}},
      {"InstructionStats", {kWarpInstructions}},
      {"WarpStateStats",
       {kWarpExecutionEfficiency, kWarpNonpredExecutionEfficiency, kActiveWarpCycles, kBarrierStallWarpCycles,
        kLongScoreboardStallWarpCycles, kShortScoreboardStallWarpCycles, kWaitStallWarpCycles}},
      {"Occupancy", {kOccupancy}},
      {"SourceCounters", {kBranchTargetsDivergent}}};
  return all;
}

std::string how_to_get(const Metric& metric) {
  for (const Section& section : sections()) {
    const bool brings = std::ranges::find(section.keys, metric.key) != section.keys.end();
    if (brings) return fmt::format("--section {}", section.name);
  }
  return fmt::format("--metrics {}", metric.names.front());
}

/// The types of Tensor Cores, and the first compute capability that has them.
struct TensorType {
  std::string_view key;
  int since = 0;
};
constexpr std::array kTensorTypes = {
    TensorType{counter::kTensorF16Ops, 70},  TensorType{counter::kTensorI8Ops, 72},
    TensorType{counter::kTensorBf16Ops, 80}, TensorType{counter::kTensorTf32Ops, 80},
    TensorType{counter::kTensorF64Ops, 80},  TensorType{counter::kTensorF8Ops, 89}};

/// The cycles of the unit that a metric belongs to, while the kernel ran: `smsp__…` those of `smsp`.
std::optional<double> cycles_of(const NcuKernel& kernel, std::string_view metric) {
  const std::string unit(metric.substr(0, metric.find("__")));
  const auto per_s = ncu_metric(kernel, unit + "__cycles_elapsed.avg.per_second");
  const auto time_s = ncu_metric(kernel, kDurationMetric);
  return per_s && time_s ? std::optional(*per_s * *time_s) : std::nullopt;
}

/// A metric, or what one of its rates amounts to.
std::optional<double> value_or_rate(const NcuKernel& kernel, std::string_view name) {
  if (const auto value = ncu_metric(kernel, name)) return value;
  const std::string metric(name);
  if (const auto per_s = ncu_metric(kernel, metric + ".per_second")) {
    const auto time_s = ncu_metric(kernel, kDurationMetric);
    if (time_s) return *per_s * *time_s;
  }
  if (const auto per_cycle = ncu_metric(kernel, metric + ".per_cycle_elapsed")) {
    const auto cycles = cycles_of(kernel, name);
    if (cycles) return *per_cycle * *cycles;
  }
  return std::nullopt;
}

std::optional<double> other_value(const NcuKernel& kernel, std::string_view key) {
  for (const OtherMetric& other : kOtherMetrics) {
    if (other.key != key) continue;
    std::optional<double> sum = 0;
    for (const std::string_view name : other.names) {
      const auto part = name.empty() ? std::optional(0.0) : value_or_rate(kernel, name);
      sum = sum && part ? std::optional(*sum + *part) : std::nullopt;
    }
    if (sum) return *sum * other.scale;
  }
  return std::nullopt;
}

/// What WarpStateStats has of warp cycles: how many there are of each kind for each instruction issued.
struct StallMetric {
  std::string_view key;
  std::string name;
};

const std::vector<StallMetric>& stall_ratios() {
  static const std::vector<StallMetric> all = [] {
    std::vector<StallMetric> metrics = {
        {counter::kActiveWarpCycles, "smsp__average_warp_latency_per_inst_issued.ratio"}};
    for (const StallReason& reason : stall_reasons()) {
      metrics.push_back(
          {reason.key,
           fmt::format("smsp__average_warps_issue_stalled_{}_per_issue_active.ratio", reason.id)});
    }
    return metrics;
  }();
  return all;
}

constexpr std::string_view kIssuedMetric = "smsp__inst_issued.sum";

std::optional<double> warp_cycles(const NcuKernel& kernel, std::string_view key) {
  const auto issued = value_or_rate(kernel, kIssuedMetric);
  const auto instructions = issued ? issued : value_or_rate(kernel, "smsp__inst_executed.sum");
  if (!instructions) return std::nullopt;
  for (const StallMetric& metric : stall_ratios()) {
    if (metric.key != key) continue;
    const auto of_each = ncu_metric(kernel, metric.name);
    return of_each ? std::optional(*of_each * *instructions) : std::nullopt;
  }
  return std::nullopt;
}

CounterValue counter_of(const NcuKernel& kernel, const Metric& metric) {
  for (const std::string_view name : metric.names) {
    if (const auto value = value_or_rate(kernel, name)) return CounterValue::measured(*value * metric.scale);
  }
  if (const auto value = other_value(kernel, metric.key)) return CounterValue::measured(*value);
  if (const auto cycles = warp_cycles(kernel, metric.key)) return CounterValue::measured(*cycles);
  const auto unreadable = kernel.metrics.find(metric.names.front());
  if (unreadable != kernel.metrics.end()) return unreadable->second.value;
  return CounterValue::unavailable(fmt::format("not in the report; ncu {} adds it", how_to_get(metric)));
}

/// Where the report has all types that the chip has, there were no operations of other types.
void add_types_that_are_not_there(Counters& counters, const NcuKernel& kernel) {
  const auto capability = ncu_compute_capability(kernel);
  const bool are_counted = std::ranges::any_of(
      kTensorTypes, [&](const TensorType& type) { return value_of(counters, type.key).has_value(); });
  if (!capability || !are_counted) return;
  for (const TensorType& type : kTensorTypes) {
    if (*capability < type.since) {
      counters.insert_or_assign(std::string(type.key), CounterValue::measured(0));
    }
  }
}

std::set<std::string, std::less<>> imported_metrics() {
  std::set<std::string, std::less<>> names;
  const auto add = [&](std::string_view name) {
    const std::string metric(name);
    names.insert(metric);
    if (!metric.ends_with(".sum")) return;
    names.insert(metric + ".per_second");
    names.insert(metric + ".per_cycle_elapsed");
    names.insert(metric.substr(0, metric.find("__")) + "__cycles_elapsed.avg.per_second");
  };
  for (const auto* metrics : {&basic_metrics(), &tensor_metrics(), &pipe_metrics(), &stall_metrics()}) {
    for (const Metric& metric : *metrics) {
      for (const std::string_view name : metric.names) add(name);
    }
  }
  for (const OtherMetric& other : kOtherMetrics) {
    for (const std::string_view name : other.names) add(name);
  }
  for (const StallMetric& metric : stall_ratios()) names.insert(metric.name);
  add(kIssuedMetric);
  for (const std::string_view name : kLaunchMetrics) add(name);
  add(kDurationMetric);
  for (const std::string_view name : ncu_device_metrics()) names.emplace(name);
  names.erase("");
  return names;
}

}  // namespace

bool is_imported_metric(std::string_view name) {
  static const std::set<std::string, std::less<>> names = imported_metrics();
  return names.find(name) != names.end();
}

std::optional<double> ncu_metric(const NcuKernel& kernel, std::string_view name) {
  const auto found = kernel.metrics.find(name);
  return found == kernel.metrics.end() ? std::nullopt : found->second.value.value();
}

CounterValue ncu_duration(const NcuKernel& kernel) {
  const auto found = kernel.metrics.find(kDurationMetric);
  if (found != kernel.metrics.end()) return found->second.value;
  return CounterValue::unavailable("its time is not in the report; ncu --section SpeedOfLight adds it");
}

Counters ncu_counters(const NcuKernel& kernel) {
  Counters counters;
  for (const auto* metrics : {&basic_metrics(), &tensor_metrics(), &pipe_metrics()}) {
    for (const Metric& metric : *metrics) {
      counters.insert_or_assign(std::string(metric.key), counter_of(kernel, metric));
    }
  }
  for (const Metric& metric : stall_metrics()) {
    const CounterValue value = counter_of(kernel, metric);
    if (value.available()) counters.insert_or_assign(std::string(metric.key), value);
  }
  add_types_that_are_not_there(counters, kernel);
  const auto bytes = other_value(kernel, counter::kDramBytes);
  if (bytes && !dram_bytes(counters)) {
    counters.insert_or_assign(std::string(counter::kDramBytes), CounterValue::measured(*bytes));
  }
  return counters;
}

}  // namespace rooflinectl
