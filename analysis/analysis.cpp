// SPDX-License-Identifier: Apache-2.0
#include "analysis/analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "analysis/devices/ranks.h"
#include "analysis/program/recoverable.h"
#include "analysis/roofline/point.h"
#include "core/program/application.h"
#include "core/text/written_number.h"

namespace rooflinectl {

std::string_view to_string(Flag flag) {
  return separated_name<'-'>(flag);
}

std::string Implausible::text() const {
  return fmt::format("{:.1f} % of {}: {}", 100 * fraction, of, cause);
}

std::vector<std::string_view> names_of(const std::vector<Flag>& flags) {
  std::vector<std::string_view> names;
  for (const Flag flag : flags) names.push_back(to_string(flag));
  return names;
}

const LevelUse* find_level(const RooflinePoint& point, std::optional<MemoryLevel> level) {
  const auto found = std::ranges::find(point.levels, level, &LevelUse::level);
  return found == point.levels.end() ? nullptr : &*found;
}

namespace {

/// The measurements of a run by the range names of their points, for each device that measured it: one, or
/// one for each process of a program that launched it there.
using Measurements = std::unordered_map<std::string, std::map<std::size_t, std::vector<const Measurement*>>>;

Measurements measurements_of(const Run& run) {
  Measurements measurements;
  for (const Measurement& measurement : run.measurements) {
    auto& here = measurements[range_name(measurement.point)][measurement.device];
    if (here.empty() || is_observed(measurement)) here.push_back(&measurement);
  }
  return measurements;
}

/// The experiments and points of the plan in its order, then those that occur only in measurements.
std::vector<Experiment> all_experiments(const Run& run) {
  std::vector<Experiment> experiments = run.plan.experiments;
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < experiments.size(); ++i) places.emplace(experiments[i].name, i);
  std::unordered_set<std::string> known;
  for (const PointId& point : all_points(run.plan)) known.insert(range_name(point));
  for (const Measurement& measurement : run.measurements) {
    const PointId& point = measurement.point;
    if (!known.insert(range_name(point)).second) continue;
    const auto [place, is_new] = places.emplace(point.experiment, experiments.size());
    if (is_new) experiments.push_back({.name = point.experiment, .title = point.experiment});
    experiments[place->second].points.push_back(point);
  }
  return experiments;
}

/// One without points belongs to all devices of the run: they were watched.
std::set<std::size_t> devices_of(const Run& run, const Experiment& experiment,
                                 const Measurements& measurements) {
  std::set<std::size_t> devices;
  if (experiment.points.empty()) {
    for (std::size_t device = 0; device < run.devices.size(); ++device) devices.insert(device);
  }
  for (const PointId& point : experiment.points) {
    const auto found = measurements.find(range_name(point));
    if (found == measurements.end()) continue;
    for (const auto& [device, of_device] : found->second) devices.insert(device);
  }
  return devices;
}

/// `names_unmeasured`: whether points that no device measured are among the missing ones.
ExperimentAnalysis analyse_experiment(const Run& run, const Experiment& experiment,
                                      const Measurements& measurements, std::size_t device,
                                      bool names_unmeasured) {
  ExperimentAnalysis analysis;
  analysis.name = experiment.name;
  analysis.title = experiment.title;
  analysis.device = device;
  const std::vector<std::string> labels = point_labels(run.catalogue, experiment.points);
  for (std::size_t i = 0; i < experiment.points.size(); ++i) {
    const auto found = measurements.find(range_name(experiment.points[i]));
    if (found == measurements.end()) {
      if (names_unmeasured) analysis.missing.push_back(labels[i]);
      continue;
    }
    const auto here = found->second.find(device);
    if (here == found->second.end()) {
      // What a program launched on another device was never to be measured on this one. Nor were points over
      // several GPUs, where each GPU has a process of its own.
      const bool is_of_others =
          is_observed(*found->second.begin()->second.front()) || gpus_of(experiment.points[i]) > 1;
      if (!is_of_others) analysis.missing.push_back(labels[i]);
      continue;
    }
    for (const Measurement* measurement : here->second) {
      analysis.points.push_back(analyse_point(run, *measurement));
      analysis.points.back().label = labels[i];
    }
  }
  label_kernels(analysis.points, run);
  set_launches(analysis.points, run, device);
  analysis.steps = ladder_steps(run, analysis.points);
  return analysis;
}

/// ` (rank 3)`, ` (ranks 0–3)`: those that used the device; empty where a program has none.
std::string ranks_text(const Run& run, std::size_t device) {
  const std::vector<int> ranks = ranks_on(run, {device});
  if (ranks.empty()) return {};
  return fmt::format(" ({} {})", ranks.size() == 1 ? "rank" : "ranks", number_ranges(ranks));
}

/// Adds the device to name and title, where an experiment was measured on several. A command line, which can
/// be long, would hide it.
void name_after_device(ExperimentAnalysis& analysis, const Run& run) {
  const bool is_command_line =
      run.application && analysis.title == command_text(run.application->command_line);
  const std::string& title = analysis.title.empty() || is_command_line ? analysis.name : analysis.title;
  analysis.title = fmt::format("{}, device {}{}: {}", title, analysis.device,
                               ranks_text(run, analysis.device), run.devices[analysis.device].name);
  analysis.name += fmt::format("_device{}", analysis.device);
}

}  // namespace

Analysis analyse(const Run& run) {
  Analysis analysis;
  const Measurements measurements = measurements_of(run);
  for (const Experiment& experiment : all_experiments(run)) {
    const std::set<std::size_t> devices = devices_of(run, experiment, measurements);
    if (devices.size() < 2) {
      const std::size_t device = devices.empty() ? Run::kFirstDevice : *devices.begin();
      analysis.experiments.push_back(analyse_experiment(run, experiment, measurements, device, true));
      continue;
    }
    for (const std::size_t device : devices) {
      const bool is_first = device == *devices.begin();
      analysis.experiments.push_back(analyse_experiment(run, experiment, measurements, device, is_first));
      name_after_device(analysis.experiments.back(), run);
    }
  }
  return analysis;
}

}  // namespace rooflinectl
