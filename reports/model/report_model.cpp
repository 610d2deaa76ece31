// SPDX-License-Identifier: Apache-2.0
#include "reports/model/report_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "reports/charts/model/chart_model.h"
#include "reports/sentences/sentences.h"

namespace rooflinectl {
namespace {

std::vector<std::size_t> best_of_many(const ExperimentAnalysis& experiment) {
  constexpr std::size_t kMostDrawn = 40;
  if (experiment.points.size() <= kMostDrawn || !has_size_sweep(experiment)) return {};
  return best_of_versions(experiment);
}

// The experiment with only these points.
ExperimentAnalysis part_of(const ExperimentAnalysis& experiment, const std::vector<std::size_t>& points) {
  ExperimentAnalysis part;
  part.name = experiment.name;
  part.title = experiment.title;
  part.device = experiment.device;
  part.missing = experiment.missing;
  for (const std::size_t i : points) part.points.push_back(experiment.points[i]);
  return part;
}

// The main picture, where it is not the one with all points at DRAM.
std::optional<ChartModel> chosen_chart(const Run& run, const ExperimentAnalysis& experiment,
                                       const std::vector<std::size_t>& points,
                                       const ChartSelection& selection) {
  std::optional<ExperimentAnalysis> best;
  if (!points.empty()) best = part_of(experiment, points);
  const ExperimentAnalysis& drawn = best ? *best : experiment;
  std::optional<ChartModel> chart;
  if (!selection.levels.empty() && selection.levels != std::vector{MemoryLevel::dram}) {
    chart = levels_model(run, drawn, selection);
  } else if (best || !selection.precisions.empty()) {
    chart = chart_model(run, drawn, selection);
  }
  if (best && chart) chart->list_title = "Best size of each";
  return chart;
}

ExperimentReport report_of(const Run& run, const ExperimentAnalysis& experiment,
                           const ChartSelection& selection) {
  ExperimentReport report;
  report.run = &run;
  report.analysis = &experiment;
  report.chart = chart_model(run, experiment);
  report.levels = levels_model(run, experiment);
  report.best = best_of_many(experiment);
  report.chosen = chosen_chart(run, experiment, report.best, selection);
  report.explanations.reserve(experiment.points.size());
  for (const RooflinePoint& point : experiment.points) report.explanations.push_back(explain(run, point));
  report.program = program_use(run, experiment);
  if (has_size_sweep(experiment)) report.sizes = size_sweep(run, experiment);
  report.speeds = speed_tables(run, experiment);
  report.scaling = scaling(run, experiment);
  return report;
}

void name_files(std::vector<ExperimentReport>& experiments) {
  std::vector<std::string> names;
  for (const ExperimentReport& report : experiments) names.push_back(report.analysis->name);
  const std::vector<std::string> file_names = chart_file_names(names);
  for (std::size_t i = 0; i < names.size(); ++i) experiments[i].file_name = file_names[i];
}

/// Of the ranks that used the devices of the experiment.
void add_waiting(ExperimentReport& report, const RankAnalysis& ranks, std::size_t devices) {
  if (!report.program || ranks.judged_collectives == 0) return;
  std::set<std::size_t> used;
  for (std::size_t device = 0; device < devices; ++device) {
    if (report.is_together() || device == report.analysis->device) used.insert(device);
  }
  const auto [last, second] = ranks.latest();
  CollectiveWaiting waiting = {.last = last->name,
                               .last_share = ranks.caused_share(*last),
                               .last_slow_share = last->slow_share(),
                               .is_one_late = ranks.is_one_late(),
                               .second = second->name,
                               .second_share = ranks.caused_share(*second)};
  for (const RankUse& rank : ranks.ranks) {
    const auto& of_rank = rank.process->devices;
    const bool is_user = std::ranges::any_of(of_rank, [&](std::size_t i) { return used.contains(i); });
    // A kernel that runs beside a collective makes the time useful.
    if (is_user) waiting.wait_s += rank.wait_share() * rank.collective_s * (1 - rank.overlapped_share());
  }
  report.program->waiting = waiting;
}

/// That the run has no point of any experiment, and no device was sampled; empty if it has.
std::string nothing_measured_text(const std::vector<ExperimentReport>& experiments) {
  std::size_t missing = 0;
  for (const ExperimentReport& report : experiments) {
    if (!report.analysis->points.empty() || report.timeline) return {};
    missing += report.analysis->missing.size();
  }
  if (experiments.empty()) return {};
  return missing == 1 ? "Nothing was measured: the only point of the plan is missing."
                      : fmt::format("Nothing was measured: all {} points of the plan are missing.", missing);
}

void add_operators(ReportModel& model, const TorchTrace& trace) {
  const TorchLaunches launches = torch_launches(trace);
  const std::size_t first = model.experiments.size() - model.analysis.experiments.size();
  for (std::size_t i = 0; i < model.analysis.experiments.size(); ++i) {
    ExperimentReport& report = model.experiments[first + i];
    if (!report.program) continue;
    ExperimentAnalysis& experiment = model.analysis.experiments[i];
    report.operators = operator_use(model.run, experiment, trace, launches, report.program->kernel_s);
    for (std::size_t point = 0; point < experiment.points.size(); ++point) {
      if (auto& of = experiment.points[point].launches) of->operators = &report.operators->groups[point];
    }
  }
}

}  // namespace

ReportModel::ReportModel(const Run& measured, ChartSelection chosen, const Timeline* sampled,
                         const TorchTrace* torch)
    : run(measured),
      timeline(sampled),
      selection(std::move(chosen)),
      analysis(analyse(run)),
      together(devices_together(run)),
      ceilings(ceiling_pairs(run)) {
  for (std::size_t device = 0; device < run.devices.size(); ++device) {
    ceilings_charts.push_back(ceilings_model(run, selection, device));
  }
  if (together) {
    of_together = analyse(*together);
    experiments.push_back(report_of(together->run, *of_together, selection));
  }
  for (const ExperimentAnalysis& experiment : analysis.experiments) {
    ExperimentReport& report = experiments.emplace_back(report_of(run, experiment, selection));
    if (timeline == nullptr) continue;
    auto view = device_view(run, experiment, *timeline);
    // For points that this tool launched nothing was sampled, whatever lies beside their run.
    if (view && (report.program || view->was_watched)) report.timeline = std::move(view);
  }
  name_files(experiments);
  spread = device_spread(run, analysis);
  if (torch != nullptr) add_operators(*this, *torch);
  ranks = rank_analysis(run);
  if (ranks) {
    for (ExperimentReport& report : experiments) add_waiting(report, *ranks, run.devices.size());
  }
  if (ranks && timeline != nullptr) rank_lanes = rooflinectl::rank_lanes(run, *timeline);
  nothing_measured = nothing_measured_text(experiments);
  if (!nothing_measured.empty()) experiments.clear();
}

bool ReportModel::is_incomplete() const {
  return !nothing_measured.empty() || std::ranges::any_of(experiments, [](const ExperimentReport& one) {
    return !one.analysis->missing.empty();
  });
}

bool ReportModel::has_timeline() const {
  return std::ranges::any_of(experiments,
                             [](const ExperimentReport& one) { return one.timeline.has_value(); });
}

bool ReportModel::has_ceilings_picture() const {
  const auto is_measured = [](const RoofLine& roof) { return roof.source == CeilingSource::measured; };
  const auto& roofs = ceilings_charts.front().roofs;
  if (!nothing_measured.empty() && roofs.empty()) return false;
  return experiments.empty() && (run.primitives.empty() || std::ranges::any_of(roofs, is_measured));
}

}  // namespace rooflinectl
