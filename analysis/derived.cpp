// SPDX-License-Identifier: Apache-2.0
#include "analysis/analysis.h"
#include "analysis/point.h"

namespace rooflinectl {

namespace {

using MaybeValue = std::optional<double>;

MaybeValue sum(MaybeValue a, MaybeValue b) {
  if (!a || !b) return std::nullopt;
  return *a + *b;
}

/// Nothing if either is missing or there is nothing to divide by.
MaybeValue quotient(MaybeValue numerator, MaybeValue denominator) {
  if (!numerator || !denominator || *denominator == 0) return std::nullopt;
  return *numerator / *denominator;
}

}  // namespace

std::vector<DerivedQuantity> derived_quantities(const Measurement& measurement) {
  const Counters& counters = measurement.counters;
  const auto count = [&](std::string_view key) { return value_of(counters, key); };
  const auto per_element = [&](MaybeValue amount) {
    return quotient(amount, static_cast<double>(measurement.point.n_elements));
  };

  std::vector<DerivedQuantity> quantities;
  const auto add = [&](std::string name, MaybeValue value) {
    if (value) quantities.push_back({std::move(name), *value, false});
  };
  const auto add_noisy = [&](std::string name, MaybeValue value, bool is_ratio) {
    if (value) quantities.push_back({std::move(name), *value, is_ratio, false});
  };
  const auto add_ratio = [&](std::string name, MaybeValue value) {
    if (value) quantities.push_back({std::move(name), *value, true});
  };

  const auto executed = executed_operations(counters, precision_of(measurement));
  add("executed FLOP per element", per_element(executed ? MaybeValue(executed->flops) : std::nullopt));
  add_noisy("DRAM bytes per element", per_element(dram_bytes(counters)), false);
  add("shared bytes per element", per_element(count(counter::kSharedBytes)));
  add("warp instructions per element", per_element(count(counter::kWarpInstructions)));
  add("integer operations per element", per_element(count(counter::kIntegerOps)));
  add_ratio("warp execution efficiency", count(counter::kWarpExecutionEfficiency));
  add_ratio("non-predicated warp execution efficiency", count(counter::kWarpNonpredExecutionEfficiency));
  add_noisy("occupancy", count(counter::kOccupancy), true);
  add_ratio("branch divergence",
            quotient(count(counter::kBranchTargetsDivergent), count(counter::kBranchTargets)));
  add("shared wavefronts per instruction",
      quotient(sum(count(counter::kSharedLoadWavefronts), count(counter::kSharedStoreWavefronts)),
               sum(count(counter::kSharedLoadInstructions), count(counter::kSharedStoreInstructions))));
  add_ratio("global load sector efficiency", count(counter::kGlobalLoadSectorEfficiency));
  return quantities;
}

}  // namespace rooflinectl
