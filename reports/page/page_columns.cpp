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
    "cache", false,
    [](const RooflinePoint& p) {
      return std::string(p.measurement->point.axes.text(axis::kCache).value_or(format::kUnavailable));
    },
    nullptr};
constexpr PointColumn kOfTheoretical = {
    "% of theoretical", true,
    [](const RooflinePoint& p) { return format::optional(p.fraction_of_theoretical, format::percent); },
    [](const RooflinePoint& p) { return p.fraction_of_theoretical; }};

std::vector<PointColumn> make_columns(bool with_energy) {
  std::vector<PointColumn> columns;
  for (const PointColumn& column : point_columns(with_energy)) {
    columns.push_back(column);
    if (column.title == "point") columns.push_back(kFamily);
    if (column.title == "dtype") columns.push_back(kCaches);
    if (column.title == "% of roofline") columns.push_back(kOfTheoretical);
  }
  return columns;
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kNames = {{
    {"n", "elements"},
    {"launch", "timed"},
    {"GB/s", "effective bandwidth, GB/s"},
    {"AI useful", "useful intensity, per byte"},
    {"AI exec.", "executed intensity, per byte"},
    {"work/J", "useful work per joule"},
}};

constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kHelp = {{
    {"n", "Number of input elements"},
    {"cache", "Cache state when a launch starts: cold or warm"},
    {"launch", "How the time was taken. graph: launches in a CUDA graph; plain: one launch at a time"},
    {"time", "Median time per launch, measured without counters"},
    {"GB/s", "Compulsory bytes over time"},
    {"AI useful", "Arithmetic intensity: operations of the algorithm per compulsory byte of DRAM"},
    {"AI exec.", "Executed operations per counted byte of DRAM"},
    {"% of roofline", "Performance relative to what the measured ceilings allow at the useful intensity"},
    {"% of theoretical", "Performance relative to what the theoretical peaks allow"},
    {"energy", "Energy per launch, from the meter of the whole board"},
    {"power", "Mean power of the board during back-to-back launches"},
    {"work/J", "Useful operations over the energy per launch; compulsory bytes if there are no operations"},
    {"bound by", "The resource that limits the point"},
    {"busiest level", "The memory level with the highest utilisation of its measured ceiling"},
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
  if (counts.empty()) return "No points were measured.";
  std::vector<std::string> parts;
  for (const auto& [bound, count] : counts)
    parts.push_back(fmt::format("{} {}", count, words_for(bound).phrase));
  const std::string bounds =
      fmt::format("{}: {}.", format::counted(experiment.points.size(), "point"), fmt::join(parts, ", "));
  if (best == nullptr) return bounds;
  return fmt::format("Closest to the roofline: {}, {} of roofline ({}). {}", best->label,
                     format::percent(*best->fraction_of_roof), words_for(best->bound).phrase, bounds);
}

}  // namespace rooflinectl
