// SPDX-License-Identifier: Apache-2.0
#include "analysis/roofline/steps/counter_changes.h"

#include <algorithm>
#include <cmath>

#include "analysis/roofline/quantities/quantities.h"

namespace rooflinectl {

namespace {

/// A ratio that goes from 0.01 % to 0.02 % has doubled, and means nothing.
constexpr double kSmallestRatioChange = 0.01;

/// By how much a quantity, never negative, changed up or down: at least 1, infinite from or to zero.
double factor(const CounterChange& change) {
  if (change.from == change.to) return 1;
  return std::max(change.from, change.to) / std::min(change.from, change.to);
}

/// The logarithm of the factor by which a move alone would change the time, positive if it makes a kernel
/// faster. Infinite from or to zero.
double log_gain(const CounterChange& change) {
  return change.quantity->change->is_cost ? std::log(change.from / change.to)
                                          : std::log(change.to / change.from);
}

/// Whether `quantity` measures a kernel's demand for a resource: per element of a variant, per launch of a
/// program's kernel.
bool is_demand_of(Bound bound, const Quantity* quantity) {
  using namespace quantity;
  switch (bound) {
    case Bound::dram:
      return quantity == &kDramBytesPerElement || quantity == &kDramBytesPerLaunch;
    case Bound::l2:
      return quantity == &kL2BytesPerElement || quantity == &kL2BytesPerLaunch;
    case Bound::shared:
      return quantity == &kSharedWavefronts;
    case Bound::fp64:
    case Bound::fp32:
    case Bound::fp16:
    case Bound::tensor:
      return quantity == &kFlopsPerElement || quantity == &kFlopsPerLaunch;
    case Bound::issue_slots:
      return quantity == &kInstructionsPerElement || quantity == &kInstructionsPerLaunch;
    case Bound::atomics:
      return quantity == &kAtomicsPerElement;
    case Bound::bytes_in_flight:
    case Bound::latency:  // bytes in flight hide it
      return quantity == &kBytesInFlightPerThread;
    default:
      return false;
  }
}

bool is_notable(const CounterChange& change, double smallest_factor) {
  const bool is_ratio = change.quantity->unit == Unit::ratio;
  if (is_ratio && std::abs(change.to - change.from) < kSmallestRatioChange) return false;
  return factor(change) >= smallest_factor;
}

}  // namespace

std::vector<CounterChange> counter_changes(const std::vector<QuantityValue>& before,
                                           const std::vector<QuantityValue>& after,
                                           double smallest_exact_factor) {
  std::vector<CounterChange> changes;
  for (const auto& [quantity, from] : before) {
    const auto to = std::find_if(after.begin(), after.end(), [key = quantity](const QuantityValue& other) {
      return other.quantity == key;
    });
    if (to == after.end()) continue;
    const CounterChange change = {quantity, from, to->value};
    if (is_notable(change, quantity->change->is_exact ? smallest_exact_factor : kSmallestStepFactor)) {
      changes.push_back(change);
    }
  }
  return changes;
}

void sort_by_explanation(std::vector<CounterChange>& changes, double speedup, Bound bound_of_slower) {
  const double log_speedup = std::log(speedup);
  const auto rank = [&](const CounterChange& change) {
    const double gain = log_gain(change);
    if (!std::isfinite(gain)) return 3;
    if ((gain > 0) != (log_speedup > 0)) return 2;
    return is_demand_of(bound_of_slower, change.quantity) ? 0 : 1;
  };
  std::stable_sort(changes.begin(), changes.end(), [&](const CounterChange& a, const CounterChange& b) {
    if (rank(a) != rank(b)) return rank(a) < rank(b);
    return rank(a) < 3 && std::abs(log_gain(a) - log_speedup) < std::abs(log_gain(b) - log_speedup);
  });
}

}  // namespace rooflinectl
