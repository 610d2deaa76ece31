// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "core/counters/metrics.h"
#include "core/program/profile_settings.h"
#include "runner/profiling/points/groups.h"

namespace rooflinectl {

namespace {

constexpr double kLeastL1Share = 0.9;
/// Launches whose instructions differ by no more than this part of them are taken to do the same.
constexpr double kSameWork = 0.01;
/// The part of launches, and of their instructions, that may have none that did the same.
constexpr double kMostWithoutSame = 0.01;

void withdraw(RepeatedCounters& counted, std::string_view key, const std::string& reason) {
  const auto found = counted.counters.find(key);
  if (found == counted.counters.end()) return;
  if (found->second.available()) found->second = CounterValue::unavailable(reason);
  counted.spread.erase(std::string(key));
}

double spread_of(const RepeatedCounters& counted, std::string_view key) {
  const auto found = counted.spread.find(std::string(key));
  return found == counted.spread.end() ? 0 : found->second;
}

struct Launched {
  std::optional<double> warps;  ///< of a launch; that of a graph is not known
  int instrumented = 0;         ///< launches with instrumented code
};

/// Whether the hardware counted no more than the program's instructions and those that the trace adds.
bool differ_by_trace(double hardware, double instrumented, std::optional<double> warps) {
  const double most_added =
      warps ? record::kMostTraceInstructions * *warps + record::kOwnInstructions : instrumented;
  return hardware >= instrumented && hardware - instrumented <= most_added;
}

/// The part of the larger number by which they differ, beyond what the trace may have added.
double difference_of(double hardware, double instrumented, std::optional<double> warps) {
  if (instrumented >= hardware) return instrumented > 0 ? (instrumented - hardware) / instrumented : 0;
  const double most_added = warps ? record::kMostTraceInstructions * *warps + record::kOwnInstructions : 0;
  return std::max(0.0, hardware - most_added - instrumented) / hardware;
}

/// Whether instrumented warps executed more, but not many more, than the hardware counted. They are slower,
/// so those that wait for others in a loop go round more often; instructions that were not instrumented would
/// be missing instead. Launches that differ as much from each other need no such explanation.
bool is_polling_more(const RepeatedCounters& counted, double hardware, double instrumented) {
  const double more = instrumented / hardware - 1;
  return instrumented <= record::kMostPolling * hardware &&
         more > std::max(record::kMostDifference, spread_of(counted, counter::kWarpInstructions));
}

/// Whether instrumented warps executed fewer since what they wait for is ready sooner, by their clock: then
/// launches of the same work differ in how many instructions the hardware counts, and in nothing else.
bool is_polling_less(const RepeatedCounters& counted, double hardware, double instrumented,
                     const Launched& launched) {
  using namespace counter;
  constexpr int kFewestLaunches = 3;
  constexpr double kSameTraffic = 0.01;
  const int launches = std::min(counted.repeats, launched.instrumented);
  if (launches < kFewestLaunches || hardware <= instrumented) return false;
  const double of_trace = record::kMostTraceInstructions * launched.warps.value_or(0);
  const bool is_likely = hardware - of_trace <= record::kMostPolling * instrumented &&
                         spread_of(counted, kWarpInstructions) * hardware > record::kOwnInstructions;
  const std::array operations = {kFadd, kFmul, kFfma, kDadd, kDmul, kDfma, kHadd, kHmul, kHfma};
  const bool is_same_work =
      value_of(counted.counters, kL2Bytes) && spread_of(counted, kL2Bytes) <= kSameTraffic &&
      std::ranges::all_of(operations, [&](std::string_view key) { return spread_of(counted, key) == 0; });
  return is_likely && is_same_work;
}

/// Such loops do no arithmetic on floating-point numbers; what they do execute depends on the speed.
void withdraw_polling(RepeatedCounters& counted, const Launched& launched) {
  const auto hardware = value_of(counted.counters, counter::kWarpInstructions);
  const auto instrumented = value_of(counted.counters, counter::kWarpInstructionsSass);
  if (!hardware || !instrumented) return;
  const bool is_more = is_polling_more(counted, *hardware, *instrumented);
  const bool is_other =
      is_more || (difference_of(*hardware, *instrumented, launched.warps) > record::kMostDifference &&
                  is_polling_less(counted, *hardware, *instrumented, launched));
  if (!is_other) return;
  const std::string reason = fmt::format(
      "instrumented warps executed {:.0f} instructions instead of {:.0f}: they wait in loops, which ran {} "
      "iterations",
      *instrumented, *hardware, is_more ? "more" : "fewer");
  for (const std::string_view key :
       {counter::kIntegerOps, counter::kBranchTargets, counter::kBranchTargetsDivergent,
        counter::kSharedLoadInstructions, counter::kSharedStoreInstructions, counter::kSharedLoadWavefronts,
        counter::kSharedStoreWavefronts, counter::kSharedBytes, counter::kWarpInstructionsSass}) {
    withdraw(counted, key, reason);
  }
}

std::optional<std::string> failure_of_instrumentation(const RepeatedCounters& counted,
                                                      const Launched& launched) {
  const Counters& counters = counted.counters;
  const auto hardware = value_of(counters, counter::kWarpInstructions);
  const auto instrumented = value_of(counters, counter::kWarpInstructionsSass);
  if (!instrumented) return std::nullopt;
  if (*instrumented == 0 && hardware != 0) {
    return hardware
               ? fmt::format("instrumentation counted none of the {:.0f} instructions that warps executed",
                             *hardware)
               : "instrumentation counted no instructions";
  }
  if (!hardware || differ_by_trace(*hardware, *instrumented, launched.warps)) return std::nullopt;
  const double most = std::max({record::kMostDifference, spread_of(counted, counter::kWarpInstructions),
                                spread_of(counted, counter::kWarpInstructionsSass)});
  if (difference_of(*hardware, *instrumented, launched.warps) <= most ||
      is_polling_more(counted, *hardware, *instrumented) ||
      is_polling_less(counted, *hardware, *instrumented, launched)) {
    return std::nullopt;
  }
  return fmt::format(
      "the launches counted here executed {:.0f} warp instructions, those counted by the hardware {:.0f}",
      *instrumented, *hardware);
}

/// What the trace adds is not the program's.
void leave_out_trace(RepeatedCounters& counted, std::optional<double> warps) {
  const auto hardware = value_of(counted.counters, counter::kWarpInstructions);
  const auto instrumented = value_of(counted.counters, counter::kWarpInstructionsSass);
  if (!hardware || !instrumented || !differ_by_trace(*hardware, *instrumented, warps)) return;
  counted.counters.insert_or_assign(std::string(counter::kWarpInstructions),
                                    CounterValue::measured(*instrumented));
}

void check_operations(RepeatedCounters& counted, const Launched& launched) {
  const auto failure = failure_of_instrumentation(counted, launched);
  if (failure) {
    for (const Metric& metric : pass_metrics(Pass::operations)) withdraw(counted, metric.key, *failure);
    return;
  }
  leave_out_trace(counted, launched.warps);
  withdraw_polling(counted, launched);
}

void check_tensors(RepeatedCounters& counted) {
  if (tensor_instructions(counted.counters).value_or(0) <= 0 || executed_tensor_ops(counted.counters)) return;
  for (const Metric& metric : tensor_metrics()) {
    withdraw(counted, metric.key, "tensor instructions ran, but of none of the types that were counted");
  }
}

void check_l1(RepeatedCounters& counted, bool has_matrix_bytes) {
  const auto l1 = value_of(counted.counters, counter::kL1Bytes);
  const auto l2 = value_of(counted.counters, counter::kL2Bytes);
  if (!l1 || !l2 || *l1 >= kLeastL1Share * *l2) return;
  const std::string reason(counter::kBulkCopiesBypassL1);
  withdraw(counted, counter::kL1Bytes, reason);
  if (!has_matrix_bytes) {
    withdraw(counted, counter::kSharedBytes,
             "this chip does not count what tcgen05 reads from shared memory");
  }
  // They count only the few loads and stores that do not.
  withdraw(counted, counter::kGlobalLoadSectorEfficiency, reason);
  withdraw(counted, counter::kGlobalStoreSectorEfficiency, reason);
}

void scale_counts(RepeatedCounters& counted, const std::map<std::string, double>& scales) {
  for (auto& [key, value] : counted.counters) {
    const auto found = scales.find(key);
    if (found == scales.end() || !value.available()) continue;
    value = CounterValue::measured(*value.value() * found->second);
  }
}

/// The launches of this pass have no times by which its counters could be scaled; but they have instructions,
/// which the hardware counted in launches that were.
void scale_operations(RepeatedCounters& counted) {
  const auto hardware = value_of(counted.counters, counter::kWarpInstructions);
  const auto instrumented = value_of(counted.counters, counter::kWarpInstructionsSass);
  if (!hardware || instrumented.value_or(0) <= 0) return;
  for (const Metric& metric : pass_metrics(Pass::operations)) {
    const auto found = counted.counters.find(metric.key);
    if (found == counted.counters.end() || !found->second.available() || !is_count(metric.key)) continue;
    found->second = CounterValue::measured(*found->second.value() * *hardware / *instrumented);
  }
}

/// Whether what `key` counts is a notable part of a kernel's work. A few multiply-adds of threads are not.
bool is_notable(const Counters& mean, std::string_view key) {
  constexpr double kNotablePart = 0.05;
  constexpr double kThreadsOfWarp = 32;
  if (key != counter::kFfma && key != counter::kDfma) return true;
  const double warps = value_of(mean, key).value_or(0) / kThreadsOfWarp;
  return warps >= kNotablePart * value_of(mean, counter::kWarpInstructions).value_or(0);
}

/// By the first of these counters that tells launches apart. `mean`: of the group.
std::optional<WorkClusters> clusters_of(const CountedPasses& counted, const Counters& mean,
                                        std::size_t period) {
  using namespace counter;
  for (const std::string_view key :
       {kTensorBf16Ops, kTensorF16Ops, kTensorTf32Ops, kTensorF8Ops, kTensorI8Ops, kTensorF64Ops,
        kTensorPipeInstructions, kFfma, kDfma, kWarpInstructions}) {
    if (!is_notable(mean, key)) continue;
    for (const auto& [pass, launches] : counted) {
      if (auto clusters = launches.clusters(key, period)) return clusters;
    }
  }
  return std::nullopt;
}

/// The operations of launches that did what those did which the hardware counted.
std::optional<RepeatedCounters> operations_of_the_same(const CountedPasses& counted,
                                                       std::optional<double> warps, std::size_t period) {
  const auto hardware = counted.find(to_string(Pass::memory));
  const auto instrumented = counted.find(to_string(Pass::operations));
  if (hardware == counted.end() || instrumented == counted.end()) return std::nullopt;
  return instrumented->second.mean_as_in(hardware->second, warps, period);
}

double further_from_1(const std::optional<double>& a, double b) {
  return a && std::abs(std::log(*a)) > std::abs(std::log(b)) ? *a : b;
}

}  // namespace

GroupCounters counters_of_group(const CountedPasses& counted, std::optional<double> warps,
                                const MissingReason& missing, const LaunchPattern& pattern,
                                bool has_matrix_bytes) {
  GroupCounters group;
  RepeatedCounters& result = group.counted;
  Launched launched = {.warps = warps};
  std::map<std::string, double> scales;  // of counts, by their keys
  const auto add = [&](const RepeatedCounters& of_pass) {
    for (const auto& [key, value] : of_pass.counters) {
      result.counters.insert_or_assign(key, value);
      result.spread.erase(key);
    }
    for (const auto& [key, spread] : of_pass.spread) result.spread.insert_or_assign(key, spread);
  };
  for (const Pass pass : kPasses) {
    const auto found = counted.find(to_string(pass));
    if (found != counted.end()) {
      const CountedLaunches::Mean mean = found->second.mean(pattern);
      const RepeatedCounters& of_pass = mean.counters;
      if (mean.is_of_each_place) group.period = pattern.period;
      if (mean.scale) group.scale = further_from_1(group.scale, *mean.scale);
      add(of_pass);
      for (const auto& [key, value] : of_pass.counters) {
        if (is_count(key)) scales.insert_or_assign(key, mean.scale.value_or(1));
      }
      // Of launches that all do the same, one was instrumented; and the program may end before the last pass
      // has all launches.
      if (pass == Pass::operations) launched.instrumented = of_pass.repeats;
      if ((pass >= Pass::stalls || pass == Pass::operations) && result.repeats > 0) continue;
      result.repeats = result.repeats == 0 ? of_pass.repeats : std::min(result.repeats, of_pass.repeats);
    } else if (pass <= Pass::tensor) {  // the others count only what these have seen something of
      const std::string reason = missing(std::string(to_string(pass)));
      for (const Metric& metric : pass_metrics(pass)) {
        if (metric.key == counter::kCountedTimeS) continue;
        result.counters.try_emplace(std::string(metric.key), CounterValue::unavailable(reason));
      }
    }
  }
  const double differ_by = std::max(spread_of(result, counter::kWarpInstructions),
                                    spread_of(result, counter::kWarpInstructionsSass));
  if (differ_by > record::kMostDifference || failure_of_instrumentation(result, launched)) {
    if (const auto operations = operations_of_the_same(counted, warps, pattern.period)) add(*operations);
  }
  check_operations(result, launched);  // as they were counted
  scale_counts(result, scales);
  if (group.scale) scale_operations(result);
  check_l1(result, has_matrix_bytes);
  check_tensors(result);
  group.clusters = clusters_of(counted, result.counters, pattern.period);
  return group;
}

bool derive_tensor_operations(RepeatedCounters& counted, const DecodedTensor& decoded) {
  const double instructions = tensor_instructions(counted.counters).value_or(0);
  if (instructions <= 0 || !decoded.operations || executed_tensor_ops(counted.counters)) return false;
  for (const Metric& metric : tensor_metrics()) {
    const double operations = metric.key == decoded.counters.front() ? instructions * *decoded.operations : 0;
    counted.counters.insert_or_assign(std::string(metric.key), CounterValue::measured(operations));
    counted.spread.erase(std::string(metric.key));
  }
  return true;
}

void CountedLaunches::add(const Counters& counters, LaunchPlace place) {
  launches_.push_back({counters, place});
}

void CountedLaunches::add_instructions(std::map<std::size_t, InstructionsOfLaunches>& to) const {
  for (const Launch& launch : launches_) {
    if (const auto instructions = value_of(launch.counters, counter::kWarpInstructions))
      to[launch.place.process].emplace(launch.place.order(), *instructions);
  }
}

void CountedLaunches::leave_out_before(const std::map<std::size_t, LaunchOrder>& first) {
  const auto is_before = [&](const Launch& launch) {
    const auto found = first.find(launch.place.process);
    return found != first.end() && launch.place.order() < found->second;
  };
  // Which of the times are theirs is not known.
  if (std::erase_if(launches_, is_before) > 0) timed_ = 0;
}

void CountedLaunches::add_time(double time_s) {
  ++timed_;
  timed_s_ += time_s;
}

/// Of each launch; empty unless there is a period and each place of it was counted in each process.
std::vector<double> CountedLaunches::weights_by_place(std::size_t period) const {
  if (period <= 1) return {};
  std::map<std::size_t, std::map<std::uint64_t, std::size_t>> counted;  // by process and place
  for (const Launch& launch : launches_) ++counted[launch.place.process][launch.place.ordinal % period];
  for (const auto& [process, places] : counted) {
    if (places.size() < period) return {};
  }
  std::vector<double> weights;
  for (const Launch& launch : launches_) {
    const std::size_t times = counted[launch.place.process][launch.place.ordinal % period];
    weights.push_back(1.0 / static_cast<double>(times));
  }
  return weights;
}

std::optional<double> CountedLaunches::mean_time_s() const {
  // A launch that was not counted after all has a traced time, too.
  const bool is_traced = timed_ == launches_.size();
  double sum_s = is_traced ? timed_s_ : 0;
  for (const Launch& launch : launches_) {
    if (is_traced) break;
    const auto time_s = value_of(launch.counters, counter::kCountedTimeS);
    if (!time_s) return std::nullopt;
    sum_s += *time_s;
  }
  return sum_s > 0 ? std::optional(sum_s / static_cast<double>(launches_.size())) : std::nullopt;
}

std::optional<WorkClusters> CountedLaunches::clusters(std::string_view key, std::size_t period) const {
  constexpr double kNotableFactor = 1.2;
  constexpr double kNotablePart = 0.02;
  constexpr std::size_t kMost = 4;
  const std::vector<double> weights = weights_by_place(period);
  std::vector<std::pair<double, double>> values;  // with the weights of their launches
  double all = 0;
  for (std::size_t i = 0; i < launches_.size(); ++i) {
    const Counters& counters = launches_[i].counters;
    // Of the tensor pipe only matrix products: packed f16 multiply-adds are a few instructions among many.
    const auto value =
        key == counter::kTensorPipeInstructions ? tensor_instructions(counters) : value_of(counters, key);
    if (!value) return std::nullopt;
    values.emplace_back(*value, weights.empty() ? 1 : weights[i]);
    all += values.back().second;
  }
  std::ranges::sort(values);
  WorkClusters found = {.counter = std::string(key)};
  double last = 0;
  for (const auto& [value, weight] : values) {
    if (found.parts.empty() || value > kNotableFactor * last) found.parts.emplace_back();
    found.parts.back().share += weight / all;
    found.parts.back().mean += weight * value;
    last = value;
  }
  for (WorkCluster& part : found.parts) part.mean /= part.share * all;
  const bool are_notable =
      std::ranges::all_of(found.parts, [](const WorkCluster& part) { return part.share >= kNotablePart; });
  const bool is_clustered = found.parts.size() > 1 && found.parts.size() <= kMost && are_notable;
  return is_clustered ? std::optional(std::move(found)) : std::nullopt;
}

/// The launches that may have done the same as one of which the hardware counted so many instructions.
std::vector<std::size_t> CountedLaunches::same_as(double hardware, std::optional<double> warps) const {
  std::vector<std::size_t> same;
  for (std::size_t i = 0; i < launches_.size(); ++i) {
    const auto executed = value_of(launches_[i].counters, counter::kWarpInstructionsSass);
    if (executed && difference_of(hardware, *executed, warps) <= kSameWork) same.push_back(i);
  }
  return same;
}

/// Whether these executed as many instructions.
bool CountedLaunches::are_alike(const std::vector<std::size_t>& launches) const {
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  for (const std::size_t launch : launches) {
    const double executed = *value_of(launches_[launch].counters, counter::kWarpInstructionsSass);
    least = std::min(least, executed);
    most = std::max(most, executed);
  }
  return most <= (1 + kSameWork) * least;
}

std::optional<RepeatedCounters> CountedLaunches::mean_as_in(const CountedLaunches& hardware,
                                                            std::optional<double> warps,
                                                            std::size_t period) const {
  const std::vector<double> of_hardware = hardware.weights_by_place(period);
  std::vector<double> weights(launches_.size());
  double launches = 0;
  double launches_without_same = 0;
  double executed = 0;
  double executed_without_same = 0;
  for (std::size_t i = 0; i < hardware.launches_.size(); ++i) {
    const auto instructions = value_of(hardware.launches_[i].counters, counter::kWarpInstructions);
    if (!instructions) return std::nullopt;
    const double weight = of_hardware.empty() ? 1 : of_hardware[i];
    const std::vector<std::size_t> same = same_as(*instructions, warps);
    if (!are_alike(same)) return std::nullopt;
    launches += weight;
    executed += weight * *instructions;
    if (same.empty()) {
      launches_without_same += weight;
      executed_without_same += weight * *instructions;
    }
    for (const std::size_t launch : same) weights[launch] += weight / static_cast<double>(same.size());
  }
  if (launches_without_same > kMostWithoutSame * launches ||
      executed_without_same > kMostWithoutSame * executed) {
    return std::nullopt;
  }
  return weighted_mean(weights);
}

/// Of those with a weight; of all alike if there are no weights.
RepeatedCounters CountedLaunches::weighted_mean(const std::vector<double>& weights) const {
  AveragedCounters averaged;
  for (std::size_t i = 0; i < launches_.size(); ++i) {
    const double weight = weights.empty() ? 1 : weights[i];
    if (weight > 0) averaged.add(launches_[i].counters, weight);
  }
  return averaged.result();
}

CountedLaunches::Mean CountedLaunches::mean(const LaunchPattern& pattern) const {
  const std::vector<double> weights = weights_by_place(pattern.period);
  Mean mean = {.counters = weighted_mean(weights)};
  mean.counters.counters.erase(std::string(counter::kCountedTimeS));
  mean.counters.spread.erase(std::string(counter::kCountedTimeS));
  mean.is_of_each_place = !weights.empty();
  const auto counted_s = mean_time_s();
  if (mean.is_of_each_place || pattern.period == 1 || !counted_s || pattern.mean_s <= 0) return mean;
  mean.scale = pattern.mean_s / *counted_s;
  return mean;
}

}  // namespace rooflinectl
