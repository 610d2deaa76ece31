// SPDX-License-Identifier: Apache-2.0
#include "reports/report_model.h"

#include <algorithm>
#include <utility>

#include "reports/charts/file_names.h"
#include "reports/tables/point_table.h"

namespace rooflinectl {
namespace {

bool is_dram_alone(const ChartSelection& selection) {
  return selection.levels.empty() || selection.levels == std::vector{MemoryLevel::dram};
}

// The main picture, where it is not the one that is drawn by default.
std::optional<ChartModel> chosen_chart(const Run& run, const ExperimentAnalysis& experiment,
                                       const ChartSelection& selection) {
  if (!is_dram_alone(selection)) return levels_model(run, experiment, selection);
  if (!selection.precisions.empty()) return chart_model(run, experiment, selection);
  return std::nullopt;
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

ReportModel::ReportModel(const Run& measured, ChartSelection chosen)
    : run(measured),
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
  }
}

bool ReportModel::is_incomplete() const {
  return std::any_of(experiments.begin(), experiments.end(),
                     [](const ExperimentReport& one) { return !one.analysis->missing.empty(); });
}

}  // namespace rooflinectl
