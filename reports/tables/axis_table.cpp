// SPDX-License-Identifier: Apache-2.0
#include "reports/tables/axis_table.h"

#include "core/text/written_number.h"
#include "reports/text/text_table.h"

namespace rooflinectl {
namespace {

// All that the points have; the values stand for nothing.
Axes axes_of_all(const std::vector<PointId>& points) {
  Axes all;
  for (const PointId& point : points) {
    for (const auto& [name, value] : point.axes) all.set(name, std::uint64_t{0});
  }
  return all;
}

std::string axis_cell(const PointId& point, std::string_view name) {
  if (const auto text = point.axes.text(name)) return std::string(*text);
  const auto number = point.axes.number(name);
  if (!number || (name == axis::kBlock && *number == 0)) return {};
  return name == axis::kSize ? elements_text(*number) : std::to_string(*number);
}

}  // namespace

std::string axis_table(const std::vector<PointId>& points, std::string_view indent) {
  if (points.empty()) return {};
  const Axes axes = axes_of_all(points);
  Table table = {.columns = {{"variant"}}};
  for (const auto& [name, value] : axes) table.columns.push_back({name});
  for (const PointId& point : points) {
    std::vector<std::string>& row = table.rows.emplace_back(1, point.subject);
    for (const auto& [name, value] : axes) row.push_back(axis_cell(point, name));
  }
  return text_table(table, kUnlimited, indent);
}

}  // namespace rooflinectl
