// SPDX-License-Identifier: Apache-2.0
#include "reports/page/page_columns.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "reports/text/format.h"

namespace rooflinectl {
namespace {

constexpr PointColumn kFamily = {"family", false, [](const RooflinePoint& p) { return p.family; }, nullptr};
constexpr PointColumn kCaches = {
    "caches", false,
    [](const RooflinePoint& p) {
      return std::string(p.measurement->point.axes.text(axis::kCache).value_or(format::kUnavailable));
    },
    nullptr};
constexpr PointColumn kOfTheoretical = {
    "of peak", true,
    [](const RooflinePoint& p) { return format::optional(p.fraction_of_theoretical, format::percent); },
    [](const RooflinePoint& p) { return p.fraction_of_theoretical; }};

std::vector<PointColumn> make_columns(bool with_energy) {
  std::vector<PointColumn> columns;
  for (const PointColumn& column : point_columns(with_energy)) {
    columns.push_back(column);
    if (column.title == "point") columns.push_back(kFamily);
    if (column.title == "dtype") columns.push_back(kCaches);
    if (column.title == "of roof") columns.push_back(kOfTheoretical);
  }
  return columns;
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kNames = {{
    {"n", "elements"},
    {"launch", "timed"},
    {"GB/s", "effective bandwidth, GB/s"},
    {"AI useful", "useful intensity, per byte"},
    {"AI exec.", "executed intensity, per byte"},
    {"of roof", "fraction of measured roof"},
    {"of peak", "fraction of theoretical roof"},
    {"work/J", "useful work per joule"},
    {"bound", "bound by"},
    {"limit", "limiting memory level"},
}};

constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kHelp = {{
    {"n", "Number of input elements"},
    {"caches", "What the caches hold when a launch starts: cold or warm"},
    {"launch",
     "How the time was taken: graph, as one of many launches in a CUDA graph; plain, launch by launch"},
    {"time", "Median time of a launch, measured without counters"},
    {"GB/s", "Compulsory bytes over time"},
    {"AI useful", "Arithmetic intensity: operations of the algorithm per compulsory byte of DRAM"},
    {"AI exec.", "Executed operations per counted byte of DRAM"},
    {"of roof", "Fraction of what the measured ceilings allow at the useful intensity"},
    {"of peak", "Fraction of what the theoretical peaks allow"},
    {"energy", "Of a launch, as the meter of the whole board has it"},
    {"power", "Mean power of the board while launches follow each other"},
    {"work/J", "Operations of the algorithm over the energy of a launch; compulsory bytes where it has none"},
    {"bound", "What keeps the point from being faster"},
    {"limit", "The memory level that runs nearest to its measured ceiling"},
}};

}  // namespace

std::span<const PointColumn> page_columns(bool with_energy) {
  static const std::vector<PointColumn> without = make_columns(false);
  static const std::vector<PointColumn> with = make_columns(true);
  return with_energy ? with : without;
}

std::string_view column_name(const PointColumn& column) {
  const auto found = std::find_if(kNames.begin(), kNames.end(),
                                  [&](const auto& entry) { return entry.first == column.title; });
  return found == kNames.end() ? column.title : found->second;
}

std::string_view column_help(const PointColumn& column) {
  const auto found = std::find_if(kHelp.begin(), kHelp.end(),
                                  [&](const auto& entry) { return entry.first == column.title; });
  return found == kHelp.end() ? std::string_view() : found->second;
}

std::string headline(const ExperimentAnalysis& experiment) {
  std::map<Bound, std::size_t> counts;
  const RooflinePoint* best = nullptr;
  for (const RooflinePoint& point : experiment.points) {
    ++counts[point.bound];
    if (!point.fraction_of_roof) continue;
    if (best == nullptr || *point.fraction_of_roof > *best->fraction_of_roof) best = &point;
  }
  if (counts.empty()) return "No point was measured.";
  std::vector<std::string> parts;
  for (const auto& [bound, count] : counts)
    parts.push_back(fmt::format("{} by {}", count, words_for(bound).label));
  const std::string bounds = fmt::format(
      "Of {}: bound {}.", format::counted(experiment.points.size(), "point"), fmt::join(parts, ", "));
  if (best == nullptr) return bounds;
  return fmt::format("Nearest to the roof: {}, at {} of it ({}). {}", best->label,
                     format::percent(*best->fraction_of_roof), words_for(best->bound).label, bounds);
}

}  // namespace rooflinectl
