// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "analysis/analysis.h"

namespace rooflinectl {

/// The energy of one launch of a point, as the power meter of the whole board reads it, and the useful work
/// per joule.
struct EnergyUse {
  double joules = 0;  ///< per launch
  double mean_power_w = 0;
  std::optional<double> joules_per_element;
  /// Useful operations per joule; nothing where the work has none (a minimum).
  std::optional<double> operations_per_joule;
  std::optional<double> bytes_per_joule;  ///< compulsory DRAM traffic per joule
};

/// Nothing where the energy of `point` was not measured.
std::optional<EnergyUse> energy_use(const RooflinePoint& point);

/// Why there is no `energy_use` of a point whose energy was to be measured; empty where there is one.
std::string energy_missing(const RooflinePoint& point);

/// Whether the energy of a point was to be measured.
bool has_energy(const ExperimentAnalysis& experiment);

}  // namespace rooflinectl
