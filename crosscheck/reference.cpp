// SPDX-License-Identifier: Apache-2.0
#include "crosscheck/reference.h"

#include <cmath>
#include <utility>

namespace rooflinectl {

Reference no_reference(std::string reason) {
  return {CounterValue::unavailable(std::move(reason)), 0};
}

Reference metric_of(const NcuKernel& kernel, const std::string& metric, double scale) {
  const auto found = kernel.metrics.find(metric);
  if (found == kernel.metrics.end()) return no_reference("not in the file");
  const NcuValue& value = found->second;
  if (!value.value.available()) return no_reference(value.value.reason());
  return {CounterValue::measured(*value.value.value() * scale), value.rounding * std::abs(scale)};
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
