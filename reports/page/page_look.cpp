// SPDX-License-Identifier: Apache-2.0
#include "reports/page/page_look.h"

#include "reports/charts/marks.h"

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

// Which of the colours of families stands for what bounds a kernel; null for what is unknown. There are more
// bounds than colours that can be told apart: what calls for the same remedy shares one.
Json colour_of(Bound bound) {
  switch (bound) {
    case Bound::dram:
      return 0;
    case Bound::tensor:
      return 1;
    case Bound::issue_slots:
      return 2;
    case Bound::latency:
    case Bound::bytes_in_flight:
    case Bound::launch_overhead:
    case Bound::barriers:
    case Bound::tail:
    case Bound::atomics:
      return 3;
    case Bound::fp64:
    case Bound::fp32:
    case Bound::fp16:
    case Bound::int32:
      return 4;
    case Bound::l2:
    case Bound::l1:
    case Bound::shared:
      return 5;
    case Bound::unknown:
      break;
  }
  return nullptr;
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
    list.push_back({{"id", words.id},
                    {"label", words.label},
                    {"meaning", words.meaning},
                    {"colour", colour_of(words.bound)}});
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

Json families(const std::vector<std::string>& names) {
  Json list = Json::array();
  for (const std::string& name : names) {
    const FamilyLook look = look_of(list.size());
    list.push_back({{"name", name}, {"colour", look.colour}, {"shape", look.shape}});
  }
  return list;
}

}  // namespace rooflinectl::page
