// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "analysis/roofline/point.h"
#include "core/stats/repeated_counters.h"

namespace rooflinectl {

namespace {

constexpr std::array kDram = {counter::kDramReadBytes, counter::kDramWriteBytes};
constexpr std::array kFloatOperations = {
    counter::kFadd,         counter::kFmul,          counter::kFfma,          counter::kFadd2,
    counter::kFmul2,        counter::kFfma2,         counter::kDadd,          counter::kDmul,
    counter::kDfma,         counter::kHadd,          counter::kHmul,          counter::kHfma,
    counter::kTensorF16Ops, counter::kTensorBf16Ops, counter::kTensorTf32Ops, counter::kTensorF8Ops,
    counter::kTensorF64Ops};
constexpr std::array kInstructions = {counter::kWarpInstructions, counter::kWarpInstructionsSass,
                                      counter::kIntegerOps, counter::kBranchTargets};
constexpr std::array kSharedMemory = {counter::kSharedLoadWavefronts, counter::kSharedStoreWavefronts};

/// Smaller differences come from waiting loops and mean nothing for the kernel.
constexpr double kSmallestObservedSpread = 0.02;

double measured_spread(const Measurement& measurement, std::string_view key) {
  const auto found = measurement.counter_spread.find(std::string(key));
  return found == measurement.counter_spread.end() ? 0 : found->second;
}

/// The spread of the sum of several counters: counters with small values hardly matter.
template <typename Keys>
double spread_of_sum(const Measurement& measurement, const Keys& keys) {
  double sum = 0;
  double spread = 0;
  for (const std::string_view key : keys) {
    const double value = value_of(measurement.counters, key).value_or(0);
    sum += value;
    spread += value * measured_spread(measurement, key);
  }
  return sum > 0 ? spread / sum : 0;
}

/// `12 %`; from 100 % on, `4.5 times its mean`.
std::string spread_text(double spread, std::string_view middle) {
  return spread < 1 ? fmt::format("{:.2g} %", 100 * spread)
                    : fmt::format("{:.2g} times its {}", spread, middle);
}

double instructions_spread(const Measurement& measurement, std::string_view key) {
  return std::max(measured_spread(measurement, key), difference_between_passes(measurement.counters));
}

}  // namespace

double largest_count_spread(const Measurement& measurement) {
  double largest =
      std::max(spread_of_sum(measurement, kFloatOperations), spread_of_sum(measurement, kSharedMemory));
  for (const std::string_view key : kInstructions) {
    largest = std::max(largest, instructions_spread(measurement, key));
  }
  return largest;
}

double operations_spread(const Measurement& measurement) {
  return is_integer(precision_of(measurement)) ? instructions_spread(measurement, counter::kIntegerOps)
                                               : spread_of_sum(measurement, kFloatOperations);
}

double dram_spread(const Measurement& measurement) {
  return spread_of_sum(measurement, kDram);
}

std::optional<double> relative_half_width_of_work(const Measurement& measurement, Bound resource) {
  // Of the mean of so many values of a normal distribution, over their range.
  constexpr std::array kOverRange = {6.353, 1.304, 0.717, 0.507, 0.399, 0.333, 0.288, 0.255, 0.230};
  const int counted = measurement.counter_repeats;
  if (counted < 2) return std::nullopt;
  if (measurement.launches && measurement.launches->period) return 0;
  const auto place = static_cast<std::size_t>(counted - 2);
  const double over_range =
      place < kOverRange.size() ? kOverRange.at(place) : 1.35 * std::pow(counted, -0.77);
  switch (resource) {
    case Bound::dram:
      return over_range * dram_spread(measurement);
    case Bound::l2:
      return over_range * measured_spread(measurement, counter::kL2Bytes);
    case Bound::l1:
      return over_range * measured_spread(measurement, counter::kL1Bytes);
    case Bound::shared:
      return over_range * measured_spread(measurement, counter::kSharedBytes);
    case Bound::alu:
      return over_range * measured_spread(measurement, counter::kAluPipeInstructions);
    case Bound::xu:
      return over_range * measured_spread(measurement, counter::kXuPipeInstructions);
    case Bound::issue_slots:
      return over_range * measured_spread(measurement, counter::kWarpInstructions);
    default:
      return over_range * spread_of_sum(measurement, kFloatOperations);
  }
}

bool is_of_all_launches(const Measurement& measurement) {
  constexpr double kAlike = 0.2;
  if (!measurement.launches || measurement.launches->period || measurement.launches->counters_scale)
    return true;
  return std::max(spread_of_sum(measurement, kFloatOperations),
                  measured_spread(measurement, counter::kWarpInstructions)) <= kAlike;
}

std::optional<std::string> cluster_evidence(const Measurement& measurement) {
  if (!measurement.launches || !measurement.launches->clusters) return std::nullopt;
  // Earlier versions told launches apart by packed f16 multiply-adds, too.
  const bool is_by_products = measurement.launches->clusters->counter == counter::kTensorPipeInstructions;
  if (is_by_products && tensor_instructions(measurement.counters) == 0) return std::nullopt;
  const std::vector<WorkCluster>& parts = measurement.launches->clusters->parts;
  std::vector<std::string> texts;
  for (const WorkCluster& part : parts) {
    const double times = part.mean / parts.front().mean;
    texts.push_back(&part == &parts.front()  ? fmt::format("{:.0f} % do the least", 100 * part.share)
                    : parts.front().mean > 0 ? fmt::format("{:.0f} % {:.{}f} times as much", 100 * part.share,
                                                           times, times < 10 ? 1 : 0)
                                             : fmt::format("{:.0f} % more", 100 * part.share));
  }
  return fmt::format("its launches do different work: by {}, {}; its numbers are those of their mean",
                     measurement.launches->clusters->counter, fmt::join(texts, ", "));
}

std::optional<std::string> unrepeatable_evidence(const Measurement& measurement) {
  std::string_view widest;
  double spread = 0;
  const auto consider = [&](std::string_view key) {
    if (measured_spread(measurement, key) <= spread) return;
    widest = key;
    spread = measured_spread(measurement, key);
  };
  for (const std::string_view key : kInstructions) consider(key);
  for (const std::string_view key : kFloatOperations) consider(key);
  if (is_observed(measurement)) {
    // A program's launches work on different data each time, and none is counted twice.
    const LaunchStatistics& launches = *measurement.launches;
    if (spread < kSmallestObservedSpread || launches.period) return std::nullopt;
    const std::string scaled =
        launches.counters_scale
            ? fmt::format("; counters are scaled by {:.3g}, to the mean time of all launches",
                          *launches.counters_scale)
            : "";
    return fmt::format("{} differs by {} between the {} launches that were counted{}", widest,
                       spread_text(spread, "mean"), launches.counted, scaled);
  }
  if (spread > 0) {
    return fmt::format("{} differs by {} between {} counts of the same launch", widest,
                       spread_text(spread, "median"), measurement.counter_repeats);
  }
  const double difference = difference_between_passes(measurement.counters);
  if (difference == 0) return std::nullopt;
  return fmt::format(
      "the hardware counted {:.0f} warp instructions, instrumentation {:.0f} in another launch: {:.2g} % "
      "apart",
      *value_of(measurement.counters, counter::kWarpInstructions),
      *value_of(measurement.counters, counter::kWarpInstructionsSass), 100 * difference);
}

}  // namespace rooflinectl
