// SPDX-License-Identifier: Apache-2.0
#include "runner/measuring/worklist.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/model/known_ceilings.h"
#include "core/serial/run_file.h"
#include "runner/runs/run_folder.h"

namespace rooflinectl {

namespace {

bool is_counted(const Measurement& measurement) {
  return std::ranges::any_of(measurement.counters,
                             [](const auto& entry) { return entry.second.available(); });
}

}  // namespace

std::map<std::string, std::size_t> places_of(const std::vector<PointId>& points) {
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < points.size(); ++i) places.emplace(range_name(points[i]), i);
  return places;
}

Worklist::Worklist(Plan plan, std::string device, bool counters)
    : request_{.plan = std::move(plan), .counters = counters, .device = std::move(device)},
      points_(all_points(request_.plan)) {
  for (const Experiment& experiment : request_.plan.experiments) {
    for (const PointId& point : experiment.points) {
      // Counters are those of one GPU.
      const bool is_of_several = point.axes.find(axis::kGpus) != nullptr;
      wants_counters_.push_back(counters && experiment.counters != CounterSet::none && !is_of_several);
    }
  }
  states_.assign(points_.size(), State::to_measure);
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const FileKernel* const kernel = find_file_kernel(request_.plan, points_[i].subject);
    // Python is called by `measure_python_kernels`.
    if (kernel != nullptr && is_python(*kernel)) point_finished(i);
  }
}

void Worklist::take_over(const Run& earlier) {
  bool knows_launch = false;
  for (const Ceiling& ceiling : earlier.ceilings) {
    if (ceiling.source != CeilingSource::measured || ceiling.device != Run::kFirstDevice) continue;
    if (ceiling.id == ceiling_id::kLaunch) knows_launch = true;
    if (is_confirmed(ceiling) || !request_.counters) ceiling_measured(ceiling.id);
  }
  // Besides those of the plan, the cost of a launch is always measured.
  if (request_.plan.ceilings.empty() && knows_launch) ceilings_finished();

  if (earlier.self_test && !earlier.self_test->agreements.empty()) self_test_finished();

  for (const PrimitiveResult& result : earlier.primitives) {
    if (result.status != Status::failed) primitive_finished(result.info.id);
  }

  const std::map<std::string, std::size_t> places = places_of(points_);
  for (const Measurement& measurement : earlier.measurements) {
    const auto place = places.find(range_name(measurement.point));
    if (place == places.end() || measurement.status == Status::failed) continue;
    point_timed(place->second, measurement.status);
    if (is_counted(measurement)) point_finished(place->second);
  }
}

CollectRequest Worklist::request() const {
  CollectRequest request = request_;
  request.skip_points = points_in(State::finished);
  request.count_only_points = to_count();
  return request;
}

std::size_t Worklist::points_with_counters() const {
  return static_cast<std::size_t>(std::ranges::count(wants_counters_, true));
}

bool Worklist::finished() const {
  const bool ceilings_left = !request_.plan.ceilings.empty() && !request_.skip_ceilings;
  return !request_.self_test && !ceilings_left && request_.plan.primitives.empty() &&
         std::ranges::all_of(states_, [](State state) { return state == State::finished; });
}

void Worklist::ceiling_measured(const std::string& id) {
  std::erase(request_.plan.ceilings, id);
}

void Worklist::give_up_ceiling(const std::string& id) {
  if (std::erase(request_.plan.ceilings, id) == 0) request_.skip_ceilings = true;
}

void Worklist::primitive_finished(const std::string& id) {
  std::erase(request_.plan.primitives, id);
}

void Worklist::point_timed(std::size_t point, Status status) {
  states_[point] = status == Status::ok && wants_counters_[point] ? State::to_count : State::finished;
}

std::vector<std::size_t> Worklist::points_in(State state) const {
  std::vector<std::size_t> points;
  for (std::size_t point = 0; point < states_.size(); ++point) {
    if (states_[point] == state) points.push_back(point);
  }
  return points;
}

namespace {

// Seconds that each takes.
constexpr double kPreparation = 0.2;
constexpr double kLongestSampling = 0.6;
constexpr double kPrimitive = 0.03;
constexpr double kCeiling = 0.5;

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
      const double ruled_s = kPreparation + std::min(experiment.timing.time_limit_s, kLongestSampling);
      estimate.points_s += is_known ? best->point_s : ruled_s;
      if (!is_known) ++estimate.unknown;
    }
  }
  estimate.points_s += kPrimitive * static_cast<double>(plan.primitives.size());
  estimate.ceilings_s = kCeiling * static_cast<double>(plan.ceilings.size());
  return estimate;
}

}  // namespace rooflinectl
