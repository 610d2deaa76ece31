// SPDX-License-Identifier: Apache-2.0
#include "reports/page/page_tables.h"

#include <span>

#include "core/text/typeset.h"
#include "core/text/written_number.h"
#include "reports/charts/model/size_sweep.h"
#include "reports/sentences/environment_facts.h"
#include "reports/sentences/point_text.h"
#include "reports/tables/agreement_summary.h"
#include "reports/tables/agreement_table.h"
#include "reports/tables/ceiling_table.h"
#include "reports/tables/primitive_table.h"

namespace rooflinectl::page {
namespace {

// A row for each of `items`.
template <typename Column, typename Item>
Json table(const Run& run, std::span<const Column> columns, const std::vector<Item>& items,
           const std::vector<std::string>& findings) {
  Json headings = Json::array();
  for (const Column& column : columns) {
    headings.push_back({{"title", column.title}, {"is_number", column.is_number}});
  }
  Json rows = Json::array();
  for (const Item& item : items) {
    Json row = Json::array();
    for (const Column& column : columns) row.push_back(column.text(run, item));
    rows.push_back(row);
  }
  return {{"columns", headings}, {"rows", rows}, {"findings", findings}};
}

}  // namespace

Json titled_table(const ProgramTable& table) {
  Json columns = Json::array();
  for (const ProgramColumn& column : table.columns) {
    columns.push_back({{"title", column.title}, {"is_number", column.is_number}});
  }
  std::vector<std::string> rest;
  if (table.left_out > 0) rest.push_back(fmt::format("… and {} more", table.left_out));
  return {{"title", table.title},
          {"table", {{"columns", columns}, {"rows", table.rows}, {"findings", rest}}}};
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

Json ceilings(const ReportModel& report) {
  return table(report.run, ceiling_columns(), report.ceilings, ceiling_findings(report.ceilings));
}

Json primitives(const Run& run) {
  return table(run, primitive_columns(), run.primitives, primitive_failures(run));
}

Json device_tables(std::string_view explanation, const std::vector<DeviceTable>& tables) {
  Json titled = Json::array();
  for (const DeviceTable& table : tables) {
    Json headings = Json::array();
    for (const DeviceColumn& column : table.columns) {
      headings.push_back({{"title", column.title}, {"is_number", column.is_number}});
    }
    titled.push_back({{"title", table.title},
                      {"table", {{"columns", headings}, {"rows", table.rows}, {"findings", table.notes()}}}});
  }
  return {{"explanation", explanation}, {"tables", titled}};
}

Json agreements(const Run& run) {
  Json tables = Json::array();
  for (const AgreementTable& table : agreement_tables(run)) {
    Json rows = Json::array();
    for (const Agreement& agreement : *table.agreements) {
      rows.push_back(agreement_cells(agreement));
    }
    Json quantities = Json::array();
    for (const QuantitySummary& summary : by_quantity(*table.agreements)) {
      quantities.push_back(quantity_cells(summary));
    }
    tables.push_back({{"title", table.title},
                      {"summary", table.summary},
                      {"reason", table.reason},
                      {"hint", table.hint},
                      {"quantity_headings", quantity_headings()},
                      {"quantities", quantities},
                      {"headings", agreement_headings(table.reference)},
                      {"rows", rows}});
  }
  return tables;
}

Json environment(const Run& run) {
  Json list = Json::array();
  for (const Fact& fact : environment_facts(run)) list.push_back({fact.name, fact.text});
  return list;
}

}  // namespace rooflinectl::page
