// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "analysis/roofline/point.h"

namespace rooflinectl {
namespace {

std::optional<double> ratio(double amount, double of) {
  return amount > 0 && of > 0 ? std::optional(amount / of) : std::nullopt;
}

}  // namespace

std::optional<EnergyUse> energy_use(const RooflinePoint& point) {
  const auto& energy = point.measurement->energy;
  if (!energy || !energy->joules.available()) return std::nullopt;
  EnergyUse use;
  use.joules = *energy->joules.value();
  use.mean_power_w = energy->mean_power_w;
  use.joules_per_element =
      ratio(use.joules, static_cast<double>(size_of(point.measurement->point).value_or(0)));
  use.operations_per_joule = ratio(point.flops_useful, use.joules);
  use.bytes_per_joule = ratio(point.dram_bytes_useful, use.joules);
  return use;
}

std::string energy_missing(const RooflinePoint& point) {
  const Measurement& measurement = *point.measurement;
  if (measurement.energy) return measurement.energy->joules.reason();
  if (measurement.status == Status::ok) return "not measured";
  return fmt::format("{}: {}", to_string(measurement.status), measurement.cause);
}

bool has_energy(const ExperimentAnalysis& experiment) {
  return std::any_of(experiment.points.begin(), experiment.points.end(),
                     [](const RooflinePoint& point) { return point.measurement->energy.has_value(); });
}

}  // namespace rooflinectl
