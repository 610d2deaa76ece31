// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "core/model/plan.h"
#include "core/model/quantity.h"
#include "core/serial/rules.h"

namespace rooflinectl::serial {

template <>
inline constexpr auto kValues<CacheState> = std::array{CacheState::cold, CacheState::warm};
template <>
inline constexpr auto kValues<LaunchMode> = std::array{LaunchMode::graph, LaunchMode::plain};
template <>
inline constexpr auto kValues<CounterSet> = std::array{CounterSet::none, CounterSet::basic};

/// Without the name of the experiment, which has it.
void fields(auto& f, Is<PointId> auto& point) {
  Reduction reduction;
  if constexpr (std::is_const_v<std::remove_reference_t<decltype(point)>>) reduction = reduction_of(point);
  f("variant", point.subject);
  f("dtype", reduction.dtype);
  f("n", reduction.n_elements, AtMost{kMaxElements});
  f("cache", reduction.cache);
  f("block_size", reduction.block_size);
  f.optional("elements_per_thread", reduction.elements_per_thread);
  f.optional("launch_mode", reduction.launch_mode);
  f.after_reading(point, [&](PointId& read) { read.axes = axes_of(reduction); });
}

void fields(auto& f, Is<TimingTarget> auto& timing) {
  f("relative_half_width", timing.relative_half_width, AllDigits{});
  f("time_limit_s", timing.time_limit_s, AllDigits{});
}

/// With no more than `max_points`.
void fields(auto& f, Is<Experiment> auto& experiment, std::size_t max_points) {
  f("name", experiment.name);
  f("title", experiment.title);
  f("timing", experiment.timing);
  f("counters", experiment.counters);
  f.added("energy", experiment.energy);
  f("points", experiment.points, AtMost{max_points});
  f.after_reading(experiment, [](Experiment& read) {
    for (PointId& point : read.points) point.experiment = read.name;
  });
}

void fields(auto& f, Is<Plan> auto& plan) {
  f("name", plan.name);
  f("text", plan.text);
  f("ceilings", plan.ceilings);
  std::size_t max_points = kMaxPoints;
  f.each("experiments", plan.experiments, [&](auto& of_experiment, auto& experiment) {
    fields(of_experiment, experiment, max_points);
    max_points -= experiment.points.size();
  });
  f.optional("primitives", plan.primitives);
}

}  // namespace rooflinectl::serial
