// SPDX-License-Identifier: Apache-2.0
#include "reports/page/program/page_program.h"

#include <algorithm>
#include <array>

#include "analysis/roofline/executed/executed_work.h"
#include "analysis/roofline/point.h"
#include "core/text/kernel_name.h"
#include "core/text/names.h"
#include "reports/page/page_parts.h"
#include "reports/sentences/sentences.h"
#include "reports/tables/tables.h"
#include "reports/text/format.h"

namespace rooflinectl::page {
namespace {

// Kernels are told apart by the type of their operations: the same shape on every page.
std::size_t shape_of_type(std::string_view type) {
  constexpr std::array<std::string_view, 6> kTypes = {"FP32", "BF16", "TF32", "FP16", "FP8", "FP64"};
  type = type.substr(0, type.find(' '));
  const auto* const found = std::ranges::find(kTypes, type);
  return found == kTypes.end() ? 0 : static_cast<std::size_t>(found - kTypes.begin());
}

// What each known resource needs of a launch's time, the largest first: `["dram", 0.85, "dram_copy"]`.
Json uses(const RooflinePoint& point) {
  Json list = Json::array();
  if (!is_timed(*point.measurement)) return list;
  const double time_s = time_per_launch_s(*point.measurement);
  for (const ResourceUse& use : point.resources) {
    if (use.time_s.value_or(0) > 0) {
      list.push_back({to_string(use.resource), rounded(*use.time_s / time_s), ceilings_text(use.ceilings)});
    }
  }
  return list;
}

// The ceilings that the kernel is compared with: those of each memory level, and of its main pipe.
std::vector<std::string_view> ceilings_of(const RooflinePoint& point) {
  std::vector<std::string_view> ids;
  for (const LevelUse& use : point.levels) ids.push_back(use.ceiling);
  if (const ResourceUse* pipe = main_pipe(point.resources)) {
    ids.insert(ids.end(), pipe->ceilings.begin(), pipe->ceilings.end());
  }
  return ids;
}

Json figure(std::string_view name, const std::string& value, const std::string& note) {
  return {{"name", name}, {"value", value}, {"note", note}};
}

// Of a step, or of all time if there are no steps.
Json share_figure(std::string_view name, const ProgramUse& use, double share, const std::string& note = {}) {
  const LossBasis basis = loss_basis(use);
  return figure(
      name, format::duration(share * basis.time_s),
      fmt::format("{} of {}{}", format::percent(share), basis.is_step ? "a step" : "the time", note));
}

// What was not counted is not 0.
Json tensor_figure(const ProgramUse& use) {
  constexpr double kNotable = 0.01;
  const bool is_known = use.tensor_unknown_share < kNotable;
  const std::string unknown =
      fmt::format("not counted in {} of GPU time", format::percent(use.tensor_unknown_share));
  if (use.tensor_share > 0) {
    return share_figure(
        "Tensor Core kernels", use, time_share(use, use.tensor_share * use.in_steps_s),
        fmt::format(", at {} of their peak{}", format::percent(use.tensor_use / use.tensor_share),
                    is_known ? "" : fmt::format("; {}", unknown)));
  }
  if (!is_known) return figure("Tensor Core kernels", format::kUnavailable, unknown);
  return figure("Tensor Core kernels", "none", "no kernel uses them");
}

// What a reader sees first: all of it of a step if there are steps, then the whole run once.
Json figures(const Run& run, const ProgramUse& use) {
  Json list = Json::array();
  const auto busy = use.busy_share();
  const LossBasis basis = loss_basis(use);
  if (const RangeTimes* step = use.step) {
    // The kernels of a step may run after the host has left it: this is the host's pace.
    list.push_back(figure("step", format::duration(basis.time_s),
                          fmt::format("median of {}, from the start of one {} to the next",
                                      format::counted(step->undisturbed, "step"), range_title(step->path))));
  } else {
    list.push_back(
        figure(busy ? "time" : "GPU time", format::duration(basis.time_s),
               busy ? "in which kernels were timed, with the idle time between them" : "of all kernels"));
  }
  if (busy) {
    list.push_back(
        share_figure("GPU busy", use, *busy, use.idle ? "" : ", including launches held for counting"));
    const double waiting = use.waiting_share();
    if (waiting > 0) list.push_back(share_figure("waiting in collectives", use, waiting));
    list.push_back(share_figure("GPU idle", use, std::max(0.0, 1 - *busy - waiting)));
  }
  list.push_back(tensor_figure(use));
  const std::string launches = fmt::format("{} launches", use.launches);
  const std::string of_kernels =
      fmt::format("of {}{}", format::counted(use.kernels, "kernel"),
                  use.untimed == 0   ? std::string()
                  : use.untimed == 1 ? "; 1 launch was not timed"
                                     : fmt::format("; {} launches were not timed", use.untimed));
  const std::string steps = steps_text(use);
  const std::size_t processes = steps.empty() ? 0 : run.application->processes.size();
  const std::string of_processes = processes > 1 ? fmt::format("of {} processes: ", processes) : "";
  list.push_back(
      steps.empty() ? figure("whole run", launches, of_kernels)
                    : figure("whole run", steps, fmt::format("{}{} {}", of_processes, launches, of_kernels)));
  return list;
}

Json range(const RangeUse& use) {
  return {{"path", use.path},
          {"name", use.name},
          {"depth", use.depth},
          {"launches", use.launches},
          {"total_s", rounded(use.total_s)},
          {"in_steps_s", rounded(use.in_steps_s)},
          {"share", rounded(use.share)},
          {"recoverable_s", rounded(use.recoverable_s)},
          {"fraction_of_roofline", optional_number(use.fraction_of_roofline())},
          {"ai", optional_number(use.ai())},
          {"rate", optional_number(use.flop_per_s())}};
}

// A tree with more nodes cannot be read; it has those that matter, with those around them.
constexpr std::size_t kMostNodes = 2000;

Json ranges(const ProgramUse& use) {
  const double shortest_s = shortest_shown_s(use.ranges, kMostNodes);
  Json list = Json::array();
  for (const RangeUse& one : use.ranges) {
    if (one.total_s >= shortest_s) list.push_back(range(one));
  }
  if (use.outside.launches > 0 && !use.ranges.empty()) list.push_back(range(use.outside));
  return list;
}

Json loss_basis_view(const ProgramUse& use) {
  const LossBasis basis = loss_basis(use);
  const double busy = use.busy_share().value_or(1);
  // Kernels whose saving of a step is not known save their part of all time.
  return {{"is_step", basis.is_step},
          {"time_s", rounded(basis.time_s)},
          {"share_per_s", rounded(time_share(use, 1))},
          {"waiting", rounded(use.waiting_share())},
          {"idle", rounded(std::max(0.0, 1 - busy - use.waiting_share()))}};
}

// What shows the cause.
Json evidence_of(const ProgramUse& use, LossKind kind) {
  constexpr std::size_t kMostGaps = 5;
  if (kind != LossKind::idle) return Json::array();
  return titled_tables({idle_before_table(use, kMostGaps), gap_table(use)});
}

// In full and shortened.
Json kernel_list(const std::vector<std::string>& names) {
  const std::vector<std::string> short_names = distinct_short_names(names);
  Json list = Json::array();
  for (std::size_t i = 0; i < names.size(); ++i) {
    list.push_back({{"name", names[i]}, {"short", short_names[i]}});
  }
  return list;
}

// The page lists kernels itself, as the filters leave them.
Json losses_beside_kernels(const std::vector<RooflinePoint>& points, const ProgramUse& use) {
  const auto place_of = [&](const RooflinePoint* group) { return group - points.data(); };
  Json list = Json::array();
  for (const Loss& loss : losses(use)) {
    const LossText text = loss_text(use, loss);
    if (text.cause.empty()) continue;
    list.push_back({{"name", text.name},
                    {"share", rounded(loss.share)},
                    {"cause", text.cause},
                    {"next_step", text.next_step},
                    {"is_waiting", loss.kind == LossKind::waiting},
                    {"kernels", list_of(loss.groups, place_of)},
                    {"tables", evidence_of(use, loss.kind)}});
  }
  return list;
}

}  // namespace

OperatorView::OperatorView(const OperatorUse& use) : use_(use) {
  for (const RangeUse& one : use.operators) operators_.try_emplace(one.path, operators_.size());
  const double shortest_s = shortest_shown_s(use.tree, kMostNodes);
  std::vector<std::optional<std::size_t>> around;  // for the last node at each depth
  for (const RangeUse& one : use.tree) {
    around.resize(one.depth);
    std::optional<std::size_t> place = around.empty() ? std::nullopt : around.back();
    if (one.total_s >= shortest_s) {
      place = scopes_.size();
      scopes_.push_back(&one);
    }
    around.push_back(place);
    places_.push_back(place);
  }
  for (auto& place : places_) place = place.value_or(scopes_.size());
}

Json OperatorView::lists() const {
  const Json names = list_of(use_.operators, [](const RangeUse& one) { return operator_name(one.path); });
  Json scopes = list_of(scopes_, [](const RangeUse* one) { return range(*one); });
  if (use_.outside.launches > 0) scopes.push_back(range(use_.outside));
  return {{"has_modules", use_.has_modules}, {"operators", names}, {"scopes", scopes}};
}

void OperatorView::add_to(Json& group, const GroupOperators& operators) const {
  group["operators"] = list_of(operators.operators, [&](const OperatorShare& one) -> Json {
    return {operators_.at(one.name), rounded(one.share)};
  });
  std::map<std::size_t, GroupPart> parts;
  double outside = 1;
  double launches_outside = 1;
  for (const ScopeShare& one : operators.scopes) {
    GroupPart& part =
        parts.try_emplace(*places_[one.scope], GroupPart{.time = 0, .launches = 0}).first->second;
    part.time += one.part.time;
    part.launches += one.part.launches;
    outside -= one.part.time;
    launches_outside -= one.part.launches;
  }
  Json scopes = list_of(parts, [](const auto& part) -> Json {
    return {part.first, rounded(part.second.time), rounded(part.second.launches)};
  });
  // The rest is in the last one.
  constexpr double kNone = 1e-9;
  if (outside > kNone || launches_outside > kNone) {
    scopes.push_back(
        {scopes_.size(), rounded(std::max(0.0, outside)), rounded(std::max(0.0, launches_outside))});
  }
  group["scopes"] = std::move(scopes);
}

Json group(const Run& run, const RooflinePoint& point, KernelNames& names) {
  const Measurement& measurement = *point.measurement;
  const LaunchStatistics& launches = *measurement.launches;
  const auto of_all = [&](std::optional<double> of_one) {
    return of_one ? rounded(static_cast<double>(launches.traced) * *of_one) : Json(nullptr);
  };
  const std::string type = executed_type(point);
  return {{"measurement", &measurement - run.measurements.data()},
          {"kernel", names.number_of(measurement.point.subject)},
          {"path", measurement.point.axes.text(axis::kPath).value_or("")},
          {"launches", launches.count},
          {"total_s", rounded(launches.total_s)},
          {"in_steps_s", rounded(point.launches->in_steps_s)},
          {"recoverable_s", optional_number(point.launches->recoverable_s)},
          {"flops", of_all(point.flops_executed)},
          {"bytes", of_all(point.dram_bytes)},
          {"type", type},
          {"shape", shape_of_type(type)},
          {"uses", uses(point)},
          {"roofs", roofs_of(run, measurement.device, ceilings_of(point))}};
}

Json program(const Run& run, const std::vector<RooflinePoint>& points, const ProgramUse& use,
             const KernelNames& names) {
  constexpr std::size_t kMostRows = 500;
  constexpr std::size_t kMostGaps = 10;
  const Json tables = titled_tables({gap_table(use), idle_before_table(use, kMostGaps), transfer_table(use),
                                     roofless_table(use, kMostRows)});
  std::vector<std::string> sentences = program_sentences(run, use);
  std::erase(sentences, partly_counted_sentence(run));  // the page begins with it
  std::ranges::move(program_problems(run), std::back_inserter(sentences));
  return {{"kernel_s", rounded(use.kernel_s)},
          {"in_steps_s", rounded(use.in_steps_s)},
          {"losses", losses_beside_kernels(points, use)},
          {"loss_basis", loss_basis_view(use)},
          {"figures", figures(run, use)},
          {"sentences", sentences},
          {"ranges", ranges(use)},
          {"kernels", kernel_list(names.items())},
          {"tables", tables}};
}

}  // namespace rooflinectl::page
