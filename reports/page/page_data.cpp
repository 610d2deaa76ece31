// SPDX-License-Identifier: Apache-2.0
#include "reports/charts/model/chart_model.h"
#include "reports/page/page.h"
#include "reports/page/page_parts.h"
#include "reports/page/program/page_program.h"
#include "reports/tables/devices/device_tables.h"
#include "reports/tables/tables.h"
#include "reports/text/format.h"

namespace rooflinectl {
namespace page {
namespace {

// The results that the self-test makes suspect; null where it found nothing.
Json suspicion(const Run& run) {
  const std::vector<std::string> findings =
      run.self_test ? self_test_findings(*run.self_test) : std::vector<std::string>();
  if (findings.empty()) return nullptr;
  return {{"text", kSuspectCounters}, {"findings", findings}};
}

/// For each device, where there are no points.
Json bare_charts(const ReportModel& report) {
  Json charts = Json::array();
  for (std::size_t device = 0; device < report.ceilings_charts.size(); ++device) {
    const ChartModel& bare = report.ceilings_charts[device];
    charts.push_back({{"heading", bare.title},
                      {"provenance", bare.provenance},
                      {"axes", window(bare.axes)},
                      {"roofs", roofs_alone(report.run, device)}});
  }
  return charts;
}

std::string run_view(const ReportModel& report) {
  const Run& run = report.run;
  std::vector<std::string> experiments;
  for (const ExperimentReport& one : report.experiments) experiments.push_back(page::experiment(report, one));
  Json rest = {{"name", run.plan.name},
               {"started", format::utc(run.started_utc)},
               {"source", to_string(run.source)},
               {"precisions", precisions(report)},
               {"roofs", roofs(run)},
               {"bare_charts", bare_charts(report)},
               {"ceilings", table(ceiling_table(run, report.ceilings))},
               {"environment", environment(run)},
               {"agreements", agreements(run)},
               {"suspicion", suspicion(run)}};
  if (!run.imports.empty()) rest["is_imported"] = true;
  const std::string notice =
      report.nothing_measured.empty() ? partly_counted_sentence(run) : report.nothing_measured;
  if (!notice.empty()) rest["notice"] = notice;
  if (!run.primitives.empty()) rest["primitives"] = table(primitive_table(run));
  if (!report.spread.empty()) {
    constexpr std::size_t kMostPoints = 200;
    rest["spread"] = device_tables(kSpreadExplanation, spread_tables(run, report.spread, kMostPoints));
  }
  if (!run.links.empty()) rest["links"] = device_tables(kLinkExplanation, link_tables(run));
  if (run.collectives) rest["collectives"] = device_tables(kCollectiveExplanation, collective_tables(run));
  if (report.ranks) rest["ranks"] = ranks(report);
  return with_member(serial::to_text(rest), "experiments", array_text(experiments));
}

}  // namespace
}  // namespace page

std::string page_data(const ReportModel& report) {
  using namespace page;
  const Run& run = report.run;
  const Json data = {{"format", "rooflinectl-page"},
                     {"schema", 1},
                     {"tool", fmt::format("rooflinectl {} ({})", run.tool_version, run.tool_commit)},
                     {"columns", columns(kinds_of(report.analysis))},
                     {"bounds", bounds()},
                     {"shapes", shapes()},
                     {"levels", levels()}};
  return with_member(serial::to_text(data), "run", run_view(report));
}

}  // namespace rooflinectl
