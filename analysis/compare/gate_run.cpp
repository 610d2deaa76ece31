// SPDX-License-Identifier: Apache-2.0
// The new run as a whole: whether it did what the base did.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "analysis/compare/gate.h"

namespace rooflinectl {

namespace {

constexpr std::string_view kAllowPoints =
    "rooflinectl compare shows both runs, and --allow points checks only what they have in common";

std::string percent_of(double share) {
  return share > 0 && share < 0.0005 ? "<0.1 %" : fmt::format("{:.1f} %", 100 * share);
}

std::string number_of(std::size_t number, std::string_view what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

// ---- what was run ----

/// The experiment of the groups of a program; empty where there are none.
std::string program_of(const AnalysedRun& run) {
  for (const Measurement& measurement : run.run.measurements) {
    if (is_observed(measurement)) return measurement.point.experiment;
  }
  return {};
}

/// `'python3 train.py'`, `the plan ladder`
std::string what_ran(const AnalysedRun& run) {
  const auto& application = run.run.application;
  if (application && !application->command_line.empty()) {
    return fmt::format("'{}'", command_text(application->command_line));
  }
  const std::string program = program_of(run);
  return program.empty() ? fmt::format("the plan {}", run.run.plan.name) : fmt::format("'{}'", program);
}

/// `the base ran './a', the new run './b'`
std::string what_both_ran(const RunComparison& comparison) {
  return fmt::format("the base ran {}, the new run {}", what_ran(comparison.baseline.back()),
                     what_ran(*comparison.now));
}

std::optional<GateRunResult> check_program(const RunComparison& comparison) {
  const AnalysedRun& base = comparison.baseline.back();
  const AnalysedRun& now = *comparison.now;
  // What was imported has the names of files.
  if (!base.run.application || !now.run.application) return std::nullopt;
  const std::string before = program_of(base);
  const std::string after = program_of(now);
  if (before.empty() || after.empty() || before == after) return std::nullopt;
  return GateRunResult{RunCheck::program, false,
                       fmt::format("the programs have different names: {}", what_both_ran(comparison))};
}

// ---- how it ended ----

/// `the program ended with exit code 3`, `the program was ended by signal 11`
std::string how_it_ended(std::optional<int> exit_code, std::string_view program = "the program") {
  constexpr int kSignals = 128;  // as a shell has it
  constexpr int kLastSignal = 64;
  if (!exit_code) return fmt::format("rooflinectl was stopped before {} ended", program);
  return *exit_code > kSignals && *exit_code <= kSignals + kLastSignal
             ? fmt::format("{} was ended by signal {}", program, *exit_code - kSignals)
             : fmt::format("{} ended with exit code {}", program, *exit_code);
}

std::optional<GateRunResult> check_exit_code(const RunComparison& comparison) {
  const auto& now = comparison.now->run.application;
  const auto& last = comparison.baseline.back().run.application;
  if (!now || !last) return std::nullopt;
  GateRunResult result{RunCheck::exit_code, false, {}};
  const auto other = std::ranges::find_if(comparison.baseline, [&](const AnalysedRun& base) {
    return base.run.application && base.run.application->exit_code != now->exit_code;
  });
  if (now->exit_code != 0 && other != comparison.baseline.end()) {
    result.has_failed = true;
    result.text = fmt::format("{}; in the base, {}", how_it_ended(now->exit_code),
                              how_it_ended(other->run.application->exit_code, "it"));
  } else if (last->exit_code.value_or(0) != 0) {
    result.text = fmt::format("{}: what it did not reach is not checked",
                              how_it_ended(last->exit_code, "the program of the base"));
  }
  return result;
}

// ---- what is missing ----

std::optional<GateRunResult> check_points(const Coverage& coverage, const GateOptions& options) {
  // Otherwise each is a point that was lost.
  if (coverage.missing_points.empty() || !options.allow_other_points) return std::nullopt;
  const std::size_t missing = coverage.missing_points.size();
  GateRunResult result{RunCheck::points, false,
                       fmt::format("{} of the base {} not in the new run", number_of(missing, "point"),
                                   missing == 1 ? "is" : "are")};
  for (const PointComparison* point : coverage.missing_points) result.missing.push_back({point->label});
  return result;
}

GateRunResult check_groups(const RunComparison& comparison, const Coverage& coverage,
                           const GateOptions& options) {
  GateRunResult result{RunCheck::groups, false, {}};
  if (coverage.missing_groups.empty()) return result;
  for (const PointComparison* group : coverage.missing_groups)
    result.missing.push_back({group->label, percent_of(base_share(*group, comparison, coverage))});
  const std::size_t missing = coverage.missing_groups.size();
  result.text = fmt::format("{} of the base ({} of its GPU time) {} not in the new run",
                            number_of(missing, "launch group"), percent_of(coverage.missing_share()),
                            missing == 1 ? "is" : "are");
  if (coverage.added_groups_s > 0) {
    result.text += fmt::format("; groups that only the new run has take as much as {} of the base's GPU time",
                               percent_of(coverage.added_groups_s / coverage.groups_s));
  }
  const bool is_in_place = coverage.added_groups_s >= kLeastInPlace * coverage.missing_groups_s;
  const bool is_much = coverage.missing_share() > kMostMissing && !is_in_place;
  const bool are_many = coverage.missing_share_of_groups() >= kMostGroupsMissing;
  if ((is_much || are_many) && !options.allow_other_points) {
    result.has_failed = true;
    const bool is_other_work = is_in_place && coverage.added_groups_s > 0;
    result.text += fmt::format("; {}, so the program may do {} ({})",
                               is_much ? "nothing took their place"
                                       : fmt::format("{} of the base's groups are gone",
                                                     percent_of(coverage.missing_share_of_groups())),
                               is_other_work ? "other work" : "less than it did", kAllowPoints);
  }
  return result;
}

GateRunResult check_launches(const RunComparison& comparison, const Coverage& coverage,
                             const GateOptions& options) {
  const double change = coverage.launched_again() - 1;
  if (std::abs(change) <= kMostOtherLaunches) return {RunCheck::launches, false, {}};
  GateRunResult result{RunCheck::launches, !options.allow_other_launches, {}};
  result.text = fmt::format(
      "the program launched the {} that both runs have {:.0f} times in the base, {:.0f} times now: at the "
      "base's "
      "times, {} {} GPU time, so that the time of all kernels is not compared",
      number_of(coverage.common_groups(), "launch group"), coverage.launches_before, coverage.launches_now,
      percent_of(std::abs(change)), change < 0 ? "less" : "more");
  if (result.has_failed) {
    result.text +=
        fmt::format("; up to {:.0f} % pass (--allow launches passes any)", 100 * kMostOtherLaunches);
  }
  if (what_ran(comparison.baseline.back()) != what_ran(*comparison.now)) {
    result.text += fmt::format("; {}", what_both_ran(comparison));
  }
  return result;
}

}  // namespace

std::string missing_text(const GateMissing& missing) {
  return missing.share.empty() ? missing.label : fmt::format("{} ({})", missing.label, missing.share);
}

std::string_view to_string(RunCheck check) {
  return separated_name<' '>(check);
}

std::vector<GateRunResult> check_run(const RunComparison& comparison, const Coverage& coverage,
                                     const GateOptions& options) {
  std::vector<GateRunResult> results;
  const auto add = [&](std::optional<GateRunResult> result) {
    if (result) results.push_back(std::move(*result));
  };
  add(check_program(comparison));
  add(check_exit_code(comparison));
  add(check_points(coverage, options));
  if (coverage.groups > 0) {
    add(check_groups(comparison, coverage, options));
    add(check_launches(comparison, coverage, options));
  }
  return results;
}

std::string too_little_in_common(const RunComparison& comparison, const Coverage& coverage) {
  const std::size_t points = coverage.points - coverage.missing_points.size();
  const auto least = fmt::format("at least {:.0f} % must be", 100 * kLeastInCommon);
  if (coverage.groups > 0 && coverage.common_share() < kLeastInCommon) {
    // Otherwise a note names both programs.
    const std::string ran = check_program(comparison) ? "" : ": " + what_both_ran(comparison);
    return fmt::format(
        "only {} of the base's GPU time ({} of {}) is in launch groups that the new run has, too; {}{}. {}",
        percent_of(coverage.common_share()), coverage.common_groups(),
        number_of(coverage.groups, "launch group"), least, ran, kAllowPoints);
  }
  if (static_cast<double>(points) < kLeastInCommon * static_cast<double>(coverage.points)) {
    return fmt::format("only {} of the {} of the base are in the new run, too; {}: {}. {}", points,
                       number_of(coverage.points, "point"), least, what_both_ran(comparison), kAllowPoints);
  }
  return {};
}

bool is_total_comparable(const Coverage& coverage) {
  return coverage.common_share() >= kLeastInCommon &&
         std::abs(coverage.launched_again() - 1) <= kMostOtherLaunches;
}

}  // namespace rooflinectl
