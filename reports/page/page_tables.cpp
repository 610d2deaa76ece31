// SPDX-License-Identifier: Apache-2.0
#include "core/text/written_number.h"
#include "reports/charts/model/size_sweep.h"
#include "reports/page/page_parts.h"
#include "reports/sentences/sentences.h"
#include "reports/tables/tables.h"

namespace rooflinectl::page {
namespace {

Json titles(const Table& table) {
  Json list = Json::array();
  for (const TableColumn& column : table.columns) list.push_back(column.title);
  return list;
}

}  // namespace

Json table(const Table& table) {
  Json columns = Json::array();
  for (const TableColumn& column : table.columns) {
    columns.push_back({{"title", column.title}, {"is_number", column.is_number}});
  }
  std::vector<std::string> findings = table.remarks();
  if (table.left_out > 0) findings.push_back(fmt::format("… and {} more", table.left_out));
  return {{"columns", columns}, {"rows", table.rows}, {"findings", findings}};
}

Json titled_tables(const std::vector<Table>& tables) {
  Json titled = Json::array();
  for (const Table& one : tables) {
    if (!one.empty()) titled.push_back({{"title", one.title}, {"table", table(one)}});
  }
  return titled;
}

Json speeds(const std::vector<SpeedTable>& speed_tables) {
  Json tables = Json::array();
  for (const SpeedTable& table : speed_tables) {
    Json columns = {"elements"};
    for (const Dtype dtype : table.dtypes) columns.push_back(to_string(dtype));
    Json rows = Json::array();
    Json factors = Json::array();
    for (const SpeedTable::Row& row : table.rows) {
      Json cells = {typeset(elements_text(row.n))};
      Json numbers = Json::array();
      for (const auto& speed : row.speeds) {
        cells.push_back(speed_text(speed));
        numbers.push_back(speed.is_timed_differently ? Json(nullptr) : optional_number(speed.factor));
      }
      rows.push_back(cells);
      factors.push_back(numbers);
    }
    tables.push_back({{"title", fmt::format("Speed-up of {} over {}, {}", table.version, table.reference,
                                            to_string(table.cache))},
                      {"columns", columns},
                      {"rows", rows},
                      {"factors", factors}});
  }
  return tables;
}

std::vector<std::string> implausible(const ExperimentAnalysis& experiment) {
  constexpr std::size_t kMost = 20;
  std::vector<std::string> texts = implausible_texts(experiment.points);
  if (texts.size() <= kMost) return texts;
  const std::size_t rest = texts.size() - kMost;
  texts.resize(kMost);
  texts.push_back(fmt::format("… and {} more; the table's flags column lists them all", rest));
  return texts;
}

Json device_tables(std::string_view explanation, const std::vector<Table>& tables) {
  return {{"explanation", explanation}, {"tables", titled_tables(tables)}};
}

Json agreements(const Run& run) {
  Json tables = Json::array();
  for (const AgreementSection& section : agreement_sections(run)) {
    const Table quantities = quantity_table(*section.agreements);
    const Table all =
        agreement_table(*section.agreements, section.reference, [](const Agreement&) { return true; });
    tables.push_back({{"title", section.title},
                      {"summary", section.summary},
                      {"reason", section.reason},
                      {"hint", section.hint},
                      {"quantity_headings", titles(quantities)},
                      {"quantities", quantities.rows},
                      {"headings", titles(all)},
                      {"rows", all.rows}});
  }
  return tables;
}

Json environment(const Run& run) {
  Json list = Json::array();
  for (const Fact& fact : environment_facts(run)) list.push_back({fact.name, fact.text});
  return list;
}

}  // namespace rooflinectl::page
