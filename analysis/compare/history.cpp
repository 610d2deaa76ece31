// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "analysis/roofline/point.h"

namespace rooflinectl {

namespace {

bool is_timed_point(const RooflinePoint* point) {
  return point != nullptr && is_timed(*point->measurement);
}

bool times_something(const AnalysedRun& run) {
  return run.run.source == RunSource::measured && std::ranges::any_of(run.run.measurements, is_timed);
}

bool began_before(const AnalysedRun& a, const AnalysedRun& b) {
  return std::tie(a.run.started_utc, a.name) < std::tie(b.run.started_utc, b.name);
}

/// `now` and a single base run, with the devices that correspond to each other.
RunComparison pair_of(const AnalysedRun& base, const AnalysedRun& now) {
  RunComparison pair;
  pair.baseline = {&base, 1};
  pair.now = &now;
  pair.devices = compared_devices(pair.baseline, now);
  return pair;
}

bool share_a_timed_point(const RunComparison& pair) {
  const auto matched = matched_points(pair.baseline, *pair.now, pair.devices);
  return std::ranges::any_of(matched, [](const MatchedPoint& point) {
    return is_timed_point(point.bases.front()) && is_timed_point(point.now);
  });
}

/// Whether one is a copy of the other, perhaps from before the run was resumed or cross-checked: all times
/// that both have are the same, and only one has more. What was imported is not resumed: neither has more.
/// That they began in the same second means little: files are imported faster.
bool are_same_run(const AnalysedRun& a, const AnalysedRun& b) {
  if (a.run.started_utc != b.run.started_utc || a.run.host != b.run.host) return false;
  if (a.run.device().uuid != b.run.device().uuid) return false;
  const RunComparison pair = pair_of(a, b);
  const auto matched = matched_points(pair.baseline, b, pair.devices);
  const auto differs = [](const MatchedPoint& point) {
    const RooflinePoint* other = point.bases.front();
    return is_timed_point(other) && is_timed_point(point.now) &&
           other->measurement->time->median_s != point.now->measurement->time->median_s;
  };
  const auto has_more = [&](bool is_a) {
    return std::ranges::any_of(matched, [&](const MatchedPoint& point) {
      return is_timed_point(point.bases.front()) == is_a && is_timed_point(point.now) != is_a;
    });
  };
  const bool are_imported = !a.run.imports.empty() || !b.run.imports.empty();
  const bool a_has_more = has_more(true);
  const bool b_has_more = has_more(false);
  if (are_imported ? a_has_more || b_has_more : a_has_more && b_has_more) return false;
  return share_a_timed_point(pair) && std::ranges::none_of(matched, differs);
}

/// Why `run` cannot come before `now`; empty if it can.
std::string reason_against(const AnalysedRun& run, const AnalysedRun& now) {
  if (run.run.source == RunSource::replayed) return "is a replay, not a measurement";
  if (are_same_run(run, now)) return fmt::format("is the same run as {}", now.name);
  const RunComparison pair = pair_of(run, now);
  for (const ModelDifference& difference : model_differences(pair)) {
    return fmt::format("was measured on {}, not {}", difference.base, difference.now);
  }
  if (!share_a_timed_point(pair)) return fmt::format("has no timed point in common with {}", now.name);
  return began_before(now, run) ? fmt::format("began after {}", now.name) : "";
}

/// The points before `place` that the one there is compared with: the last that has a time and what failed
/// since, or all that failed.
std::vector<const RooflinePoint*> points_before(const std::vector<const RooflinePoint*>& runs,
                                                std::size_t place) {
  std::size_t first = place;
  while (first > 0 && !is_timed_point(runs[first - 1])) --first;
  if (first > 0) --first;
  std::vector<const RooflinePoint*> before(std::next(runs.begin(), static_cast<std::ptrdiff_t>(first)),
                                           std::next(runs.begin(), static_cast<std::ptrdiff_t>(place)));
  std::erase(before, nullptr);
  return before;
}

PointHistory history_of(MatchedPoint matched, const std::string& suffix, double smallest_change) {
  PointHistory point;
  point.device = matched.device;
  point.runs = std::move(matched.bases);
  point.runs.push_back(matched.now);
  point.point = point.newest().measurement->point;
  point.label = point.newest().label + suffix;
  point.changes.resize(point.runs.size());
  const double drift = drift_between_runs({});
  for (std::size_t run = 0; run < point.runs.size(); ++run) {
    const auto before = points_before(point.runs, run);
    if (point.runs[run] == nullptr || before.empty()) continue;
    point.changes[run] = compare_times(before, point.runs[run], drift, smallest_change);
  }
  return point;
}

/// Labels of changes stand alone: the experiment is part of them where there are several.
void name_changes(std::vector<PointHistory>& points) {
  const bool are_of_one = std::ranges::all_of(points, [&](const PointHistory& point) {
    return point.point.experiment == points.front().point.experiment;
  });
  for (PointHistory& point : points) {
    const std::string label =
        are_of_one ? point.label : fmt::format("{} {}", point.point.experiment, point.label);
    for (auto& change : point.changes) {
      if (change) change->label = label;
    }
  }
}

}  // namespace

const RooflinePoint& PointHistory::newest() const {
  return **std::find_if(runs.rbegin(), runs.rend(), [](const auto* run) { return run != nullptr; });
}

ComparableRuns runs_comparable_with(const AnalysedRun& now, std::vector<AnalysedRun> runs) {
  std::ranges::sort(runs, began_before);
  ComparableRuns comparable;
  for (AnalysedRun& run : runs) {
    std::string reason = reason_against(run, now);
    // Copies began in the same second, so they are neighbours.
    auto copy = comparable.runs.rbegin();
    while (copy != comparable.runs.rend() && copy->run.started_utc == run.run.started_utc &&
           !are_same_run(*copy, run)) {
      ++copy;
    }
    const bool is_copy = copy != comparable.runs.rend() && copy->run.started_utc == run.run.started_utc;
    if (reason.empty() && is_copy) {
      reason = fmt::format("is the same run as {}", copy->name);
    }
    if (reason.empty()) {
      comparable.runs.push_back(std::move(run));
    } else {
      comparable.left_out.push_back({run.name, std::move(reason)});
    }
  }
  return comparable;
}

ComparableRuns comparable_runs(std::vector<AnalysedRun> runs) {
  auto newest = runs.end();
  for (auto run = runs.begin(); run != runs.end(); ++run) {
    if (times_something(*run) && (newest == runs.end() || began_before(*newest, *run))) newest = run;
  }
  if (newest == runs.end()) {
    ComparableRuns none;
    for (const AnalysedRun& run : runs) none.left_out.push_back({run.name, "measured no point"});
    return none;
  }
  AnalysedRun now = std::move(*newest);
  runs.erase(newest);
  ComparableRuns comparable = runs_comparable_with(now, std::move(runs));
  comparable.runs.push_back(std::move(now));
  return comparable;
}

bool is_marked(PointChange change) {
  using enum PointChange;
  return change == broken || change == slower || change == faster || change == fixed ||
         change == timed_differently;
}

History history(std::span<const AnalysedRun> runs, double smallest_change) {
  History history;
  history.runs = runs;
  history.smallest_change = smallest_change;
  RunComparison newest;
  newest.baseline = runs.first(runs.size() - 1);
  newest.now = &runs.back();
  newest.devices = compared_devices(newest.baseline, *newest.now);
  for (MatchedPoint& matched : matched_points(newest.baseline, *newest.now, newest.devices)) {
    const std::string suffix = device_suffix(newest, matched.device);
    history.points.push_back(history_of(std::move(matched), suffix, smallest_change));
  }
  history.devices = std::move(newest.devices);
  name_changes(history.points);
  history.environment.emplace_back();
  for (std::size_t run = 1; run < runs.size(); ++run) {
    history.environment.push_back(environment_changes(pair_of(runs[run - 1], runs[run])));
  }
  return history;
}

}  // namespace rooflinectl
