// SPDX-License-Identifier: Apache-2.0
#include "reports/report_model.h"

#include <algorithm>
#include <utility>

#include "reports/charts/file_names.h"
#include "reports/tables/notable_points.h"

namespace rooflinectl {
namespace {

bool is_dram_alone(const ChartSelection& selection) {
  return selection.levels.empty() || selection.levels == std::vector{MemoryLevel::dram};
}

// Of versions that were measured at many sizes the best point of each: all of them would be stripes. Nothing
// where all points can be drawn.
std::optional<ExperimentAnalysis> best_of_many(const ExperimentAnalysis& experiment) {
  constexpr std::size_t kMostDrawn = 40;
  if (experiment.points.size() <= kMostDrawn || !has_size_sweep(experiment)) return std::nullopt;
  ExperimentAnalysis best;
  best.name = experiment.name;
  best.title = experiment.title;
  best.device = experiment.device;
  best.missing = experiment.missing;
  for (const std::size_t i : best_of_versions(experiment)) best.points.push_back(experiment.points[i]);
  return best;
}

// The main picture, where it is not that of all points at DRAM.
std::optional<ChartModel> chosen_chart(const Run& run, const ExperimentAnalysis& experiment,
                                       const ChartSelection& selection) {
  const std::optional<ExperimentAnalysis> best = best_of_many(experiment);
  const ExperimentAnalysis& drawn = best ? *best : experiment;
  std::optional<ChartModel> chart;
  if (!is_dram_alone(selection)) {
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
  report.analysis = &experiment;
  report.chart = chart_model(run, experiment);
  report.levels = levels_model(run, experiment);
  report.chosen = chosen_chart(run, experiment, selection);
  report.explanations.reserve(experiment.points.size());
  for (const RooflinePoint& point : experiment.points) report.explanations.push_back(explain(run, point));
  report.program = program_use(run, experiment);
  if (has_size_sweep(experiment)) report.sizes = size_sweep(run, experiment);
  report.speeds = speed_tables(run, experiment);
  return report;
}

}  // namespace

ReportModel::ReportModel(const Run& measured, ChartSelection chosen, const Timeline* sampled)
    : run(measured),
      timeline(sampled),
      selection(std::move(chosen)),
      analysis(analyse(run)),
      ceilings(ceiling_pairs(run)),
      ceilings_chart(ceilings_model(run)) {
  std::vector<std::string> names;
  for (const ExperimentAnalysis& experiment : analysis.experiments) names.push_back(experiment.name);
  const std::vector<std::string> file_names = chart_file_names(names);
  for (std::size_t i = 0; i < names.size(); ++i) {
    experiments.push_back(report_of(run, analysis.experiments[i], selection));
    experiments.back().file_name = file_names[i];
    if (timeline != nullptr && experiments.back().program) {
      experiments.back().timeline = device_view(run, analysis.experiments[i], *timeline);
    }
  }
}

bool ReportModel::is_incomplete() const {
  return std::any_of(experiments.begin(), experiments.end(),
                     [](const ExperimentReport& one) { return !one.analysis->missing.empty(); });
}

bool ReportModel::has_ceilings_picture() const {
  const auto is_measured = [](const RoofLine& roof) { return roof.source == CeilingSource::measured; };
  const auto& roofs = ceilings_chart.roofs;
  return experiments.empty() &&
         (run.primitives.empty() || std::any_of(roofs.begin(), roofs.end(), is_measured));
}

}  // namespace rooflinectl
