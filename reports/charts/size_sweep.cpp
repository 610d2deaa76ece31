// SPDX-License-Identifier: Apache-2.0
#include "reports/charts/size_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "reports/tables/point_table.h"
#include "reports/text/format.h"

namespace rooflinectl {
namespace {

constexpr std::size_t kFewestSizes = 4;

/// A variant as it was launched: what a curve and a column of speeds belong to.
struct Version {
  std::string variant;
  LaunchMode launch_mode = LaunchMode::graph;
  int block_size = 0;
  std::optional<int> elements_per_thread;

  bool operator==(const Version&) const = default;
  bool operator<(const Version& other) const {
    return std::tie(variant, launch_mode, block_size, elements_per_thread) <
           std::tie(other.variant, other.launch_mode, other.block_size, other.elements_per_thread);
  }
};

Version version_of(const PointId& id) {
  return {id.variant, id.launch_mode, id.block_size, id.elements_per_thread};
}

std::optional<double> bytes_per_s(const RooflinePoint& point) {
  const auto& time = point.measurement->time;
  if (!time || !is_drawable(time->median_s) || !is_drawable(point.dram_bytes_useful)) return std::nullopt;
  return point.dram_bytes_useful / time->median_s;
}

/// The versions of an experiment with labels that are unique among them, without size and type, which axes
/// and panels show.
class Versions {
 public:
  Versions(const Run& run, const ExperimentAnalysis& experiment) {
    for (const RooflinePoint& point : experiment.points) {
      const Version version = version_of(point.measurement->point);
      if (bytes_per_s(point) && std::find(all_.begin(), all_.end(), version) == all_.end()) {
        all_.push_back(version);
      }
    }
    for (const Version& version : all_) labels_.push_back(label_of(run, version));
  }

  std::size_t index_of(const PointId& id) const {
    return static_cast<std::size_t>(std::find(all_.begin(), all_.end(), version_of(id)) - all_.begin());
  }
  const std::vector<std::string>& labels() const { return labels_; }
  const std::string& label(const PointId& id) const { return labels_[index_of(id)]; }

 private:
  std::string label_of(const Run& run, const Version& version) const {
    const auto has_other = [&](auto differs) { return std::any_of(all_.begin(), all_.end(), differs); };
    const auto label = [&](const Version& one) {
      const VariantInfo* variant = run.catalogue.find_variant(one.variant);
      return variant == nullptr ? one.variant : variant->label;
    };
    const bool is_shared = has_other([&](const Version& other) {
      return other.variant != version.variant && label(other) == label(version);
    });
    const bool has_blocks = has_other([&](const Version& other) {
      return other.variant == version.variant && other.block_size != version.block_size;
    });
    std::string text = is_shared ? version.variant : label(version);
    if (has_blocks) text += fmt::format(" b{}", version.block_size);
    if (version.elements_per_thread) text += fmt::format(" e{}", *version.elements_per_thread);
    if (version.launch_mode == LaunchMode::plain) text += " plain";
    return text;
  }

  std::vector<Version> all_;
  std::vector<std::string> labels_;
};

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

Speed speed_of(const RooflinePoint& point, const RooflinePoint& reference) {
  if (timed_mode(point) != timed_mode(reference)) return {std::nullopt, true};
  return {reference.measurement->time->median_s / point.measurement->time->median_s, false};
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

void enter(SpeedTable& table, const PointId& id, const Speed& speed) {
  const std::size_t column = place_of(table.dtypes, id.dtype);
  auto row = std::find_if(table.rows.begin(), table.rows.end(),
                          [&](const SpeedTable::Row& other) { return other.n >= id.n_elements; });
  if (row == table.rows.end() || row->n != id.n_elements) row = table.rows.insert(row, {id.n_elements, {}});
  row->speeds.resize(std::max(row->speeds.size(), column + 1));
  row->speeds[column] = speed;
}

}  // namespace

bool has_size_sweep(const ExperimentAnalysis& experiment) {
  std::map<std::tuple<Version, Dtype, CacheState>, std::set<std::uint64_t>> sizes;
  for (const RooflinePoint& point : experiment.points) {
    const PointId& id = point.measurement->point;
    if (bytes_per_s(point)) sizes[{version_of(id), id.dtype, id.cache}].insert(id.n_elements);
  }
  return std::any_of(sizes.begin(), sizes.end(),
                     [](const auto& curve) { return curve.second.size() >= kFewestSizes; });
}

SizeSweep size_sweep(const Run& run, const ExperimentAnalysis& experiment) {
  SizeSweep sweep;
  sweep.dram_read_bytes_per_s = measured(run, "dram_read");
  sweep.l2_bytes = static_cast<double>(run.device.l2_bytes);
  const Versions versions(run, experiment);
  sweep.versions = versions.labels();
  bool all_plain = true;
  for (const RooflinePoint& point : experiment.points) {
    const PointId& id = point.measurement->point;
    const auto rate = bytes_per_s(point);
    if (!rate) continue;
    all_plain = all_plain && timed_mode(point) == LaunchMode::plain;
    const std::size_t version = versions.index_of(id);
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

std::string speed_text(const Speed& speed) {
  return speed.is_timed_differently ? "timed differently" : format::optional(speed.factor, format::factor);
}

std::vector<SpeedTable> speed_tables(const Run& run, const ExperimentAnalysis& experiment) {
  std::vector<SpeedTable> tables;
  std::vector<const RooflinePoint*> references;
  for (const RooflinePoint& point : experiment.points) {
    if (is_reference(point) && bytes_per_s(point)) references.push_back(&point);
  }
  if (references.empty()) return tables;
  const Versions versions(run, experiment);
  for (const RooflinePoint& point : experiment.points) {
    if (is_reference(point) || !bytes_per_s(point)) continue;
    const PointId& id = point.measurement->point;
    for (const RooflinePoint* reference : references) {
      const PointId& other = reference->measurement->point;
      const bool is_same_problem = other.dtype == id.dtype && other.n_elements == id.n_elements &&
                                   other.cache == id.cache && other.launch_mode == id.launch_mode;
      if (!is_same_problem) continue;
      SpeedTable& table = table_of(tables, {versions.label(id), versions.label(other), id.cache, {}, {}});
      enter(table, id, speed_of(point, *reference));
    }
  }
  std::erase_if(tables, [](const SpeedTable& table) { return table.rows.size() < kFewestSizes; });
  for (SpeedTable& table : tables) {
    for (SpeedTable::Row& row : table.rows) row.speeds.resize(table.dtypes.size());
  }
  return tables;
}

}  // namespace rooflinectl
