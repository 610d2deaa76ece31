// SPDX-License-Identifier: Apache-2.0
#include "runner/measuring/time_estimate.h"

#include <algorithm>
#include <optional>
#include <string>

#include "core/error.h"
#include "core/serial/run_file.h"
#include "runner/runs/replay.h"

namespace rooflinectl {

namespace {

// Seconds that each takes.
constexpr double kPreparation = 0.2;
constexpr double kLongestSampling = 0.6;
constexpr double kPrimitive = 0.03;
constexpr double kCeiling = 0.5;

/// A point that no earlier run has.
double ruled_s(const Experiment& experiment) {
  return kPreparation + std::min(experiment.timing.time_limit_s, kLongestSampling);
}

struct EarlierRun {
  Replay replay;
  double point_s = 0;  ///< that one of its points took, all steps included
};

/// Nothing where `file` does not tell how long points take.
std::optional<EarlierRun> earlier_run(const Plan& plan, const std::filesystem::path& file) {
  try {
    const Run run = read_run(file);
    const bool is_of_points = !run.application && run.primitives.empty() && !run.measurements.empty();
    if (!is_of_points || run.source == RunSource::replayed) return std::nullopt;
    return EarlierRun{replay(plan, run), run.wall_s / static_cast<double>(run.measurements.size())};
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

TimeEstimate estimate_time(const Plan& plan, const std::vector<std::filesystem::path>& runs) {
  TimeEstimate estimate;
  std::optional<EarlierRun> best;
  const std::size_t points = all_points(plan).size();
  for (const std::filesystem::path& file : runs) {
    if (estimate.known == points) break;
    std::optional<EarlierRun> candidate = earlier_run(plan, file);
    const std::size_t known = candidate ? candidate->replay.run.measurements.size() : 0;
    if (known <= estimate.known) continue;
    estimate.known = known;
    estimate.like = file;
    best = std::move(candidate);
  }
  std::multiset<std::string> missing;
  if (best) {
    for (const PointId& point : best->replay.missing) missing.insert(range_name(point));
  }
  for (const Experiment& experiment : plan.experiments) {
    for (const PointId& point : experiment.points) {
      const bool is_known = best && !missing.contains(range_name(point));
      estimate.points_s += is_known ? best->point_s : ruled_s(experiment);
      if (!is_known) ++estimate.unknown;
    }
  }
  estimate.points_s += kPrimitive * static_cast<double>(plan.primitives.size());
  estimate.ceilings_s = kCeiling * static_cast<double>(plan.ceilings.size());
  return estimate;
}

}  // namespace rooflinectl
