// SPDX-License-Identifier: Apache-2.0
#include "analysis/analysis.h"

#include <algorithm>

#include "analysis/labels.h"
#include "analysis/ladder.h"
#include "analysis/point.h"

namespace rooflinectl {

std::string_view to_string(MemoryLevel level) {
  switch (level) {
    case MemoryLevel::dram:
      return "dram";
    case MemoryLevel::l2:
      return "l2";
    case MemoryLevel::l1:
      return "l1";
    case MemoryLevel::shared:
      return "shared";
  }
  return "?";
}

std::string_view to_string(Bound bound) {
  switch (bound) {
    case Bound::dram:
      return "dram";
    case Bound::l2:
      return "l2";
    case Bound::l1:
      return "l1";
    case Bound::shared:
      return "shared";
    case Bound::compute:
      return "compute";
    case Bound::launch:
      return "launch";
    case Bound::latency:
      return "latency";
    case Bound::unknown:
      return "unknown";
  }
  return "?";
}

const LevelUse* find_level(const RooflinePoint& point, std::optional<MemoryLevel> level) {
  const auto found = std::find_if(point.levels.begin(), point.levels.end(),
                                  [&](const LevelUse& use) { return use.level == level; });
  return found == point.levels.end() ? nullptr : &*found;
}

const Ceiling* find_ceiling(const Run& run, std::string_view id, CeilingSource source) {
  const auto found = std::find_if(run.ceilings.begin(), run.ceilings.end(), [&](const Ceiling& ceiling) {
    return ceiling.id == id && ceiling.source == source;
  });
  return found == run.ceilings.end() ? nullptr : &*found;
}

namespace {

const Measurement* find_measurement(const Run& run, const PointId& point) {
  const auto found = std::find_if(run.measurements.begin(), run.measurements.end(),
                                  [&](const Measurement& measurement) { return measurement.point == point; });
  return found == run.measurements.end() ? nullptr : &*found;
}

ExperimentAnalysis analyse_experiment(const Run& run, const Experiment& experiment) {
  ExperimentAnalysis analysis;
  analysis.name = experiment.name;
  analysis.title = experiment.title;
  const std::vector<std::string> labels = point_labels(run.catalogue, experiment.points);
  for (std::size_t i = 0; i < experiment.points.size(); ++i) {
    const Measurement* measurement = find_measurement(run, experiment.points[i]);
    if (measurement == nullptr) continue;
    analysis.points.push_back(analyse_point(run, *measurement));
    analysis.points.back().label = labels[i];
  }
  analysis.steps = ladder_steps(run.catalogue, analysis.points);
  return analysis;
}

}  // namespace

Analysis analyse(const Run& run) {
  Analysis analysis;
  for (const Experiment& experiment : run.plan.experiments) {
    analysis.experiments.push_back(analyse_experiment(run, experiment));
  }
  return analysis;
}

}  // namespace rooflinectl
