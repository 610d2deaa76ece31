// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "analysis/roofline/executed/executed_work.h"
#include "analysis/roofline/point.h"
#include "core/enum_names.h"
#include "core/model/known_ceilings.h"
#include "reports/sentences/sentences.h"
#include "reports/text/format.h"

namespace rooflinectl {
namespace {

std::string count_text(double value) {
  const bool is_whole = std::abs(value) < 1e15 && std::floor(value) == value;
  return is_whole ? fmt::format("{:.0f}", value) : format::significant(value);
}

std::string_view at_least(bool is_part) {
  return is_part ? "≥ " : "";
}

void replace(std::string& text, std::string_view from, std::string_view to) {
  if (const std::size_t at = text.find(from); at != std::string::npos) text.replace(at, from.size(), to);
}

}  // namespace

std::string_view operations_of(const RooflinePoint& point) {
  return is_integer(point.precision) ? format::kOps : format::kFlops;
}

std::string rate_text(const RooflinePoint& point, const std::optional<double>& per_s) {
  return format::optional(per_s, [&](double value) { return format::rate(value, operations_of(point)); });
}

std::string executed_rate_text(const RooflinePoint& point) {
  return format::optional(point.executed_flop_per_s, [&](double value) {
    return fmt::format("{}{}", at_least(!point.executed_missing.empty()),
                       format::rate(value, operations_of(point)));
  });
}

std::string executed_ai_text(const RooflinePoint& point) {
  return format::optional(point.ai_executed, [&](double value) {
    return fmt::format("{}{}", at_least(!point.executed_missing.empty()), format::significant(value));
  });
}

std::string fraction_text(const RooflinePoint& point) {
  return format::optional(point.fraction_of_roofline, [&](double value) {
    return fmt::format("{}{}", at_least(point.roof->is_partly_counted), format::percent(value));
  });
}

std::string_view level_name(MemoryLevel level) {
  constexpr std::array<std::string_view, kMemoryLevels.size()> kNames = {"DRAM", "L2", "L1", "shared"};
  return kNames.at(static_cast<std::size_t>(level));
}

std::string_view legend_name(Bound bound) {
  return bound == Bound::launch_overhead ? "short kernels" : words_for(bound).label;
}

std::string_view bound_name(const RooflinePoint& point) {
  return is_observed(point) ? legend_name(point.bound) : words_for(point.bound).label;
}

std::string_view bound_phrase(const RooflinePoint& point) {
  const bool is_short = is_observed(point) && point.bound == Bound::launch_overhead;
  return is_short ? "a short kernel" : words_for(point.bound).phrase;
}

std::string_view roof_name(const RooflinePoint& point) {
  constexpr double kNear = 0.2;
  if (!point.roof) return format::kUnavailable;
  return point.fraction_of_roofline.value_or(1) < kNear ? "none near" : words_for(point.roof->resource).label;
}

std::string limit_text(const RooflinePoint& point) {
  const LevelUse* use = find_level(point, point.busiest_level);
  return use != nullptr ? fmt::format("{} {}", level_name(use->level),
                                      format::optional(use->utilisation, format::whole_percent))
                        : format::kUnavailable;
}

std::string intervals_text(const RooflinePoint& point, const SavingBasis& basis) {
  std::vector<std::string> texts;
  const auto add = [&](const std::optional<Interval>& interval, auto show, std::string_view form) {
    if (!interval) return;
    const std::string low = show(interval->low);
    const std::string high = show(interval->high);
    texts.push_back(
        fmt::format(fmt::runtime(form), low == high ? low : fmt::format("{} … {}", low, high), basis.words));
  };
  add(point.fraction_interval, format::percent, "{} of roofline");
  if (point.executed_flop_per_s.value_or(0) > 0) {
    add(
        point.executed_flop_per_s_interval, [&](double rate) { return rate_text(point, rate); }, "{}");
  }
  if (point.launches) {
    const auto saving = [&](double seconds) { return format::duration(seconds * basis.per_second); };
    add(point.launches->recoverable_interval_s, saving, "could save {} {}");
  }
  return format::joined(texts);
}

std::string stalls_text(const RooflinePoint& point) {
  constexpr double kLeast = 0.01;
  std::vector<std::string> texts;
  for (const StallShare& stall : point.verdict.stalls) {
    if (stall.share >= kLeast) {
      texts.push_back(fmt::format("{} {}", stall.reason->label, format::percent(stall.share)));
    }
  }
  return format::joined(texts);
}

std::vector<std::string> implausible_texts(const std::vector<RooflinePoint>& points) {
  constexpr std::size_t kMostAlone = 2;
  constexpr std::size_t kMostNames = 3;
  struct Alike {
    std::vector<const RooflinePoint*> points;
    std::vector<const Implausible*> findings;
  };
  std::vector<Alike> all;
  for (const RooflinePoint& point : points) {
    for (const Implausible& finding : point.implausible) {
      auto alike = std::ranges::find_if(all, [&](const Alike& one) {
        return one.findings.front()->of == finding.of && one.findings.front()->cause == finding.cause;
      });
      if (alike == all.end()) alike = all.insert(all.end(), Alike());
      alike->points.push_back(&point);
      alike->findings.push_back(&finding);
    }
  }
  std::vector<std::string> texts;
  for (const auto& [of, findings] : all) {
    if (findings.size() <= kMostAlone) {
      for (std::size_t i = 0; i < findings.size(); ++i)
        texts.push_back(fmt::format("{}: {}", of[i]->label, findings[i]->text()));
      continue;
    }
    const auto [least, most] = std::ranges::minmax_element(findings, {}, &Implausible::fraction);
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < kMostNames; ++i) names.push_back(of[i]->label);
    if (of.size() > kMostNames) names.emplace_back("…");
    texts.push_back(fmt::format("{} {} ({}): {:.1f} to {:.1f} % of {}: {}", of.size(),
                                of.front()->launches ? "launch groups" : "points", format::joined(names),
                                100 * (*least)->fraction, 100 * (*most)->fraction, findings.front()->of,
                                findings.front()->cause));
  }
  return texts;
}

std::string plain_cause(std::string cause) {
  for (const std::string_view pass : {" ran during the pass ", " was counted in the pass "}) {
    const std::size_t at = cause.find(pass);
    if (at == std::string::npos) continue;
    const std::size_t none = cause.find("none of its ");
    cause.resize(std::min(none, at));
    cause += none < at ? "none of its launches was counted" : " was counted";
  }
  replace(cause, " not counted: none of its launches was counted",
          ": launched only while these were not counted");
  replace(cause, "communication with other GPUs: no roof", "communication: no roof");
  // One command for the whole report brings all that it lacks: `partly_counted_sentence`.
  constexpr std::string_view kNotInReport = ": not in the report";
  if (const std::size_t at = cause.find(fmt::format("{}; ncu ", kNotInReport)); at != std::string::npos) {
    cause.resize(at + kNotInReport.size());
  }
  replace(cause, "operations was not counted", "operations were not counted");
  // In older runs.
  replace(cause, "instrumented code of collective kernels keeps the other ranks waiting",
          "programs with collectives are not instrumented");
  return cause;
}

std::string ceilings_text(const CeilingIds& ceilings) {
  return format::joined(ceilings, " + ");
}

std::string text_with_unit(double value, Unit unit) {
  using Show = std::string (*)(double);
  constexpr std::array<Show, kEnumerators<Unit>.size()> kShow = {
      count_text, format::percent, format::factor, format::mean_size, format::bandwidth, format::duration};
  return kShow.at(static_cast<std::size_t>(unit))(value);
}

std::string text_without_unit(double value, Unit unit) {
  return unit == Unit::ratio ? format::percent(value) : format::significant(value);
}

std::string executed_type(const RooflinePoint& point) {
  const ResourceUse* pipe = main_pipe(point.resources);
  if (pipe == nullptr) return format::kUnavailable;
  // Ceilings are named after their type: `bf16_tensor`.
  const std::string_view ceiling = pipe->ceilings.front();
  const std::string_view type = ceiling.substr(0, ceiling.find('_'));
  return fmt::format("{}{}", subject_name(type), pipe->resource == Bound::tensor ? " Tensor" : "");
}

std::optional<double> main_rate(const RooflinePoint& point) {
  return has_executed_work_alone(point) ? point.executed_flop_per_s : point.flop_per_s;
}

std::string shape_text(const RooflinePoint& point) {
  const Axes& axes = point.measurement->point.axes;
  const std::string grid = axes.written(axis::kGrid);
  return grid.empty() ? format::kUnavailable : fmt::format("{} × {}", grid, axes.written(axis::kBlock));
}

std::vector<std::string> cause_texts(const ExperimentAnalysis& experiment) {
  std::vector<std::string> texts;
  for (const RooflinePoint& point : experiment.points) {
    const Measurement& measurement = *point.measurement;
    if (measurement.cause.empty()) continue;
    texts.push_back(fmt::format("{} {}: {}", point.label, to_string(measurement.status), measurement.cause));
  }
  return texts;
}

std::vector<std::string> energy_reasons(const ExperimentAnalysis& experiment) {
  std::map<std::string, std::vector<std::string>> labels;
  for (const RooflinePoint& point : experiment.points) {
    const auto& energy = point.measurement->energy;
    if (energy && !energy->joules.available()) labels[energy->joules.reason()].push_back(point.label);
  }
  std::vector<std::string> texts;
  for (const auto& [reason, points] : labels) {
    texts.push_back(points.size() == experiment.points.size()
                        ? fmt::format("energy unavailable: {}", reason)
                        : fmt::format("energy unavailable for {}: {}", format::joined(points), reason));
  }
  return texts;
}

std::optional<LaunchMode> timed_mode(const RooflinePoint& point) {
  const auto& time = point.measurement->time;
  if (!time) return std::nullopt;
  return launch_mode(*time);
}

std::string counter_change_text(const CounterChange& change) {
  return fmt::format("{} {} → {}", change.quantity->name,
                     text_without_unit(change.from, change.quantity->unit),
                     text_without_unit(change.to, change.quantity->unit));
}

std::string step_text(const LadderStep& step, std::size_t most_changes) {
  const std::size_t shown = std::min(most_changes, step.counter_changes.size());
  std::string text =
      fmt::format("{} → {}: {}", step.from->label, step.to->label, format::speedup(step.speedup));
  for (std::size_t i = 0; i < shown; ++i) {
    text += ", " + counter_change_text(step.counter_changes[i]);
  }
  if (shown < step.counter_changes.size())
    text += fmt::format(", and {} more", step.counter_changes.size() - shown);
  return text;
}

}  // namespace rooflinectl
