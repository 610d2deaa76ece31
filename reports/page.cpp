// SPDX-License-Identifier: Apache-2.0
#include "reports/page.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "reports/ceiling_table.h"
#include "reports/chart_model.h"
#include "reports/embedded.h"
#include "reports/environment_facts.h"
#include "reports/format.h"
#include "reports/point_table.h"
#include "reports/svg.h"

namespace rooflinectl {
namespace {

std::string title_of(const ExperimentAnalysis& experiment) {
  return experiment.title.empty() ? experiment.name : experiment.title;
}

// What the script shows of a point: ready texts, so that numbers are formatted in one place.
nlohmann::ordered_json page_data(const Analysis& analysis) {
  auto experiments = nlohmann::ordered_json::array();
  for (const ExperimentAnalysis& experiment : analysis.experiments) {
    auto points = nlohmann::ordered_json::array();
    for (const RooflinePoint& point : experiment.points) {
      auto facts = nlohmann::ordered_json::array();
      for (const Fact& fact : point_facts(point)) facts.push_back({fact.name, fact.text});
      points.push_back({{"label", point.label}, {"facts", facts}});
    }
    experiments.push_back({{"name", experiment.name}, {"points", points}});
  }
  return {{"experiments", experiments}};
}

// JSON inside <script>: without `<` no name can end the element or open a comment.
std::string script_safe(const nlohmann::ordered_json& json) {
  std::string safe;
  for (const char c : json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string_view number_class(bool is_number) {
  return is_number ? R"( class="number")" : "";
}

std::string header_cell(std::string_view title, bool is_number) {
  return fmt::format(R"(<th scope="col"{}>{}</th>)", number_class(is_number), escape_markup(title));
}

// What speaks against numbers of the table above.
std::string findings(const std::vector<std::string>& texts) {
  if (texts.empty()) return {};
  std::string html = "<ul class=\"findings\">\n";
  for (const std::string& text : texts) html += fmt::format("<li>{}</li>\n", escape_markup(text));
  return html + "</ul>\n";
}

std::string cell(const PointColumn& column, const RooflinePoint& point) {
  std::string attributes(number_class(column.is_number));
  if (column.value != nullptr) {
    const auto value = column.value(point);
    attributes += fmt::format(R"( data-value="{}")", value ? fmt::format("{}", *value) : "");
  }
  return fmt::format("<td{}>{}</td>", attributes, escape_markup(column.text(point)));
}

std::string point_table(const ExperimentAnalysis& experiment) {
  std::string html = "<div class=\"scroll\"><table class=\"points\"><thead><tr>";
  for (const PointColumn& column : point_columns()) {
    html += header_cell(column.title, column.is_number);
  }
  html += "</tr></thead><tbody>\n";
  for (std::size_t i = 0; i < experiment.points.size(); ++i) {
    html += fmt::format(R"(<tr data-point="{}">)", i);
    for (const PointColumn& column : point_columns()) html += cell(column, experiment.points[i]);
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string steps(const ExperimentAnalysis& experiment) {
  if (experiment.steps.empty()) return {};
  std::string html = "<h3>From version to version</h3><ol class=\"steps\">\n";
  for (const LadderStep& step : experiment.steps) {
    html += fmt::format("<li>{}</li>\n", escape_markup(step_text(step, step.moves.size())));
  }
  return html + "</ol>\n";
}

std::string figures(const PagePictures& pictures) {
  constexpr std::string_view kPicture = "<div class=\"picture\" data-name=\"{}\"><figure>{}</figure></div>\n";
  std::string html = fmt::format(kPicture, escape_markup(pictures.name), pictures.main);
  if (pictures.levels.empty()) return html;
  return html + fmt::format(kPicture, "all levels", pictures.levels);
}

std::string section(const Run& run, const ExperimentAnalysis& experiment, std::size_t index,
                    const PagePictures& pictures) {
  return fmt::format(
      "<section class=\"experiment\" id=\"experiment-{0}\" data-experiment=\"{0}\">\n<h2>{1}</h2>\n"
      "<p class=\"provenance\">{2}</p>\n{3}{4}{5}{6}</section>\n",
      index, escape_markup(title_of(experiment)), escape_markup(provenance(run, experiment.points)),
      figures(pictures), point_table(experiment), findings(implausible_texts(experiment.points)),
      steps(experiment));
}

std::string sections(const Run& run, const Analysis& analysis, const std::vector<PagePictures>& pictures) {
  std::string html;
  if (analysis.experiments.empty()) return figures(pictures.front());
  for (std::size_t i = 0; i < analysis.experiments.size(); ++i) {
    html += section(run, analysis.experiments[i], i, pictures.at(i));
  }
  return html;
}

std::string selector(const Analysis& analysis) {
  std::string html;
  for (std::size_t i = 0; i < analysis.experiments.size(); ++i) {
    html += fmt::format("<a href=\"#experiment-{}\">{}</a>\n", i,
                        escape_markup(title_of(analysis.experiments[i])));
  }
  return html;
}

std::string ceilings(const Run& run) {
  const std::vector<CeilingPair> pairs = ceiling_pairs(run);
  std::string html = "<div class=\"scroll\"><table class=\"ceilings\"><thead><tr>";
  for (const CeilingColumn& column : ceiling_columns()) html += header_cell(column.title, column.is_number);
  html += "</tr></thead><tbody>\n";
  for (const CeilingPair& pair : pairs) {
    html += "<tr>";
    for (const CeilingColumn& column : ceiling_columns()) {
      html +=
          fmt::format("<td{}>{}</td>", number_class(column.is_number), escape_markup(column.text(run, pair)));
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n" + findings(ceiling_findings(pairs));
}

std::string environment(const Run& run) {
  std::string html;
  for (const Fact& fact : environment_facts(run)) {
    html += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", escape_markup(fact.name),
                        escape_markup(fact.text));
  }
  return html;
}

// Replaces each {{name}} of the template once; what is put in is not looked at again.
std::string filled(std::string_view page, const std::map<std::string, std::string, std::less<>>& parts) {
  std::string result;
  while (true) {
    const std::size_t open = page.find("{{");
    result += page.substr(0, open);
    if (open == std::string_view::npos) return result;
    const std::size_t close = page.find("}}", open);
    result += parts.find(page.substr(open + 2, close - open - 2))->second;
    page.remove_prefix(close + 2);
  }
}

}  // namespace

std::string report_page(const Run& run, const Analysis& analysis, const std::vector<PagePictures>& pictures) {
  return filled(
      embedded::page_html(),
      {{"title", escape_markup(fmt::format("{} on {}", run.plan.name, run.device.name))},
       {"subtitle", escape_markup(fmt::format("{} · {} · rooflinectl {}", format::utc(run.started_utc),
                                              to_string(run.source), run.tool_version))},
       {"style", std::string(embedded::page_css())},
       {"selector", selector(analysis)},
       {"experiments", sections(run, analysis, pictures)},
       {"ceilings", ceilings(run)},
       {"environment", environment(run)},
       {"data", script_safe(page_data(analysis))},
       {"script", std::string(embedded::page_js())}});
}

}  // namespace rooflinectl
