// SPDX-License-Identifier: Apache-2.0
#include "reports/charts/model/size_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "analysis/roofline/point.h"
#include "core/text/written_number.h"
#include "reports/sentences/sentences.h"
#include "reports/text/format.h"

namespace rooflinectl {
namespace {

/// What a curve and a column of speeds belong to: a subject as it was launched, whatever it worked on.
PointId version_of(PointId point) {
  point.experiment.clear();
  for (const std::string_view name : {axis::kSize, axis::kDtype, axis::kCache}) point.axes.erase(name);
  return point;
}

/// A point with a place in a sweep: it has a size, a type and a bandwidth.
struct SweptPoint {
  const RooflinePoint* point = nullptr;
  std::uint64_t n = 0;
  Dtype dtype = Dtype::f32;
  CacheState cache = CacheState::cold;
  double bytes_per_s = 0;

  const PointId& id() const { return point->measurement->point; }
};

std::vector<SweptPoint> swept_points(const ExperimentAnalysis& experiment) {
  std::vector<SweptPoint> swept;
  for (const RooflinePoint& point : experiment.points) {
    const PointId& id = point.measurement->point;
    const auto n = size_of(id);
    const auto dtype = dtype_of(id);
    const auto rate = point.useful_bytes_per_s;
    if (n && dtype && rate && is_drawable(*rate))
      swept.push_back({&point, *n, *dtype, cache_of(id).value_or(CacheState::cold), *rate});
  }
  return swept;
}

/// The versions of an experiment with labels that are unique among them, without size and type, which axes
/// and panels show.
class Versions {
 public:
  Versions(const Run& run, const std::vector<SweptPoint>& points) {
    for (const SweptPoint& point : points) {
      PointId version = version_of(point.id());
      if (std::ranges::find(all_, version) == all_.end()) all_.push_back(std::move(version));
    }
    labels_ = point_labels(run.catalogue, all_);
    // A plain launch is not the same as one of many in a graph: its label shows that even where all are
    // plain.
    const std::string plain = fmt::format(" {}", to_string(LaunchMode::plain));
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (mode_of(all_[i]) == LaunchMode::plain && !labels_[i].ends_with(plain)) labels_[i] += plain;
    }
  }

  std::size_t index_of(const PointId& id) const {
    return static_cast<std::size_t>(std::ranges::find(all_, version_of(id)) - all_.begin());
  }
  const std::vector<std::string>& labels() const { return labels_; }
  const std::string& label(const PointId& id) const { return labels_[index_of(id)]; }

 private:
  std::vector<PointId> all_;
  std::vector<std::string> labels_;
};

std::optional<double> measured(const Run& run, std::string_view id, std::size_t device) {
  const Ceiling* ceiling = find_ceiling(run, id, CeilingSource::measured, device);
  return ceiling != nullptr && is_drawable(ceiling->value) ? std::optional(ceiling->value) : std::nullopt;
}

Speed speed_of(const RooflinePoint& point, const RooflinePoint& reference) {
  if (timed_mode(point) != timed_mode(reference)) return {std::nullopt, true};
  return {reference.measurement->time->median_s / point.measurement->time->median_s, false};
}

bool is_reference(const SweptPoint& point) {
  return point.point->family == "reference";
}

/// The table of this pair; a new one where there is none.
SpeedTable& table_of(std::vector<SpeedTable>& tables, const SpeedTable& wanted) {
  const auto found = std::ranges::find_if(tables, [&](const SpeedTable& table) {
    return table.version == wanted.version && table.reference == wanted.reference &&
           table.cache == wanted.cache;
  });
  return found != tables.end() ? *found : tables.emplace_back(wanted);
}

void enter(SpeedTable& table, const SweptPoint& point, const Speed& speed) {
  const auto dtype = std::ranges::find(table.dtypes, point.dtype);
  const auto column = static_cast<std::size_t>(dtype - table.dtypes.begin());
  if (dtype == table.dtypes.end()) table.dtypes.push_back(point.dtype);
  std::vector<Speed>& speeds = table.rows[point.n];
  speeds.resize(std::max(speeds.size(), column + 1));
  speeds[column] = speed;
}

}  // namespace

bool has_size_sweep(const ExperimentAnalysis& experiment) {
  std::map<std::tuple<std::string, Dtype, CacheState>, std::set<std::uint64_t>> sizes;
  for (const SweptPoint& point : swept_points(experiment)) {
    sizes[{range_name(version_of(point.id())), point.dtype, point.cache}].insert(point.n);
  }
  return std::ranges::any_of(sizes, [](const auto& curve) { return curve.second.size() >= kFewestSizes; });
}

SizeSweep size_sweep(const Run& run, const ExperimentAnalysis& experiment) {
  SizeSweep sweep;
  const std::vector<SweptPoint> points = swept_points(experiment);
  if (points.empty()) return sweep;
  sweep.dram_read_bytes_per_s = measured(run, "dram_read", experiment.device);
  sweep.l2_bytes = static_cast<double>(run.devices[experiment.device].l2_bytes);
  const Versions versions(run, points);
  sweep.versions = versions.labels();
  bool all_plain = true;
  for (const SweptPoint& point : points) {
    all_plain = all_plain && timed_mode(*point.point) == LaunchMode::plain;
    const std::size_t version = versions.index_of(point.id());
    auto panel = std::ranges::find(sweep.panels, point.dtype, &SweepPanel::dtype);
    if (panel == sweep.panels.end()) panel = sweep.panels.insert(panel, SweepPanel{point.dtype, {}});
    auto& curves = panel->curves;
    auto curve = std::ranges::find_if(curves, [&](const SweepCurve& other) {
      return other.version == version && other.cache == point.cache;
    });
    if (curve == curves.end()) curve = curves.insert(curve, SweepCurve{version, point.cache, {}});
    curve->points.push_back({static_cast<double>(point.n), point.bytes_per_s});
  }
  sweep.launch_s = measured(run, all_plain ? ceiling_id::kLaunch : ceiling_id::kGraphNode, experiment.device);
  for (SweepPanel& panel : sweep.panels) {
    for (SweepCurve& curve : panel.curves) {
      std::ranges::stable_sort(curve.points, {}, &SweepPoint::n);
    }
  }
  return sweep;
}

std::string speed_text(const Speed& speed) {
  return speed.is_timed_differently ? "timed differently" : format::optional(speed.factor, format::factor);
}

std::vector<SpeedTable> speed_tables(const Run& run, const ExperimentAnalysis& experiment) {
  std::vector<SpeedTable> tables;
  const std::vector<SweptPoint> points = swept_points(experiment);
  std::vector<SweptPoint> references;
  std::ranges::copy_if(points, std::back_inserter(references), is_reference);
  if (references.empty()) return tables;
  const Versions versions(run, points);
  for (const SweptPoint& point : points) {
    if (is_reference(point)) continue;
    for (const SweptPoint& reference : references) {
      const bool is_same_problem = reference.dtype == point.dtype && reference.n == point.n &&
                                   reference.cache == point.cache &&
                                   mode_of(reference.id()) == mode_of(point.id());
      if (!is_same_problem) continue;
      SpeedTable& table =
          table_of(tables, {versions.label(point.id()), versions.label(reference.id()), point.cache, {}, {}});
      enter(table, point, speed_of(*point.point, *reference.point));
    }
  }
  std::erase_if(tables, [](const SpeedTable& table) { return table.rows.size() < kFewestSizes; });
  for (SpeedTable& table : tables) {
    for (auto& [n, speeds_of_size] : table.rows) speeds_of_size.resize(table.dtypes.size());
  }
  return tables;
}

Table speed_table(const SpeedTable& speeds) {
  Table table = {.title = fmt::format("Speed-up of {} over {}, {}", speeds.version, speeds.reference,
                                      to_string(speeds.cache)),
                 .columns = {column::number("elements")}};
  for (const Dtype dtype : speeds.dtypes)
    table.columns.push_back(column::number(std::string(to_string(dtype))));
  for (const auto& [n, of_size] : speeds.rows) {
    table.rows.push_back(format::each(of_size, speed_text));
    table.rows.back().insert(table.rows.back().begin(), typeset(elements_text(n)));
  }
  return table;
}

}  // namespace rooflinectl
