// SPDX-License-Identifier: Apache-2.0
#include "core/stats/repeated_counters.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/stats/statistics.h"

namespace rooflinectl {

RepeatedCounters repeated(std::span<const Counters> repetitions) {
  RepeatedCounters result{.counters = repetitions.front(), .repeats = static_cast<int>(repetitions.size())};
  for (auto& [key, value] : result.counters) {
    std::vector<double> values;
    for (const Counters& counters : repetitions) {
      const auto found = counters.find(key);
      if (found == counters.end()) continue;
      if (!found->second.available()) value = found->second;
      if (const auto number = found->second.value()) values.push_back(*number);
    }
    if (!value.available()) continue;
    const double middle = median(values);
    const auto [least, largest] = std::ranges::minmax_element(values);
    value = CounterValue::measured(middle);
    if (*largest > *least) result.spread[key] = (*largest - *least) / (middle > 0 ? middle : *largest);
  }
  return result;
}

void AveragedCounters::add(const Counters& counters, double launches) {
  ++repeats_;
  for (const auto& [key, value] : counters) {
    Average& average = averages_[key];
    if (!value.available()) {
      average.reason = value.reason();
      continue;
    }
    const double number = *value.value();
    average.least = average.launches == 0 ? number : std::min(average.least, number);
    average.largest = average.launches == 0 ? number : std::max(average.largest, number);
    average.sum += launches * number;
    average.launches += launches;
  }
}

RepeatedCounters AveragedCounters::result() const {
  RepeatedCounters result{.counters = {}, .repeats = repeats_, .spread = {}};
  for (const auto& [key, average] : averages_) {
    if (average.launches == 0) {
      result.counters.emplace(key, CounterValue::unavailable(average.reason));
      continue;
    }
    const double mean = average.sum / average.launches;
    result.counters.emplace(key, CounterValue::measured(mean));
    if (average.largest > average.least) result.spread[key] = (average.largest - average.least) / mean;
  }
  return result;
}

double difference_between_passes(const Counters& counters) {
  const auto hardware = value_of(counters, counter::kWarpInstructions);
  const auto instrumented = value_of(counters, counter::kWarpInstructionsSass);
  if (!hardware || !instrumented || *hardware == *instrumented) return 0;
  return std::abs(*hardware - *instrumented) / std::max(*hardware, *instrumented);
}

}  // namespace rooflinectl
