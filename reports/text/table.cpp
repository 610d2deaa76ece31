// SPDX-License-Identifier: Apache-2.0
#include "reports/text/table.h"

#include <algorithm>

namespace rooflinectl {

std::vector<std::string> Table::remarks() const {
  std::vector<std::string> texts = notes;
  if (!method.empty()) texts.insert(texts.begin(), method);
  return texts;
}

void Table::remove(std::string_view unwanted) {
  const auto found = std::find_if(columns.begin(), columns.end(),
                                  [&](const TableColumn& column) { return column.title == unwanted; });
  if (found == columns.end()) return;
  const auto place = found - columns.begin();
  columns.erase(found);
  for (std::vector<std::string>& row : rows) row.erase(row.begin() + place);
}

}  // namespace rooflinectl
