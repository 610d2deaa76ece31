// SPDX-License-Identifier: Apache-2.0
#include "analysis/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/error.h"
#include "core/statistics.h"

namespace rooflinectl {

namespace {

using OptionalNumber = std::optional<double>;

/// What other units of an idle device read while a kernel runs is in its DRAM bytes: 10 to 60 MB/s on an
/// H200.
constexpr double kBackgroundBytesPerS = 100e6;

OptionalNumber executed_operations(const RooflinePoint& point) {
  return is_integer(point.precision) ? value_of(point.measurement->counters, counter::kIntegerOps)
                                     : point.flops_executed;
}

OptionalNumber value_of(const RooflinePoint& point, GateCheck check) {
  switch (check) {
    case GateCheck::time:
      return point.measurement->time ? OptionalNumber(point.measurement->time->median_s) : std::nullopt;
    case GateCheck::roof:
      return point.fraction_of_roof;
    case GateCheck::dram:
      return point.dram_bytes;
    case GateCheck::operations:
      return executed_operations(point);
  }
  return std::nullopt;
}

/// The ends of the interval of what a point has, from those of its time; a counted number has none.
struct Ends {
  double low = 0;
  double high = 0;
};

Ends ends_of(const RooflinePoint& point, GateCheck check, double value) {
  const TimeResult& time = *point.measurement->time;
  if (check == GateCheck::time) return {time.ci_low_s, time.ci_high_s};
  if (check == GateCheck::roof) {
    return {value * time.median_s / time.ci_high_s, value * time.median_s / time.ci_low_s};
  }
  return {value, value};
}

/// What the base runs say of one check of one point.
struct Base {
  double median = 0;
  Ends ends;  ///< that hold those of all base runs
};

std::optional<Base> base_of(const PointComparison& point, GateCheck check) {
  std::vector<double> values;
  Ends all = {std::numeric_limits<double>::infinity(), 0};
  for (const RooflinePoint* base : point.bases) {
    const OptionalNumber value = value_of(*base, check);
    if (!value) continue;
    const Ends ends = ends_of(*base, check, *value);
    all = {std::min(all.low, ends.low), std::max(all.high, ends.high)};
    values.push_back(*value);
  }
  if (values.empty()) return std::nullopt;
  return Base{median(values), all};
}

/// The worst value that passes.
double limit_value(const Base& base, const RooflinePoint& now, GateCheck check, double allowed) {
  switch (check) {
    case GateCheck::roof:
      return base.ends.low * (1 - allowed);
    case GateCheck::dram:
      // Of a point that a cache serves hardly anything is counted: there the compulsory bytes are the scale.
      return base.ends.high + allowed * std::max(base.ends.high, now.dram_bytes_useful) +
             kBackgroundBytesPerS * now.measurement->time->median_s;
    case GateCheck::time:
    case GateCheck::operations:
      break;
  }
  return base.ends.high * (1 + allowed);
}

GateResult check_point(const PointComparison& point, GateCheck check, const Base& base, double value,
                       double allowed) {
  const Ends ends = ends_of(*point.now, check, value);
  GateResult result{check, GateOutcome::passed, base.median, value, 0, 0};
  result.limit = limit_value(base, *point.now, check, allowed);
  // Less of the roof is worse, more of everything else.
  const bool less_is_worse = check == GateCheck::roof;
  result.certainly = less_is_worse ? ends.high : ends.low;
  const auto is_beyond = [&](double number) {
    return less_is_worse ? number < result.limit : number > result.limit;
  };
  if (is_beyond(result.certainly)) {
    result.outcome = GateOutcome::regressed;
  } else if (is_beyond(value)) {
    result.outcome = GateOutcome::uncertain;
  }
  return result;
}

std::string loss_of(const PointComparison& point) {
  if (point.now == nullptr) return "was not measured";
  const Measurement& measurement = *point.now->measurement;
  const std::string_view status =
      measurement.status == Status::ok ? "not timed" : to_string(measurement.status);
  return measurement.cause.empty() ? std::string(status) : fmt::format("{}: {}", status, measurement.cause);
}

// ---- what cannot be compared ----

/// Numbers that the base has and the new run lost, per check.
class LostNumbers {
 public:
  void add(GateCheck check, const PointComparison& point) {
    Lost& lost = lost_.at(static_cast<std::size_t>(check));
    if (lost.points++ == 0) lost.first = point.label;
  }

  std::vector<std::string> texts(const Run& now) const {
    std::vector<std::string> texts;
    for (const GateCheck check : kGateChecks) {
      const Lost& lost = lost_.at(static_cast<std::size_t>(check));
      if (lost.points == 0) continue;
      const bool is_counted = check == GateCheck::dram || check == GateCheck::operations;
      const std::string reason =
          is_counted && !now.counter_session.available ? fmt::format(": {}", now.counter_session.reason) : "";
      texts.push_back(
          fmt::format("the base has numbers for '{}' that the new run has not, of {} points, the first: {}{}",
                      to_string(check), lost.points, lost.first, reason));
    }
    return texts;
  }

 private:
  struct Lost {
    std::size_t points = 0;
    std::string first;
  };
  std::array<Lost, kGateChecks.size()> lost_;
};

bool is_planned(const Plan& plan, const PointId& point) {
  const auto is_same = [&](PointId other) {
    other.experiment = point.experiment;  // which may have been renamed
    return other == point;
  };
  return std::any_of(plan.experiments.begin(), plan.experiments.end(), [&](const Experiment& experiment) {
    return std::any_of(experiment.points.begin(), experiment.points.end(), is_same);
  });
}

/// Whether the new run measures the variant of a missing point in another form: dtype, size, cache state, …
bool is_replaced(const Comparison& comparison, const PointComparison& missing) {
  return std::any_of(comparison.points.begin(), comparison.points.end(), [&](const PointComparison& other) {
    return other.change == PointChange::added && other.point.variant == missing.point.variant;
  });
}

std::string other_device(const Comparison& comparison) {
  return fmt::format("the base was measured on {}, the new run on {}",
                     comparison.baseline.front().run.device.name, comparison.now->run.device.name);
}

std::string other_points(const std::vector<std::string>& labels) {
  return fmt::format(
      "{} of the base's points are measured in another form now (dtype, size, cache state, block "
      "size or elements per thread), the first: {}",
      labels.size(), labels.front());
}

/// All checks of a point that has a time before and now; notes in `lost` what it has no number for any more.
std::vector<GateResult> check_all(const PointComparison& point, const GateOptions& options,
                                  LostNumbers& lost) {
  std::vector<GateResult> results;
  for (const GateCheck check : options.checks) {
    const auto base = base_of(point, check);
    const auto value = value_of(*point.now, check);
    if (base && !value) lost.add(check, point);
    results.push_back(base && value ? check_point(point, check, *base, *value, options.limit(check))
                                    : GateResult{.check = check});
  }
  return results;
}

bool has_common_points(const Gate& gate) {
  return std::any_of(gate.points.begin(), gate.points.end(),
                     [](const GatePoint& point) { return point.point->now != nullptr; });
}

bool has_checked_anything(const Gate& gate) {
  return gate.regressed() || gate.count(GateOutcome::passed) + gate.count(GateOutcome::uncertain) > 0;
}

}  // namespace

std::string_view to_string(GateCheck check) {
  switch (check) {
    case GateCheck::time:
      return "time";
    case GateCheck::roof:
      return "roof";
    case GateCheck::dram:
      return "dram";
    case GateCheck::operations:
      return "operations";
  }
  return "?";
}

std::string_view to_string(GateOutcome outcome) {
  switch (outcome) {
    case GateOutcome::regressed:
      return "regressed";
    case GateOutcome::uncertain:
      return "uncertain";
    case GateOutcome::passed:
      return "passed";
    case GateOutcome::unchecked:
      return "unchecked";
  }
  return "?";
}

double GateOptions::limit(GateCheck check) const {
  switch (check) {
    case GateCheck::time:
      return time;
    case GateCheck::roof:
      return roof;
    case GateCheck::dram:
      return dram;
    case GateCheck::operations:
      return operations;
  }
  return 0;
}

bool GatePoint::regressed() const {
  return !loss.empty() || std::any_of(results.begin(), results.end(), [](const GateResult& result) {
    return result.outcome == GateOutcome::regressed;
  });
}

bool Gate::regressed() const {
  return std::any_of(points.begin(), points.end(), [](const GatePoint& point) { return point.regressed(); });
}

std::size_t Gate::count(GateOutcome outcome) const {
  std::size_t count = 0;
  for (const GatePoint& point : points) {
    count += static_cast<std::size_t>(
        std::count_if(point.results.begin(), point.results.end(),
                      [&](const GateResult& result) { return result.outcome == outcome; }));
  }
  return count;
}

int Gate::exit_code() const {
  if (!incomparable.empty()) return static_cast<int>(ErrorKind::usage);
  return regressed() ? static_cast<int>(ErrorKind::gate) : 0;
}

Gate gate(const Comparison& comparison, const GateOptions& options) {
  Gate gate{options, &comparison, {}, {}};
  LostNumbers lost;
  std::vector<std::string> replaced;
  for (const PointComparison& point : comparison.points) {
    if (point.bases.empty()) continue;
    const bool is_planned_now = is_planned(comparison.now->run.plan, point.point);
    if (point.time) {
      gate.points.push_back({&point, {}, check_all(point, options, lost)});
    } else if (!is_planned_now && options.allow_other_points) {
      continue;
    } else if (!is_planned_now && is_replaced(comparison, point)) {
      replaced.push_back(point.label);
    } else {
      gate.points.push_back({&point, loss_of(point), {}});
    }
  }

  if (!is_same_device_model(comparison) && !options.allow_other_devices) {
    gate.incomparable.push_back(other_device(comparison));
  }
  if (!replaced.empty()) gate.incomparable.push_back(other_points(replaced));
  for (std::string& text : lost.texts(comparison.now->run)) gate.incomparable.push_back(std::move(text));
  if (gate.incomparable.empty() && !has_common_points(gate)) {
    gate.incomparable.emplace_back("the runs have no point in common");
  } else if (gate.incomparable.empty() && !has_checked_anything(gate)) {
    gate.incomparable.emplace_back("the base has no number for any of the checks");
  }
  return gate;
}

}  // namespace rooflinectl
