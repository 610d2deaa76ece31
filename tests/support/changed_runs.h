// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/comparison.h"
#include "tests/support/constructed_run.h"

/// Constructed runs that differ in known ways.
namespace rooflinectl::changed {

/// The constructed ladder at 2^28.
inline Run ladder_run() {
  Run run = constructed::empty_run();
  Experiment ladder{.name = "ladder", .title = "", .timing = {}, .points = {}};
  constructed::add_points(run, ladder, "reduction ladder", Dtype::f32, 28);
  run.plan.experiments = {ladder};
  return run;
}

inline Measurement& measurement_of(Run& run, std::string_view variant) {
  return *std::find_if(run.measurements.begin(), run.measurements.end(),
                       [&](const Measurement& m) { return m.point.subject == variant; });
}

inline void scale_time(Measurement& measurement, double factor) {
  TimeResult& time = *measurement.time;
  for (double* value : {&time.median_s, &time.ci_low_s, &time.ci_high_s}) *value *= factor;
}

inline void fail(Measurement& measurement, Status status, std::string cause) {
  measurement.status = status;
  measurement.cause = std::move(cause);
  measurement.time.reset();
  measurement.counters.clear();
}

inline std::vector<AnalysedRun> analysed(std::vector<Run> runs) {
  std::vector<AnalysedRun> result;
  for (Run& run : runs) result.emplace_back(fmt::format("run {}", result.size()), std::move(run));
  return result;
}

inline void set_counter(Measurement& measurement, std::string_view key, double factor) {
  const double value = *value_of(measurement.counters, key);
  measurement.counters.insert_or_assign(std::string(key), CounterValue::measured(factor * value));
}

}  // namespace rooflinectl::changed
