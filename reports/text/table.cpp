// SPDX-License-Identifier: Apache-2.0
#include "reports/text/table.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "reports/text/format.h"

namespace rooflinectl {
namespace {

std::optional<std::ptrdiff_t> column_place(const std::vector<TableColumn>& columns, std::string_view title) {
  const auto found = std::find_if(columns.begin(), columns.end(),
                                  [&](const TableColumn& column) { return column.title == title; });
  return found == columns.end() ? std::nullopt : std::optional(found - columns.begin());
}

template <typename Is>
bool all_rows(const Table& table, std::ptrdiff_t place, Is is) {
  return std::all_of(table.rows.begin(), table.rows.end(),
                     [&](const auto& row) { return is(row[static_cast<std::size_t>(place)]); });
}

}  // namespace

std::vector<std::string> Table::remarks() const {
  std::vector<std::string> texts = notes;
  if (!method.empty()) texts.insert(texts.begin(), method);
  return texts;
}

bool Table::remove(std::string_view unwanted) {
  const auto place = column_place(columns, unwanted);
  if (!place) return false;
  columns.erase(columns.begin() + *place);
  for (std::vector<std::string>& row : rows) row.erase(row.begin() + *place);
  return true;
}

std::optional<std::string> Table::remove_constant(std::string_view unwanted) {
  const auto place = column_place(columns, unwanted);
  if (!place || rows.size() < 2) return std::nullopt;
  std::string content = rows.front()[static_cast<std::size_t>(*place)];
  if (!all_rows(*this, *place, [&](const std::string& cell) { return cell == content; })) return std::nullopt;
  remove(unwanted);
  return content;
}

void Table::remove_empty() {
  for (auto place = std::ssize(columns); place-- > 0;) {
    if (all_rows(*this, place,
                 [](const std::string& cell) { return cell.empty() || cell == format::kUnavailable; })) {
      remove(std::string(columns[static_cast<std::size_t>(place)].title));
    }
  }
}

}  // namespace rooflinectl
