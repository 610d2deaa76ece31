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
    const auto [least, largest] = std::minmax_element(values.begin(), values.end());
    value = CounterValue::measured(middle);
    if (*largest > *least) result.spread[key] = (*largest - *least) / (middle > 0 ? middle : *largest);
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
