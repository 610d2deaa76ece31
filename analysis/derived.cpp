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
  const auto per_element = [&](MaybeValue amount) { return quotient(amount, size_of(measurement.point)); };

  std::vector<DerivedQuantity> quantities;
  const auto add = [&](DerivedQuantity quantity, MaybeValue value) {
    if (!value) return;
    quantity.value = *value;
    quantities.push_back(std::move(quantity));
  };

  add({.name = "executed FLOP per element"}, per_element(executed_work(measurement).flops));
  add({.name = "DRAM bytes per element", .is_exact = false}, per_element(dram_bytes(counters)));
  add({.name = "L2 bytes per element", .is_exact = false}, per_element(count(counter::kL2Bytes)));
  add({.name = "shared bytes per element"}, per_element(count(counter::kSharedBytes)));
  add({.name = "warp instructions per element"}, per_element(count(counter::kWarpInstructions)));
  add({.name = "integer instructions per element"}, per_element(count(counter::kIntegerOps)));
  add({.name = "atomic operations per element", .is_exact = false},
      per_element(count(counter::kL2AtomicOperations)));
  add({.name = "bytes in flight per thread", .is_cost = false},
      quotient(measurement.launch.bytes_in_flight_per_block, measurement.launch.block));
  add({.name = "warp execution efficiency", .is_ratio = true, .is_cost = false},
      count(counter::kWarpExecutionEfficiency));
  add({.name = "non-predicated warp execution efficiency", .is_ratio = true, .is_cost = false},
      count(counter::kWarpNonpredExecutionEfficiency));
  add({.name = "occupancy", .is_ratio = true, .is_exact = false, .is_cost = false},
      count(counter::kOccupancy));
  add({.name = "divergent branches", .is_ratio = true},
      quotient(count(counter::kBranchTargetsDivergent), count(counter::kBranchTargets)));
  add({.name = "shared wavefronts per instruction"},
      quotient(sum(count(counter::kSharedLoadWavefronts), count(counter::kSharedStoreWavefronts)),
               sum(count(counter::kSharedLoadInstructions), count(counter::kSharedStoreInstructions))));
  add({.name = "global load sector efficiency", .is_ratio = true, .is_cost = false},
      count(counter::kGlobalLoadSectorEfficiency));
  return quantities;
}

}  // namespace rooflinectl
