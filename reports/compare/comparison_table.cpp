// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "analysis/roofline/point.h"
#include "core/enum_names.h"
#include "reports/charts/model/chart_model.h"
#include "reports/compare/comparison_reports.h"
#include "reports/sentences/sentences.h"
#include "reports/tables/tables.h"
#include "reports/text/format.h"

namespace rooflinectl {
namespace {

// `−0.7 … +0.5 %`: the unit only once where both have it.
std::string joined(std::string first, std::string_view sign, const std::string& second) {
  constexpr std::string_view kUnit = " %";
  if (first.ends_with(kUnit) && second.ends_with(kUnit)) first.resize(first.size() - kUnit.size());
  return fmt::format("{} {} {}", first, sign, second);
}

bool has_time(const RooflinePoint* point) {
  return point != nullptr && point->measurement->time.has_value();
}

std::string time_before(const PointComparison& point) {
  if (point.time) return format::duration(point.time->from.median_s);
  return has_time(point.base) ? format::duration(time_per_launch_s(*point.base->measurement))
                              : format::kUnavailable;
}

std::string time_now(const PointComparison& point) {
  return has_time(point.now) ? format::duration(time_per_launch_s(*point.now->measurement))
                             : format::kUnavailable;
}

std::string time_interval(const PointComparison& point) {
  if (!point.time) return format::kUnavailable;
  return joined(format::change(point.time->lowest_ratio()), "…", format::change(point.time->highest_ratio()));
}

// `97.2 → 96.9 %`, `– → 96.9 %`
std::string fraction_of_roofline(const PointComparison& point) {
  const auto fraction = [](const RooflinePoint* side) {
    return side != nullptr ? side->fraction_of_roofline : std::nullopt;
  };
  const auto before = fraction(point.base);
  const auto now = fraction(point.now);
  if (!before && !now) return format::kUnavailable;
  return joined(format::optional(before, format::percent), "→", format::optional(now, format::percent));
}

// `plain`, `graph → plain`
template <typename Text>
std::string both(const PointComparison& point, Text text) {
  const std::string before(text(point.base));
  const std::string now(text(point.now));
  return before == now ? now : fmt::format("{} → {}", before, now);
}

std::string bound_change(const PointComparison& point) {
  return both(point, [](const RooflinePoint* side) -> std::string_view {
    return side != nullptr ? bound_name(*side) : format::kUnavailable;
  });
}

std::string launch_change(const PointComparison& point) {
  return both(point, [](const RooflinePoint* side) -> std::string_view {
    const auto timed = side != nullptr ? timed_mode(*side) : std::nullopt;
    return timed ? to_string(*timed) : format::kUnavailable;
  });
}

bool is_of_program(const PointComparison& point) {
  return is_observed(point.now != nullptr ? *point.now : *point.base);
}

constexpr std::size_t kMostNotesOfPrograms = 20;

std::string note(const PointComparison& point, std::size_t most_changes) {
  if (point.change == PointChange::broken || point.change == PointChange::untimed) {
    if (point.now == nullptr || point.now->measurement->cause.empty()) return {};
    return fmt::format("{}: {}", to_string(point.now->measurement->status), point.now->measurement->cause);
  }
  const std::size_t shown = std::min(most_changes, point.counter_changes.size());
  std::vector<std::string> texts;
  if (const std::string difference = timing_difference(point); !difference.empty())
    texts.push_back(difference);
  for (std::size_t i = 0; i < shown; ++i) texts.push_back(counter_change_text(point.counter_changes[i]));
  if (shown < point.counter_changes.size())
    texts.push_back(fmt::format("and {} more", point.counter_changes.size() - shown));
  return format::joined(texts);
}

// `device 1: only the base has NVIDIA H200 (GPU-…)`; empty where both sides have the device.
std::string unpaired_text(const RunComparison& comparison, std::size_t device) {
  const ComparedDevice& compared = comparison.devices[device];
  const auto text = [&](std::string_view side, const DeviceInfo& info) {
    return fmt::format("device {}: only {} has {} ({})", device, side, info.name, info.uuid);
  };
  const auto& bases = compared.bases;
  const auto base = std::ranges::find_if(bases, [](const auto& place) { return place.has_value(); });
  if (base == bases.end()) return text("the new run", comparison.now->run.devices[compared.now.value()]);
  if (compared.now) return {};
  const auto& run = comparison.baseline[static_cast<std::size_t>(base - bases.begin())].run;
  return text("the base", run.devices[**base]);
}

/// Whether both are read from one file, or from copies of it.
bool is_same(const Run& a, const Run& b) {
  if (a.started_utc != b.started_utc || a.measurements.size() != b.measurements.size()) return false;
  return run_to_json(a) == run_to_json(b);
}

std::vector<std::string> program_change_texts(const RunComparison& comparison) {
  std::vector<std::string> texts;
  for (const ProgramComparison& program : comparison.programs) {
    const TimeChange& time = *program.whole.time;
    const std::string launches =
        program.launches_before == program.launches_now
            ? fmt::format("{} launches", program.launches_now)
            : fmt::format("{} → {} launches", program.launches_before, program.launches_now);
    texts.push_back(fmt::format("GPU time of {}: {} → {} ({}), {}", program.whole.label,
                                format::duration(time.from.median_s), format::duration(time.to.median_s),
                                format::change(time.ratio()), launches));
  }
  return texts;
}

std::vector<std::string> comparison_notes(const RunComparison& comparison, std::size_t most_changes) {
  std::vector<std::string> notes;
  for (const PointComparison* shown : table_points(comparison, kMostNotesOfPrograms)) {
    const PointComparison& point = *shown;
    const std::string text = note(point, most_changes);
    if (!text.empty()) notes.push_back(fmt::format("{}: {}", point.label, text));
  }
  return notes;
}

std::vector<std::string> ceiling_change_texts(const RunComparison& comparison) {
  std::vector<std::string> texts;
  for (const auto& [base, now, device] : comparison.ceilings) {
    const auto value = [](const Ceiling* ceiling) {
      return ceiling != nullptr ? ceiling_value(*ceiling, ceiling->value) : std::string("not measured");
    };
    const std::string change = base != nullptr && now != nullptr
                                   ? fmt::format(" ({})", format::change(now->value / base->value))
                                   : "";
    texts.push_back(fmt::format("{}{} {} → {}{}", ceiling_name(base != nullptr ? *base : *now),
                                device_suffix(comparison, device), value(base), value(now), change));
  }
  return texts;
}

}  // namespace

Table comparison_table(const std::vector<const PointComparison*>& points) {
  Table table = {.title = "Points",
                 .columns = {column::text("verdict"), column::text("point"), column::text("experiment"),
                             column::text("launch"), column::number("before"), column::number("now"),
                             column::number("change"), column::number("95 % interval"),
                             column::number("% of roofline"), column::text("bound by")},
                 .dispensable = {"launch", "bound by", "% of roofline"}};
  for (const PointComparison* point : points) {
    table.rows.push_back({std::string(to_string(point->change)), point->label, point->point.experiment,
                          launch_change(*point), time_before(*point), time_now(*point),
                          point->time ? format::change(point->time->ratio()) : format::kUnavailable,
                          time_interval(*point), fraction_of_roofline(*point), bound_change(*point)});
  }
  return table;
}

std::string primitives_note(const RunComparison& comparison) {
  const auto has_primitives = [](const AnalysedRun& analysed) { return !analysed.run.primitives.empty(); };
  const auto& bases = comparison.baseline;
  const bool is_needed = has_primitives(*comparison.now) || std::ranges::any_of(bases, has_primitives);
  return is_needed ? "; primitives are not compared" : "";
}

std::string comparison_counts(const RunComparison& comparison) {
  if (comparison.points.empty()) return "no points to compare" + primitives_note(comparison);
  std::vector<std::string> counts;
  for (const PointChange change : kEnumerators<PointChange>) {
    const std::size_t count = comparison.count(change);
    if (count > 0) counts.push_back(fmt::format("{} {}", count, to_string(change)));
  }
  return fmt::format("{}: {}{}", format::counted(comparison.points.size(), "point"), format::joined(counts),
                     primitives_note(comparison));
}

std::string unrelated_text(const RunComparison& comparison) {
  constexpr double kMostAlone = 0.8;
  const std::size_t all = comparison.points.size();
  const std::size_t missing = comparison.count(PointChange::missing);
  const std::size_t added = comparison.count(PointChange::added);
  const std::size_t common = all - missing - added;
  if (static_cast<double>(missing + added) <= kMostAlone * static_cast<double>(all)) return {};
  return fmt::format("The runs have {} in common; {} only in the base, {} only in the new run.",
                     common == 0 ? "no points" : fmt::format("{} of {} points", common, all), missing, added);
}

std::vector<const PointComparison*> table_points(const RunComparison& comparison,
                                                 std::size_t most_of_programs) {
  const bool are_unrelated = !unrelated_text(comparison).empty();
  std::vector<const PointComparison*> shown;
  std::size_t of_programs = 0;
  for (const PointComparison& point : comparison.points) {
    const bool is_alone = point.change == PointChange::missing || point.change == PointChange::added;
    if (are_unrelated && is_alone) continue;
    if (is_of_program(point)) {
      const bool has_news = point.change < PointChange::unclear;
      if (!has_news || ++of_programs > most_of_programs) continue;
    }
    shown.push_back(&point);
  }
  return shown;
}

std::string incomparable_text(const RunComparison& comparison) {
  const auto& bases = comparison.baseline;
  const bool are_same = std::ranges::all_of(
      bases, [&](const AnalysedRun& base) { return is_same(base.run, comparison.now->run); });
  if (are_same) return "Both are the same run: there is nothing to compare.";
  const bool is_table_empty = table_points(comparison, 1).empty();
  return is_table_empty ? unrelated_text(comparison) : "";
}

std::string comparison_explanation(const RunComparison& comparison) {
  return fmt::format(
      "Slower, faster: by more than {0}, and significant (95 %, including drift between runs). Same: by at "
      "most {0}. Unclear: too noisy to tell.",
      format::percent(comparison.smallest_change));
}

std::string run_text(const Run& run) {
  const std::string driver =
      run.device().driver_version.empty() ? "" : fmt::format(", driver {}", run.device().driver_version);
  return fmt::format("{}{}, {}, rooflinectl {} ({})", device_text(run), driver, format::utc(run.started_utc),
                     run.tool_version, run.tool_commit);
}

std::string device_warning(const RunComparison& comparison) {
  if (model_differences(comparison).empty()) return {};
  return "Different devices: changes in time come from the devices as well as from the code. % of roofline "
         "refers to each device's own ceilings.";
}

std::vector<std::string> missing_texts(const RunComparison& comparison) {
  std::vector<std::string> texts;
  const auto add = [&](std::string_view side, const AnalysedRun& run) {
    for (const ExperimentAnalysis& experiment : run.analysis.experiments) {
      if (experiment.missing.empty()) continue;
      texts.push_back(
          fmt::format("{} {}: {}: {}", side, run.name, experiment.name, missing_text(experiment)));
    }
  };
  for (const AnalysedRun& base : comparison.baseline) add("base", base);
  add("new", *comparison.now);
  for (std::size_t device = 0; device < comparison.devices.size(); ++device) {
    const std::string text = unpaired_text(comparison, device);
    if (!text.empty()) texts.push_back(text);
  }
  return texts;
}

std::vector<std::string> environment_texts(const std::vector<EnvironmentChange>& changes) {
  return format::each(changes, [](const EnvironmentChange& change) {
    return fmt::format("{}: {} → {}", change.name, change.from, change.to);
  });
}

std::vector<ComparisonList> comparison_lists(const RunComparison& comparison, std::size_t most_changes) {
  std::vector<ComparisonList> lists = {{"Programs", program_change_texts(comparison)},
                                       {"Counter changes", comparison_notes(comparison, most_changes)},
                                       {"Not compared", missing_texts(comparison)},
                                       {"Environment", environment_texts(comparison.environment)},
                                       {"Ceilings", ceiling_change_texts(comparison)}};
  std::erase_if(lists, [](const ComparisonList& list) { return list.texts.empty(); });
  return lists;
}

}  // namespace rooflinectl
