// SPDX-License-Identifier: Apache-2.0
#include "reports/sentences/point_numbers.h"

#include "analysis/roofline/energy.h"
#include "analysis/roofline/executed/executed_roof.h"
#include "analysis/roofline/point.h"
#include "core/counters/counters.h"

namespace rooflinectl::point_numbers {

std::optional<double> time_s(const RooflinePoint& point) {
  const auto& time = point.measurement->time;
  return time ? std::optional(time->median_s) : std::nullopt;
}

std::optional<double> n_elements(const RooflinePoint& point) {
  return size_of(point.measurement->point);
}

std::optional<double> gpus(const RooflinePoint& point) {
  return point.measurement->point.axes.number(axis::kGpus);
}

std::optional<double> limit_utilisation(const RooflinePoint& point) {
  const LevelUse* use = find_level(point, point.busiest_level);
  return use != nullptr ? use->utilisation : std::nullopt;
}

std::optional<double> share(const RooflinePoint& point) {
  return point.launches ? std::optional(point.launches->share) : std::nullopt;
}

std::optional<double> total_s(const RooflinePoint& point) {
  return point.launches ? std::optional(point.launches->total_s) : std::nullopt;
}

std::optional<double> recoverable_s(const RooflinePoint& point) {
  return point.launches ? point.launches->recoverable_s : std::nullopt;
}

std::optional<double> recoverable_per_step_s(const RooflinePoint& point) {
  return point.launches ? point.launches->recoverable_per_step_s : std::nullopt;
}

std::optional<double> launches(const RooflinePoint& point) {
  const auto& all = point.measurement->launches;
  return all ? std::optional(static_cast<double>(all->count)) : std::nullopt;
}

std::optional<double> p95_s(const RooflinePoint& point) {
  const auto& all = point.measurement->launches;
  return all && all->traced > 0 ? std::optional(all->p95_s) : std::nullopt;
}

std::optional<double> mean_s(const RooflinePoint& point) {
  return is_observed(point) && is_timed(*point.measurement)
             ? std::optional(time_per_launch_s(*point.measurement))
             : std::nullopt;
}

std::optional<double> tensor_share(const RooflinePoint& point) {
  const ResourceUse* use = find_use(point, Bound::tensor);
  const std::optional<double> mean = mean_s(point);
  return use != nullptr && use->time_s && mean ? std::optional(*use->time_s / *mean) : std::nullopt;
}

std::optional<double> occupancy(const RooflinePoint& point) {
  return is_observed(point) ? value_of(point.measurement->counters, counter::kOccupancy) : std::nullopt;
}

std::optional<double> registers(const RooflinePoint& point) {
  const auto& resources = point.measurement->resources;
  return is_observed(point) && resources ? std::optional(resources->registers_per_thread) : std::nullopt;
}

std::optional<double> joules(const RooflinePoint& point) {
  const auto energy = energy_use(point);
  return energy ? std::optional(energy->joules) : std::nullopt;
}

std::optional<double> power_w(const RooflinePoint& point) {
  const auto energy = energy_use(point);
  return energy ? std::optional(energy->mean_power_w) : std::nullopt;
}

std::optional<double> work_per_joule(const RooflinePoint& point) {
  const auto energy = energy_use(point);
  if (!energy) return std::nullopt;
  return energy->operations_per_joule ? energy->operations_per_joule : energy->bytes_per_joule;
}

}  // namespace rooflinectl::point_numbers
