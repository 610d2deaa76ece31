// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/compare/comparison.h"
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

/// `run` on a second GPU of the same model too, which takes 1.5 times as long and has ceilings of two thirds.
inline Run on_two_devices(Run run) {
  run.devices.resize(2, run.devices[0]);
  run.devices[1].uuid = "GPU-00000000-0000-0000-0000-000000000001";
  const std::vector<Measurement> measurements = run.measurements;
  for (Measurement measurement : measurements) {
    measurement.device = 1;
    scale_time(measurement, 1.5);
    run.measurements.push_back(std::move(measurement));
  }
  const std::vector<Ceiling> ceilings = run.ceilings;
  for (Ceiling ceiling : ceilings) {
    ceiling.device = 1;
    ceiling.value /= 1.5;
    run.ceilings.push_back(std::move(ceiling));
  }
  return run;
}

/// The same `run` of two devices with these in the other order.
inline Run with_devices_swapped(Run run) {
  std::swap(run.devices[0], run.devices[1]);
  for (Measurement& measurement : run.measurements) measurement.device = 1 - measurement.device;
  for (Ceiling& ceiling : run.ceilings) ceiling.device = 1 - ceiling.device;
  return run;
}

/// Takes away what `variant` measured on one device.
inline void erase(Run& run, std::string_view variant, std::size_t device) {
  std::erase_if(run.measurements, [&](const Measurement& measurement) {
    return measurement.point.subject == variant && measurement.device == device;
  });
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
