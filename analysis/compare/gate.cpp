// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "analysis/roofline/point.h"
#include "core/stats/statistics.h"

namespace rooflinectl {

namespace {

using OptionalNumber = std::optional<double>;

OptionalNumber value_of(const RooflinePoint& point, GateCheck check) {
  switch (check) {
    case GateCheck::time:
      return is_timed(*point.measurement) ? OptionalNumber(time_per_launch_s(*point.measurement))
                                          : std::nullopt;
    case GateCheck::roof:
      return point.fraction_of_roofline;
    case GateCheck::dram:
      return point.dram_bytes;
    case GateCheck::operations:
      return is_integer(point.precision) ? value_of(point.measurement->counters, counter::kIntegerOps)
                                         : point.flops_executed;
  }
  return std::nullopt;
}

/// Whether its numbers are made of times, rather than counts.
bool is_timed_check(GateCheck check) {
  return check == GateCheck::time || check == GateCheck::roof;
}

/// Of the new run and its repetitions.
std::vector<double> new_values(const PointComparison& point, GateCheck check) {
  std::vector<double> values;
  const auto add = [&](const RooflinePoint& run) {
    if (const auto value = value_of(run, check)) values.push_back(*value);
  };
  add(*point.now);
  for (const RooflinePoint* repeat : point.repeats) add(*repeat);
  return values;
}

std::vector<double> base_values(const PointComparison& point, GateCheck check) {
  std::vector<double> values;
  for (const RooflinePoint* base : point.bases) {
    const LaunchMode mode = launch_mode(*base->measurement->time);
    if (is_timed_check(check) && mode != launch_mode(*point.now->measurement->time)) continue;
    if (const auto value = value_of(*base, check)) values.push_back(*value);
  }
  return values;
}

double geometric_mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += std::log(value / values.front());
  return values.front() * std::exp(sum / static_cast<double>(values.size()));
}

/// How far `values` (not empty), of `runs` of the same code, lie apart, and the counts of their launches.
double spread_of(const std::vector<double>& values, const std::vector<const RooflinePoint*>& runs,
                 GateCheck check) {
  const auto [least, largest] = std::ranges::minmax_element(values);
  double spread = *largest > 0 ? (*largest - *least) / *largest : 0;
  const auto count_spread = check == GateCheck::dram ? dram_spread : operations_spread;
  for (const RooflinePoint* run : runs) spread = std::max(spread, count_spread(*run->measurement));
  return spread;
}

/// The relative increase of a count that passes: the allowed one or, if larger, the spread from launch to
/// launch on both sides.
double allowed_count(const PointComparison& point, GateCheck check, const std::vector<double>& bases,
                     const std::vector<double>& values, double allowed) {
  std::vector<const RooflinePoint*> new_runs = point.repeats;
  new_runs.push_back(point.now);
  return std::max(allowed, spread_of(bases, point.bases, check) + spread_of(values, new_runs, check));
}

GateResult check_timed(const PointComparison& point, GateCheck check, const std::vector<double>& bases,
                       const std::vector<double>& values, double allowed) {
  // By what factor noise may have slowed the new runs, or sped up the base.
  const double noise = point.time->ratio() / point.time->lowest_ratio();
  GateResult result{.check = check, .from = geometric_mean(bases), .to = geometric_mean(values)};
  if (check == GateCheck::time) {
    result.best_case = result.from * point.time->lowest_ratio();
    result.limit = result.from * (1 + allowed);
    result.detectable = (1 + allowed) * noise - 1;
  } else {
    result.best_case = result.to * noise;
    result.limit = result.from * (1 - allowed);
    result.detectable = 1 - (1 - allowed) / noise;
  }
  return result;
}

double least_traffic(const RooflinePoint& point) {
  const ResourceUse* l2 = find_use(point, Bound::l2);
  return l2 != nullptr ? l2->amount : point.dram_bytes_useful;
}

GateResult check_count(const PointComparison& point, GateCheck check, const std::vector<double>& bases,
                       const std::vector<double>& values, double allowed) {
  const double value = median(values);
  GateResult result{.check = check, .from = median(bases), .to = value, .best_case = value};
  const double more = allowed_count(point, check, bases, values, allowed);
  // A cache that serves a point leaves few DRAM bytes to count: then the compulsory bytes are the scale or,
  // for a program's kernel, which has none declared, what it asks of L2.
  const bool is_dram = check == GateCheck::dram;
  const double scale = is_dram ? std::max(result.from, least_traffic(*point.now)) : result.from;
  const double background = is_dram ? kBackgroundDramBytesPerS * point.now->measurement->time->median_s : 0;
  result.limit = result.from + more * scale + background;
  if (result.from > 0) result.detectable = result.limit / result.from - 1;
  return result;
}

GateResult check_point(const PointComparison& point, GateCheck check, const std::vector<double>& bases,
                       const std::vector<double>& values, double allowed) {
  GateResult result = is_timed_check(check) ? check_timed(point, check, bases, values, allowed)
                                            : check_count(point, check, bases, values, allowed);
  // A lower fraction of the roof is worse; for all else, a higher value.
  const auto is_beyond = [&](double number) {
    return check == GateCheck::roof ? number < result.limit : number > result.limit;
  };
  result.outcome = is_beyond(result.best_case) ? GateOutcome::regressed
                   : is_beyond(result.to)      ? GateOutcome::uncertain
                                               : GateOutcome::passed;
  return result;
}

std::string loss_of(const PointComparison& point, const RunComparison& comparison) {
  if (point.now == nullptr) {
    return comparison.devices[point.device].now ? "was not measured" : "the new run has no such device";
  }
  const Measurement& measurement = *point.now->measurement;
  const std::string_view status =
      measurement.status == Status::ok ? "not timed" : to_string(measurement.status);
  return measurement.cause.empty() ? std::string(status) : fmt::format("{}: {}", status, measurement.cause);
}

// ---- what cannot be compared ----

/// The points whose numbers the base has and the new run lost.
using LostNumbers = std::map<GateCheck, std::vector<std::string>>;

std::string lost_numbers(GateCheck check, const std::vector<std::string>& labels, const Run& now) {
  return fmt::format("the new run lacks numbers for '{}' that the base has, at {} points; the first: {}{}",
                     to_string(check), labels.size(), labels.front(),
                     !is_timed_check(check) && !now.counter_session.available
                         ? fmt::format(": {}", now.counter_session.reason)
                         : "");
}

using Variant = std::pair<std::size_t, std::string>;  // device and subject

Variant variant_of(const PointComparison& point) {
  return {point.device, point.point.subject};
}

std::string other_model(const RunComparison& comparison, const ModelDifference& difference) {
  const std::string suffix = device_suffix(comparison, difference.device);
  return fmt::format("{}the base was measured on {}, the new run on {}",
                     suffix.empty() ? "" : suffix.substr(1) + ": ", difference.base, difference.now);
}

std::string other_points(const std::vector<std::string>& labels) {
  return fmt::format(
      "{} points of the base are now measured with other settings (dtype, size, cache state, block size or "
      "elements per thread); the first: {}",
      labels.size(), labels.front());
}

/// All checks of a point that has a time before and now; notes in `lost` the numbers that it no longer has.
std::vector<GateResult> check_all(const PointComparison& point, const GateOptions& options,
                                  LostNumbers& lost) {
  std::vector<GateResult> results;
  for (const GateCheck check : options.checks) {
    if (is_timed_check(check) && !point.time) {
      results.push_back({.check = check, .reason = timing_difference(point)});
      continue;
    }
    const std::vector<double> bases = base_values(point, check);
    const bool has_value = value_of(*point.now, check).has_value();
    if (!bases.empty() && !has_value) lost[check].push_back(point.label);
    results.push_back(!bases.empty() && has_value
                          ? check_point(point, check, bases, new_values(point, check), options.limit(check))
                          : GateResult{.check = check, .reason = "the base has no number"});
  }
  return results;
}

/// Whether a group takes so little of its program's time, before and now, that the total covers it.
bool is_small_group(const PointComparison& point) {
  constexpr double kSmall = 0.01;
  const auto share = [](const RooflinePoint* side) {
    return side != nullptr && side->launches ? side->launches->share : 0;
  };
  const RooflinePoint& shown = point.now != nullptr ? *point.now : *point.base;
  return is_observed(shown) && std::max(share(point.base), share(point.now)) < kSmall;
}

/// The time of all kernels of a program together.
void add_program(Gate& gate, const ProgramComparison& program) {
  const std::vector<GateCheck>& checks = gate.options.checks;
  if (std::ranges::find(checks, GateCheck::time) == checks.end()) return;
  const TimeChange& time = *program.whole.time;
  const GateResult result =
      is_total_comparable(gate.coverage)
          ? check_point(program.whole, GateCheck::time, {time.from.median_s}, {time.to.median_s},
                        gate.options.limit(GateCheck::time))
          : GateResult{.check = GateCheck::time, .reason = "the program did not do the same work"};
  gate.points.push_back({&program.whole, {}, {result}});
}

bool has_common_points(const Gate& gate) {
  return gate.coverage.common_groups() > 0 ||
         std::ranges::any_of(gate.points, [](const GatePoint& point) { return point.point->now != nullptr; });
}

/// What a program that failed did not reach makes it no other program.
bool has_ended_badly(const Gate& gate) {
  return std::ranges::any_of(gate.run, [](const GateRunResult& result) {
    return result.check == RunCheck::exit_code && result.has_failed;
  });
}

}  // namespace

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
  return !loss.empty() || std::ranges::any_of(results, [](const GateResult& result) {
    return result.outcome == GateOutcome::regressed;
  });
}

bool Gate::regressed() const {
  return std::ranges::any_of(run, &GateRunResult::has_failed) ||
         std::ranges::any_of(points, &GatePoint::regressed);
}

std::size_t Gate::count(GateOutcome outcome) const {
  std::size_t count = 0;
  for (const GatePoint& point : points) {
    count += static_cast<std::size_t>(std::ranges::count(point.results, outcome, &GateResult::outcome));
  }
  return count;
}

Gate gate(const RunComparison& comparison, const GateOptions& options) {
  Gate gate{.options = options, .comparison = &comparison, .coverage = coverage(comparison)};
  gate.run = check_run(comparison, gate.coverage, options);
  LostNumbers lost;
  std::vector<std::string> replaced;
  const PlannedPoints planned(comparison.now->run);
  std::set<Variant> added;  // that the new run measures in forms that the base does not have
  for (const PointComparison& point : comparison.points) {
    if (point.change == PointChange::added) added.insert(variant_of(point));
  }
  for (const PointComparison& point : comparison.points) {
    if (point.bases.empty()) continue;
    // What a program does not launch any more may have been fused into something else.
    if (point.now == nullptr && is_observed(*point.base)) continue;
    if (is_small_group(point)) continue;
    const bool is_planned_now = planned.contains(point.point);
    if (point.now != nullptr && is_timed(*point.now->measurement)) {
      gate.points.push_back({&point, {}, check_all(point, options, lost)});
    } else if (!is_planned_now && options.allow_other_points) {
      continue;
    } else if (!is_planned_now && added.contains(variant_of(point))) {
      replaced.push_back(point.label);
    } else {
      gate.points.push_back({&point, loss_of(point, comparison), {}});
    }
  }

  for (const ProgramComparison& program : comparison.programs) add_program(gate, program);

  const bool is_cut_short = has_ended_badly(gate);
  if (!options.allow_other_devices) {
    for (const ModelDifference& difference : model_differences(comparison)) {
      gate.incomparable.push_back(other_model(comparison, difference));
    }
  }
  if (!replaced.empty()) {
    gate.incomparable.push_back(other_points(replaced));
  } else if (!options.allow_other_points && !is_cut_short) {
    const std::string reason = too_little_in_common(comparison, gate.coverage);
    if (!reason.empty()) gate.incomparable.push_back(reason);
  }
  for (const auto& [check, labels] : lost) {
    gate.incomparable.push_back(lost_numbers(check, labels, comparison.now->run));
  }
  if (gate.incomparable.empty() && !is_cut_short && !has_common_points(gate)) {
    gate.incomparable.emplace_back("the runs have no points in common");
  } else if (gate.incomparable.empty() && !gate.regressed() && gate.count(GateOutcome::passed) == 0 &&
             gate.count(GateOutcome::uncertain) == 0) {
    gate.incomparable.emplace_back("the base has no number for any of the checks");
  }
  return gate;
}

}  // namespace rooflinectl
