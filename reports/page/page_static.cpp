// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/text/written_number.h"
#include "reports/charts/model/chart_model.h"
#include "reports/page/page.h"
#include "reports/page/page_parts.h"
#include "reports/sentences/sentences.h"
#include "reports/tables/devices/device_tables.h"
#include "reports/tables/tables.h"
#include "reports/text/format.h"
#include "reports/text/markup.h"

namespace rooflinectl {
namespace {

std::string shown(std::string_view text) {
  return escape_markup(typeset(text));
}

std::string items(const std::vector<std::string>& texts) {
  const auto item = [](const std::string& text) { return fmt::format("<li>{}</li>\n", shown(text)); };
  return format::joined(texts, "", item);
}

// What casts doubt on numbers in the table above.
std::string findings(const std::vector<std::string>& texts) {
  if (texts.empty()) return {};
  return fmt::format("<ul class=\"findings\">\n{}</ul>\n", items(texts));
}

// A page that is read without scripts is no place for thousands of rows.
constexpr std::size_t kMostRows = 200;

std::string point_table(const ExperimentAnalysis& experiment) {
  const std::vector<std::size_t> shown = notable_points(experiment, kMostRows);
  const std::string html = html_table(rooflinectl::point_table(experiment, shown), "points");
  if (shown.size() == experiment.points.size()) return html;
  return html + fmt::format("<p>{} of {} points: {}. points.csv has all of them.</p>\n", shown.size(),
                            experiment.points.size(), notable_points_text(experiment));
}

std::string steps_html(const ExperimentAnalysis& experiment) {
  if (experiment.steps.empty()) return {};
  const auto text = [](const LadderStep& step) { return step_text(step, step.counter_changes.size()); };
  return fmt::format("<h3>From version to version</h3><ol class=\"steps\">\n{}</ol>\n",
                     items(format::each(experiment.steps, text)));
}

// The script shows those with a name, too.
std::string figure(const std::string& svg, std::string_view name = {}) {
  if (svg.empty()) return {};
  const std::string attribute = name.empty() ? "" : fmt::format(R"( data-name="{}")", name);
  return fmt::format("<figure{}>{}</figure>\n", attribute, svg);
}

std::string table_with_title(const Table& table) {
  std::string html = fmt::format("<h3>{}</h3>\n", shown(table.title));
  if (!table.rows.empty()) html += html_table(table, "between-devices");
  return html + findings(table.remarks());
}

std::string scaling_part(const ExperimentReport& report, const std::string& drawing) {
  if (!report.scaling) return {};
  return fmt::format("{}{}<p>{}</p>\n", drawing,
                     format::joined(scaling_tables(*report.scaling), "", table_with_title),
                     kScalingExplanation);
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

// Their picture, where it is not the background of points, and their table.
std::string ceilings(const ReportModel& report, const std::string& picture) {
  const Table table = ceiling_table(report.run, report.ceilings);
  return figure(picture) + html_table(table, "ceilings") + findings(table.notes);
}

std::string primitives(const Run& run, const std::string& picture) {
  if (run.primitives.empty()) return {};
  const Table table = primitive_table(run);
  return fmt::format("<section>\n<h2>Primitives</h2>\n<p>{}</p>\n{}{}{}</section>\n", kPrimitiveExplanation,
                     figure(picture, "primitives"), html_table(table, "primitives"), findings(table.notes));
}

std::string between_devices_html(const ReportModel& report, const std::string& collectives) {
  std::string html;
  for (const DeviceSection& section : device_sections(report.run, report.spread)) {
    html += fmt::format("<section>\n<h2>{}</h2>\n<p>{}</p>\n", section.title, section.explanation);
    if (section.has_picture) html += figure(collectives, "collectives");
    html += format::joined(section.tables, "", table_with_title) + "</section>\n";
  }
  return html;
}

std::string environment_html(const Run& run) {
  return format::joined(environment_facts(run), "", [](const Fact& fact) {
    return fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", escape_markup(fact.name),
                       escape_markup(fact.text));
  });
}

}  // namespace

std::string page_without_script(const ReportModel& report, const PageParts& parts) {
  return fmt::format(
      "<main class=\"without-script\">\n{}{}{}<section>\n<h2>Ceilings</h2>\n{}</section>\n{}"
      "<section>\n<h2>Environment</h2>\n<table "
      "class=\"facts\"><tbody>\n{}</tbody></table>\n</section>\n</main>\n",
      report.nothing_measured.empty() ? "" : fmt::format("<p>{}</p>\n", report.nothing_measured),
      sections(report, parts.experiments), primitives(report.run, parts.primitives),
      ceilings(report, report.experiments.empty() ? parts.experiments.front().roofline : ""),
      between_devices_html(report, parts.collectives), environment_html(report.run));
}

}  // namespace rooflinectl
