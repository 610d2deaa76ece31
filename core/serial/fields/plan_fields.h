// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "core/json/rules.h"
#include "core/model/plan.h"
#include "core/serial/fields/file_kernel_fields.h"

namespace rooflinectl::serial {

template <>
inline constexpr auto kValues<CacheState> = kCacheStates;
template <>
inline constexpr auto kValues<LaunchMode> = std::array{LaunchMode::graph, LaunchMode::plain};
template <>
inline constexpr auto kValues<CounterSet> = std::array{CounterSet::none, CounterSet::basic};

/// Without the name of the experiment, which the experiment has itself.
void fields(auto& f, Is<PointId> auto& point) {
  f("subject", point.subject);
  f("axes", point.axes);
}

void fields(auto& f, Is<TimingTarget> auto& timing) {
  f("relative_half_width", timing.relative_half_width, AllDigits{});
  f("time_limit_s", timing.time_limit_s, AllDigits{});
}

void fields(auto& f, Is<PlannedApplication> auto& application) {
  f("command", application.command, AtLeast{1});
  f("variables", application.environment);
  f("folder", application.folder);
  f("kernels", application.kernels);
  f("nvtx", application.nvtx);
  f("capture", application.capture);
  f("samples", application.samples, AtLeast{1});
}

/// With no more than `max_points`.
void fields(auto& f, Is<Experiment> auto& experiment, std::size_t max_points) {
  f("name", experiment.name);
  f("title", experiment.title);
  f("timing", experiment.timing);
  f("counters", experiment.counters);
  f.added("energy", experiment.energy);
  f("points", experiment.points, AtMost{max_points});
  f.optional("application", experiment.application);
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
  f.optional("kernels", plan.kernels);
}

}  // namespace rooflinectl::serial
