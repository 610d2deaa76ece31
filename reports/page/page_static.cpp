// SPDX-License-Identifier: Apache-2.0
#include "reports/page/page_static.h"

#include <fmt/format.h>

#include <span>

#include "analysis/roofline/energy.h"
#include "core/text/typeset.h"
#include "reports/charts/model/chart_model.h"
#include "reports/draw/svg.h"
#include "reports/page/page_tables.h"
#include "reports/sentences/environment_facts.h"
#include "reports/sentences/notable_points.h"
#include "reports/sentences/point_text.h"
#include "reports/tables/ceiling_table.h"
#include "reports/tables/devices/collective_table.h"
#include "reports/tables/devices/link_table.h"
#include "reports/tables/devices/scaling_table.h"
#include "reports/tables/devices/spread_table.h"
#include "reports/tables/point_table.h"
#include "reports/tables/primitive_table.h"
#include "reports/text/format.h"

namespace rooflinectl {
namespace {

std::string_view number_class(bool is_number) {
  return is_number ? R"( class="number")" : "";
}

std::string header_cell(std::string_view title, bool is_number) {
  return fmt::format(R"(<th scope="col"{}>{}</th>)", number_class(is_number), escape_markup(title));
}

std::string shown(std::string_view text) {
  return escape_markup(typeset(text));
}

// What casts doubt on numbers in the table above.
std::string findings(const std::vector<std::string>& texts) {
  if (texts.empty()) return {};
  std::string html = "<ul class=\"findings\">\n";
  for (const std::string& text : texts) html += fmt::format("<li>{}</li>\n", shown(text));
  return html + "</ul>\n";
}

std::string cell(const PointColumn& column, const RooflinePoint& point) {
  return fmt::format("<td{}>{}</td>", number_class(column.is_number), shown(column.text(point)));
}

// A page that is read without scripts is no place for thousands of rows.
constexpr std::size_t kMostRows = 200;

std::string point_table(const ExperimentAnalysis& experiment) {
  const auto columns = point_columns(kinds_of(experiment));
  std::string html = "<div class=\"scroll\"><table class=\"points\"><thead><tr>";
  for (const PointColumn& column : columns) {
    html += header_cell(column.title, column.is_number);
  }
  html += "</tr></thead><tbody>\n";
  const std::vector<std::size_t> shown = notable_points(experiment, kMostRows);
  for (const std::size_t i : shown) {
    html += fmt::format(R"(<tr data-point="{}">)", i);
    for (const PointColumn& column : columns) html += cell(column, experiment.points[i]);
    html += "</tr>\n";
  }
  html += "</tbody></table></div>\n";
  if (shown.size() == experiment.points.size()) return html;
  return html + fmt::format("<p>{} of {} points: {}. points.csv has all of them.</p>\n", shown.size(),
                            experiment.points.size(), notable_points_text(experiment));
}

std::string steps_html(const ExperimentAnalysis& experiment) {
  if (experiment.steps.empty()) return {};
  std::string html = "<h3>From version to version</h3><ol class=\"steps\">\n";
  for (const LadderStep& step : experiment.steps) {
    html += fmt::format("<li>{}</li>\n", shown(step_text(step, step.counter_changes.size())));
  }
  return html + "</ol>\n";
}

// The script shows those with a name, too.
std::string figure(const std::string& svg, std::string_view name = {}) {
  if (svg.empty()) return {};
  const std::string attribute = name.empty() ? "" : fmt::format(R"( data-name="{}")", name);
  return fmt::format("<figure{}>{}</figure>\n", attribute, svg);
}

std::string device_table_html(const DeviceTable& table) {
  std::string html = fmt::format("<h3>{}</h3>\n", shown(table.title));
  if (!table.rows.empty()) {
    html += "<div class=\"scroll\"><table><thead><tr>";
    for (const DeviceColumn& column : table.columns) html += header_cell(column.title, column.is_number);
    html += "</tr></thead><tbody>\n";
    for (const std::vector<std::string>& row : table.rows) {
      html += "<tr>";
      for (std::size_t i = 0; i < row.size(); ++i) {
        html += fmt::format("<td{}>{}</td>", number_class(table.columns[i].is_number), shown(row[i]));
      }
      html += "</tr>\n";
    }
    html += "</tbody></table></div>\n";
  }
  return html + findings(table.notes());
}

std::string scaling_part(const ExperimentReport& report, const std::string& drawing) {
  if (!report.scaling) return {};
  std::string html = drawing;
  for (const DeviceTable& table : scaling_tables(*report.scaling)) html += device_table_html(table);
  return html + fmt::format("<p>{}</p>\n", kScalingExplanation);
}

std::string section(const ExperimentReport& report, std::size_t index, const PagePictures& pictures) {
  const ExperimentAnalysis& experiment = *report.analysis;
  return fmt::format(
      "<section class=\"experiment\" id=\"experiment-{0}\" data-experiment=\"{0}\">\n<h2>{1}</h2>\n"
      "<p class=\"provenance\">{2}</p>\n{3}{4}{5}{6}</section>\n",
      index, shown(report.chart.title), shown(report.chart.provenance),
      figure(pictures.roofline) + figure(pictures.size_sweep, fmt::format("size-sweep-{}", index)) +
          figure(pictures.energy, fmt::format("energy-{}", index)) +
          scaling_part(report, figure(pictures.scaling, fmt::format("scaling-{}", index))),
      point_table(experiment), findings(page::implausible(experiment)) + findings(energy_reasons(experiment)),
      steps_html(experiment));
}

std::string sections(const ReportModel& report, const std::vector<PagePictures>& pictures) {
  std::string html;
  for (std::size_t i = 0; i < report.experiments.size(); ++i) {
    html += section(report.experiments[i], i, pictures.at(i));
  }
  return html;
}

// A row for each of `items`, in a table with this class.
template <typename Column, typename Item>
std::string table(const Run& run, std::string_view name, std::span<const Column> columns,
                  const std::vector<Item>& items) {
  std::string html = fmt::format("<div class=\"scroll\"><table class=\"{}\"><thead><tr>", name);
  for (const Column& column : columns) html += header_cell(column.title, column.is_number);
  html += "</tr></thead><tbody>\n";
  for (const Item& item : items) {
    html += "<tr>";
    for (const Column& column : columns) {
      html +=
          fmt::format("<td{}>{}</td>", number_class(column.is_number), escape_markup(column.text(run, item)));
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

// Their picture, where it is not the background of points, and their table.
std::string ceilings(const ReportModel& report, const std::string& picture) {
  return figure(picture) + table(report.run, "ceilings", ceiling_columns(), report.ceilings) +
         findings(ceiling_findings(report.ceilings));
}

std::string primitives(const Run& run, const std::string& picture) {
  if (run.primitives.empty()) return {};
  return fmt::format("<section>\n<h2>Primitives</h2>\n<p>{}</p>\n{}{}{}</section>\n", kPrimitiveExplanation,
                     figure(picture, "primitives"),
                     table(run, "primitives", primitive_columns(), run.primitives),
                     findings(primitive_failures(run)));
}

std::string between_devices_html(std::string_view title, std::string_view explanation,
                                 const std::string& drawing, const std::vector<DeviceTable>& tables) {
  if (tables.empty()) return {};
  std::string html = fmt::format("<section>\n<h2>{}</h2>\n<p>{}</p>\n{}", title, explanation, drawing);
  for (const DeviceTable& table : tables) html += device_table_html(table);
  return html + "</section>\n";
}

std::string spread_html(const ReportModel& report) {
  constexpr std::size_t kMostPoints = 40;
  return between_devices_html("Spread between the devices", kSpreadExplanation, {},
                              spread_tables(report.run, report.spread, kMostPoints));
}

std::string links_html(const Run& run) {
  return between_devices_html("Links between the devices", kLinkExplanation, {}, link_tables(run));
}

std::string collectives(const Run& run, const std::string& picture) {
  return between_devices_html("Collectives", kCollectiveExplanation, figure(picture, "collectives"),
                              collective_tables(run));
}

std::string environment_html(const Run& run) {
  std::string html;
  for (const Fact& fact : environment_facts(run)) {
    html += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", escape_markup(fact.name),
                        escape_markup(fact.text));
  }
  return html;
}

}  // namespace

std::string page_without_script(const ReportModel& report, const PageParts& parts) {
  return fmt::format(
      "<main class=\"without-script\">\n{}{}<section>\n<h2>Ceilings</h2>\n{}</section>\n{}{}{}"
      "<section>\n<h2>Environment</h2>\n<table "
      "class=\"facts\"><tbody>\n{}</tbody></table>\n</section>\n</main>\n",
      sections(report, parts.experiments), primitives(report.run, parts.primitives),
      ceilings(report, report.experiments.empty() ? parts.experiments.front().roofline : ""),
      spread_html(report), links_html(report.run), collectives(report.run, parts.collectives),
      environment_html(report.run));
}

}  // namespace rooflinectl
