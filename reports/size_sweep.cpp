// SPDX-License-Identifier: Apache-2.0
#include "reports/size_sweep.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace rooflinectl {
namespace {

constexpr std::size_t kFewestSizes = 4;

/// What makes a curve: everything that identifies a point but its size.
using CurveKey = std::tuple<std::string, Dtype, CacheState, LaunchMode, int, std::optional<int>>;

CurveKey key_of(const PointId& id) {
  return {id.variant, id.dtype, id.cache, id.launch_mode, id.block_size, id.elements_per_thread};
}

std::optional<double> bytes_per_s(const RooflinePoint& point) {
  const auto& time = point.measurement->time;
  if (!time || !is_drawable(time->median_s) || !is_drawable(point.dram_bytes_useful)) return std::nullopt;
  return point.dram_bytes_useful / time->median_s;
}

/// The label of a version without its size and type, which the axes and panels show.
std::string version_name(const Run& run, const PointId& id) {
  const VariantInfo* variant = run.catalogue.find_variant(id.variant);
  std::string name = variant == nullptr ? id.variant : variant->label;
  if (id.elements_per_thread) name += " e" + std::to_string(*id.elements_per_thread);
  if (id.launch_mode == LaunchMode::plain) name += " plain";
  return name;
}

template <typename List, typename Value>
std::size_t place_of(List& list, const Value& value) {
  const auto found = std::find(list.begin(), list.end(), value);
  if (found != list.end()) return static_cast<std::size_t>(found - list.begin());
  list.push_back(value);
  return list.size() - 1;
}

SweepPanel& panel_of(SizeSweep& sweep, Dtype dtype) {
  const auto found = std::find_if(sweep.panels.begin(), sweep.panels.end(),
                                  [&](const SweepPanel& panel) { return panel.dtype == dtype; });
  return found != sweep.panels.end() ? *found : sweep.panels.emplace_back(SweepPanel{dtype, {}});
}

std::optional<double> measured(const Run& run, std::string_view id) {
  const Ceiling* ceiling = find_ceiling(run, id, CeilingSource::measured);
  return ceiling != nullptr && is_drawable(ceiling->value) ? std::optional(ceiling->value) : std::nullopt;
}

bool is_reference(const RooflinePoint& point) {
  return point.family == "reference";
}

/// The table of this pair, where there is none a new one.
SpeedTable& table_of(std::vector<SpeedTable>& tables, const SpeedTable& wanted) {
  const auto found = std::find_if(tables.begin(), tables.end(), [&](const SpeedTable& table) {
    return table.version == wanted.version && table.reference == wanted.reference &&
           table.cache == wanted.cache;
  });
  return found != tables.end() ? *found : tables.emplace_back(wanted);
}

void enter(SpeedTable& table, const PointId& id, double speed) {
  const std::size_t column = place_of(table.dtypes, id.dtype);
  auto row = std::find_if(table.rows.begin(), table.rows.end(),
                          [&](const SpeedTable::Row& other) { return other.n >= id.n_elements; });
  if (row == table.rows.end() || row->n != id.n_elements) row = table.rows.insert(row, {id.n_elements, {}});
  row->speeds.resize(std::max(row->speeds.size(), column + 1));
  row->speeds[column] = speed;
}

}  // namespace

bool has_size_sweep(const ExperimentAnalysis& experiment) {
  std::map<CurveKey, std::set<std::uint64_t>> sizes;
  for (const RooflinePoint& point : experiment.points) {
    const PointId& id = point.measurement->point;
    if (bytes_per_s(point)) sizes[key_of(id)].insert(id.n_elements);
  }
  return std::any_of(sizes.begin(), sizes.end(),
                     [](const auto& curve) { return curve.second.size() >= kFewestSizes; });
}

SizeSweep size_sweep(const Run& run, const ExperimentAnalysis& experiment) {
  SizeSweep sweep;
  sweep.dram_read_bytes_per_s = measured(run, "dram_read");
  sweep.l2_bytes = static_cast<double>(run.device.l2_bytes);
  bool all_plain = true;
  for (const RooflinePoint& point : experiment.points) {
    const PointId& id = point.measurement->point;
    const auto rate = bytes_per_s(point);
    if (!rate) continue;
    all_plain = all_plain && id.launch_mode == LaunchMode::plain;
    const std::size_t version = place_of(sweep.versions, version_name(run, id));
    auto& curves = panel_of(sweep, id.dtype).curves;
    auto curve = std::find_if(curves.begin(), curves.end(), [&](const SweepCurve& other) {
      return other.version == version && other.cache == id.cache;
    });
    if (curve == curves.end()) curve = curves.insert(curve, SweepCurve{version, id.cache, {}});
    curve->points.push_back({static_cast<double>(id.n_elements), *rate});
  }
  sweep.launch_s = measured(run, all_plain ? "launch" : "graph_node");
  for (SweepPanel& panel : sweep.panels) {
    for (SweepCurve& curve : panel.curves) {
      std::stable_sort(curve.points.begin(), curve.points.end(),
                       [](const SweepPoint& a, const SweepPoint& b) { return a.n < b.n; });
    }
  }
  return sweep;
}

std::vector<SpeedTable> speed_tables(const Run& run, const ExperimentAnalysis& experiment) {
  std::vector<SpeedTable> tables;
  std::vector<const RooflinePoint*> references;
  for (const RooflinePoint& point : experiment.points) {
    if (is_reference(point) && bytes_per_s(point)) references.push_back(&point);
  }
  if (references.empty()) return tables;
  for (const RooflinePoint& point : experiment.points) {
    if (is_reference(point) || !bytes_per_s(point)) continue;
    const PointId& id = point.measurement->point;
    for (const RooflinePoint* reference : references) {
      const PointId& other = reference->measurement->point;
      const bool is_same_problem = other.dtype == id.dtype && other.n_elements == id.n_elements &&
                                   other.cache == id.cache && other.launch_mode == id.launch_mode;
      if (!is_same_problem) continue;
      SpeedTable& table =
          table_of(tables, {version_name(run, id), version_name(run, other), id.cache, {}, {}});
      enter(table, id, reference->measurement->time->median_s / point.measurement->time->median_s);
    }
  }
  std::erase_if(tables, [](const SpeedTable& table) { return table.rows.size() < kFewestSizes; });
  for (SpeedTable& table : tables) {
    for (SpeedTable::Row& row : table.rows) row.speeds.resize(table.dtypes.size());
  }
  return tables;
}

}  // namespace rooflinectl
