// SPDX-License-Identifier: Apache-2.0
#include "reports/page/page.h"

#include <fmt/format.h>

#include "core/files/compression.h"
#include "reports/charts/parts/plot.h"
#include "reports/draw/theme.h"
#include "reports/page/page_parts.h"
#include "reports/page/program/page_program.h"
#include "reports/sentences/sentences.h"
#include "reports/tables/devices/device_tables.h"
#include "reports/tables/tables.h"
#include "reports/text/format.h"
#include "reports/text/markup.h"

namespace rooflinectl {
namespace page {

Json table(const Table& table) {
  std::vector<std::string> findings = table.remarks();
  if (table.left_out > 0) findings.push_back(fmt::format("… and {} more", table.left_out));
  return {{"columns", list_of(table.columns,
                              [](const TableColumn& column) -> Json {
                                return {{"title", column.title}, {"is_number", column.is_number}};
                              })},
          {"rows", table.rows},
          {"findings", findings}};
}

Json titled_tables(const std::vector<Table>& tables) {
  Json titled = Json::array();
  for (const Table& one : tables) {
    if (!one.empty()) titled.push_back({{"title", one.title}, {"table", table(one)}});
  }
  return titled;
}

Json explained_tables(std::string_view explanation, const std::vector<Table>& tables) {
  return {{"explanation", explanation}, {"tables", titled_tables(tables)}};
}

namespace {

Json columns(const PointKinds& kinds) {
  return list_of(page_columns(kinds), [](const PointColumn& column) -> Json {
    return {{"title", column.title},
            {"name", column.name.empty() ? column.title : column.name},
            {"is_number", column.is_number},
            {"help", column.help},
            {"role", column.role}};
  });
}

/// The words for what can bound a point.
Json bounds() {
  return list_of(bound_words(), [](const BoundWords& words) -> Json {
    return {{"id", words.id},
            {"label", words.label},
            {"legend", legend_name(words.bound)},
            {"meaning", words.meaning},
            {"colour", serial::or_null(look_of(words.bound).colour)}};
  });
}

/// The outline of a mark as the path of an SVG.
std::string path_of(const Shape& mark) {
  if (const auto* circle = std::get_if<Circle>(&mark)) {
    return fmt::format("M0-{0}A{0} {0} 0 1 1 0 {0}A{0} {0} 0 1 1 0-{0}Z", circle->radius);
  }
  const auto place = [](const Pixel& corner) { return fmt::format("{:.2f} {:.2f}", corner.x, corner.y); };
  return fmt::format("M{}Z", format::joined(std::get<Polygon>(mark).points, "L", place));
}

/// The shapes of marks, each with its outline around the origin.
Json shapes() {
  constexpr double kRadius = 4.5;  // in pixels, as beside the names of families
  Json list = Json::array();
  for (std::size_t i = 0; i < shape_names().size(); ++i) {
    const Shape mark = shaped_mark(i, palette::kInk, {0, 0}, kRadius, MarkFill::filled);
    list.push_back({{"name", shape_names()[i]}, {"path", path_of(mark)}});
  }
  return list;
}

/// The memory levels, from DRAM inwards.
Json levels() {
  return list_of(kMemoryLevels, [](MemoryLevel level) -> Json {
    return {{"id", to_string(level)}, {"name", level_name(level)}, {"shape", shape_of(level)}};
  });
}

Json titles(const Table& table) {
  return list_of(table.columns, [](const TableColumn& column) { return column.title; });
}

Json agreements(const Run& run) {
  return list_of(agreement_sections(run), [](const AgreementSection& section) -> Json {
    const Table quantities = quantity_table(*section.agreements);
    const Table all =
        agreement_table(*section.agreements, section.reference, [](const Agreement&) { return true; });
    return {{"title", section.title},
            {"summary", section.summary},
            {"reason", section.reason},
            {"hint", section.hint},
            {"quantity_headings", titles(quantities)},
            {"quantities", quantities.rows},
            {"headings", titles(all)},
            {"rows", all.rows}};
  });
}

Json environment(const Run& run) {
  return list_of(environment_facts(run), [](const Fact& fact) -> Json { return {fact.name, fact.text}; });
}

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
  const auto experiment = [&](const ExperimentReport& one) { return page::experiment(report, one); };
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
  constexpr std::size_t kMostPoints = 200;
  for (const DeviceSection& section : device_sections(run, report.spread, kMostPoints)) {
    rest[std::string(section.id)] = explained_tables(section.explanation, section.tables);
  }
  if (report.ranks) rest["ranks"] = ranks(report);
  return with_member(serial::to_text(rest), "experiments",
                     array_text(format::each(report.experiments, experiment)));
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

std::string report_page(const ReportModel& report, const PageParts& parts) {
  const Run& run = report.run;
  Filling filling;
  filling["title"] = escape_markup(fmt::format("{}{} on {}", headline_prefix(run, report.is_incomplete()),
                                               run.plan.name, device_text(run)));
  filling["subtitle"] = escape_markup(fmt::format("{} · {} · rooflinectl {}", format::utc(run.started_utc),
                                                  to_string(run.source), run.tool_version));
  filling["theme"] = fmt::format("<style>\n{}</style>", theme_css());
  filling["without-script"] = page_without_script(report, parts);
  // Compressed: a tenth of the bytes. Digits of base64 cannot end the element.
  filling["data"] = base64(deflated(page_data(report)));
  filling["points"] = base64(deflated(parts.points_csv));
  filling["run"] = base64(deflated(run_to_json(run)));
  return filled(embedded::page(), filling);
}

}  // namespace rooflinectl
