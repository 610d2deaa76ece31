// SPDX-License-Identifier: Apache-2.0
#include "reports/charts/parts/plot.h"
#include "reports/page/page_parts.h"
#include "reports/sentences/sentences.h"

namespace rooflinectl::page {
namespace {

std::string path_of(const Circle& circle) {
  return fmt::format("M0-{0}A{0} {0} 0 1 1 0 {0}A{0} {0} 0 1 1 0-{0}Z", circle.radius);
}

std::string path_of(const Polygon& polygon) {
  std::string path;
  for (const Pixel& corner : polygon.points) {
    path += fmt::format("{}{:.2f} {:.2f}", path.empty() ? "M" : "L", corner.x, corner.y);
  }
  return path + "Z";
}

// In pixels, as beside the names of families.
constexpr double kMarkRadius = 4.5;

}  // namespace

Json columns(const PointKinds& kinds) {
  Json list = Json::array();
  for (const PointColumn& column : page_columns(kinds)) {
    list.push_back({{"title", column.title},
                    {"name", column.name.empty() ? column.title : column.name},
                    {"is_number", column.is_number},
                    {"help", column.help},
                    {"role", column.role}});
  }
  return list;
}

Json bounds() {
  Json list = Json::array();
  for (const BoundWords& words : bound_words()) {
    const auto colour = look_of(words.bound).colour;
    list.push_back({{"id", words.id},
                    {"label", words.label},
                    {"legend", legend_name(words.bound)},
                    {"meaning", words.meaning},
                    {"colour", colour ? Json(*colour) : Json(nullptr)}});
  }
  return list;
}

Json shapes() {
  Json list = Json::array();
  for (std::size_t i = 0; i < shape_names().size(); ++i) {
    const Shape mark = shaped_mark(i, palette::kInk, {0, 0}, kMarkRadius, MarkFill::filled);
    const auto* circle = std::get_if<Circle>(&mark);
    list.push_back({{"name", shape_names()[i]},
                    {"path", circle != nullptr ? path_of(*circle) : path_of(std::get<Polygon>(mark))}});
  }
  return list;
}

Json levels() {
  Json list = Json::array();
  for (const MemoryLevel level : kMemoryLevels) {
    list.push_back({{"id", to_string(level)}, {"name", level_name(level)}, {"shape", shape_of(level)}});
  }
  return list;
}

Json families(const std::vector<Family>& all) {
  Json list = Json::array();
  for (const Family& family : all) {
    const FamilyLook look = look_of(list.size());  // the page itself shows what bounds a kernel
    list.push_back({{"name", family.name}, {"colour", look.colour.value_or(0)}, {"shape", look.shape}});
  }
  return list;
}

}  // namespace rooflinectl::page
