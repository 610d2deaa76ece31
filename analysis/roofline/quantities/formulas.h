// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "analysis/roofline/point.h"
#include "analysis/roofline/quantities/quantities.h"

/// What the formulas of several quantities share. A value is nothing where something that it needs is
/// missing.
namespace rooflinectl::quantity {

using MaybeValue = std::optional<double>;
// The parameters of `Quantity::of`.
using R = const Run&;
using P = const RooflinePoint&;

/// Nothing also where there is nothing to divide by.
inline MaybeValue quotient(MaybeValue numerator, MaybeValue denominator) {
  if (!numerator || !denominator || *denominator <= 0) return std::nullopt;
  return *numerator / *denominator;
}

inline MaybeValue product(MaybeValue a, MaybeValue b) {
  if (!a || !b) return std::nullopt;
  return *a * *b;
}

inline MaybeValue sum(MaybeValue a, MaybeValue b) {
  if (!a || !b) return std::nullopt;
  return *a + *b;
}

inline MaybeValue count(P point, std::string_view key) {
  return value_of(point.measurement->counters, key);
}

template <const std::string_view& kKey>
MaybeValue counted(R, P point) {
  return count(point, kKey);
}

inline MaybeValue per_element(P point, MaybeValue amount) {
  return quotient(amount, size_of(point.measurement->point));
}

/// For a launch of a profiled program, whose kernels have no number of elements to divide by.
inline MaybeValue per_launch(P point, MaybeValue amount) {
  return is_observed(point) ? amount : std::nullopt;
}

/// The median of a launch.
inline MaybeValue time_s(P point) {
  return is_timed(*point.measurement) ? MaybeValue(point.measurement->time->median_s) : std::nullopt;
}

inline MaybeValue share_of_time(P point, MaybeValue needed_s) {
  if (!is_timed(*point.measurement)) return std::nullopt;
  return quotient(needed_s, time_per_launch_s(*point.measurement));
}

/// The measured ceiling `id` of the device that the point was measured on.
inline MaybeValue ceiling(R run, P point, std::string_view id) {
  const Ceiling* found = find_ceiling(run, id, CeilingSource::measured, point.measurement->device);
  return found != nullptr ? MaybeValue(found->value) : std::nullopt;
}

inline const DeviceInfo& device_of(R run, P point) {
  return run.device_of(*point.measurement);
}

inline const std::optional<KernelResources>& resources(P point) {
  return point.measurement->resources;
}

// What quantities are made with: name, formula, value.
template <Unit kUnit>
constexpr Quantity in_unit(std::string_view name, std::string_view formula, MaybeValue (*of)(R, P)) {
  return {name, kUnit, formula, of};
}
constexpr Quantity compared(Quantity quantity, ChangeMeaning change) {
  quantity.change = change;
  return quantity;
}
constexpr Quantity of_declared_work(Quantity quantity) {
  quantity.is_of_declared_work = true;
  return quantity;
}

/// Blocks of the grid.
MaybeValue grid(P point);

/// Blocks on the device at one time, on average: as counted, and no more than fit or than there are.
MaybeValue resident_blocks(R run, P point);

MaybeValue shared_instructions(P point);
MaybeValue shared_wavefronts(P point);

}  // namespace rooflinectl::quantity
