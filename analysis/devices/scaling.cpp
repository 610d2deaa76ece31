// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "analysis/devices/devices_together.h"
#include "analysis/roofline/point.h"
#include "analysis/roofline/roof.h"
#include "core/text/written_number.h"

namespace rooflinectl {

namespace {

/// What the points of a curve have in common, and what tells curves apart.
struct CurveKey {
  std::string subject;
  Axes axes;  ///< without size and GPUs
  std::uint64_t size = 0;

  bool operator==(const CurveKey&) const = default;
};

std::uint64_t size_on_curve(const PointId& id, ScalingKind kind) {
  const std::uint64_t n = size_of(id).value_or(0);
  return kind == ScalingKind::strong ? n : n / static_cast<std::uint64_t>(gpus_of(id));
}

CurveKey key_of(const PointId& id, ScalingKind kind) {
  Axes axes = id.axes;
  axes.erase(axis::kSize);
  axes.erase(axis::kGpus);
  return {id.subject, axes, size_on_curve(id, kind)};
}

bool is_of_several(const RooflinePoint& point) {
  const Measurement& measurement = *point.measurement;
  return measurement.point.axes.find(axis::kGpus) != nullptr && is_timed(measurement) &&
         size_of(measurement.point);
}

double time_of(const RooflinePoint& point) {
  return point.measurement->time->median_s;
}

/// The time of one GPU for the elements of a share, wherever the run has it.
std::optional<double> share_time(const Run& run, const Measurement& measurement) {
  PointId share = measurement.point;
  const auto gpus = static_cast<std::uint64_t>(gpus_of(share));
  share.axes.set(axis::kSize, (size_of(share).value_or(0) + gpus - 1) / gpus);
  share.axes.set(axis::kGpus, std::uint64_t{1});
  for (const Measurement& other : run.measurements) {
    const bool is_share = other.point.subject == share.subject && other.point.axes == share.axes;
    if (is_share && other.device == measurement.device && is_timed(other)) return other.time->median_s;
  }
  return std::nullopt;
}

/// Why what the links need is not known on this device; empty where it is.
std::string missing_link_ceilings(const Run& run, std::size_t device) {
  std::vector<std::string_view> missing;
  for (const std::string_view id : {kNvlinkCeiling, kNvlinkLatency}) {
    if (find_ceiling(run, id, CeilingSource::measured, device) == nullptr) missing.push_back(id);
  }
  if (missing.empty()) return {};
  return fmt::format("not measured: {} (add {} to `ceilings` in the plan)", fmt::join(missing, " and "),
                     missing.size() == 1 ? "it" : "them");
}

/// What goes through the host instead of the links does not have it.
std::optional<double> link_time(const Run& run, const Measurement& measurement) {
  const Ceilings ceilings = Ceilings::measured(run, measurement.device);
  const auto bandwidth = ceilings.find(kNvlinkCeiling);
  const auto there_and_back = ceilings.find(kNvlinkLatency);
  if (measurement.work.link_bytes <= 0 || !bandwidth || !there_and_back) return std::nullopt;
  return there_and_back->per_s / 2 + measurement.work.link_bytes / bandwidth->per_s;
}

void set_least_times(const Run& run, ScalingStep& step, double ideal_s) {
  const RooflinePoint& point = *step.point;
  if (const auto& roof = point.roof) {
    if (roof->memory_bytes_per_s > 0) step.memory_s = point.dram_bytes_useful / roof->memory_bytes_per_s;
    if (roof->compute_flop_per_s > 0) step.compute_s = point.flops_useful / roof->compute_flop_per_s;
  }
  if (step.gpus == 1) return;
  step.link_s = link_time(run, *point.measurement);
  if (step.link_s) step.reachable_speedup = step.speedup * step.time_s / (ideal_s + *step.link_s);
}

ScalingStep step_of(const Run& run, const RooflinePoint& point, const RooflinePoint& of_one) {
  const Measurement& measurement = *point.measurement;
  const auto elements = [](const RooflinePoint& one) {
    return static_cast<double>(*size_of(one.measurement->point));
  };
  ScalingStep step;
  step.gpus = gpus_of(measurement.point);
  step.point = &point;
  step.time_s = time_of(point);
  step.bytes_per_s = measurement.work.bytes() / step.time_s;
  step.speedup = elements(point) / step.time_s / (elements(of_one) / time_of(of_one));
  step.efficiency = step.speedup / step.gpus;
  set_least_times(run, step, time_of(of_one) * elements(point) / elements(of_one) / step.gpus);
  step.share_s = share_time(run, measurement);
  if (step.share_s) step.gathering_s = std::max(0.0, step.time_s - *step.share_s);
  return step;
}

/// Nothing without one GPU and at least one other number of them.
std::optional<ScalingCurve> curve_of(const Run& run, const CurveKey& key,
                                     std::vector<const RooflinePoint*> points) {
  const auto gpus = [](const RooflinePoint* point) { return gpus_of(point->measurement->point); };
  std::ranges::stable_sort(points, {}, gpus);
  if (gpus(points.front()) != 1 || gpus(points.back()) == 1) return std::nullopt;
  const VariantInfo* variant = run.catalogue.find_variant(key.subject);
  ScalingCurve curve;
  curve.label =
      fmt::format("{} {}", variant == nullptr ? key.subject : variant->label, elements_text(key.size));
  curve.size = key.size;
  for (const RooflinePoint* point : points) curve.steps.push_back(step_of(run, *point, *points.front()));
  return curve;
}

Scaling scaling_of(const Run& run, const std::vector<const RooflinePoint*>& points, ScalingKind kind) {
  using Group = std::pair<CurveKey, std::vector<const RooflinePoint*>>;
  std::vector<Group> groups;
  for (const RooflinePoint* point : points) {
    const CurveKey key = key_of(point->measurement->point, kind);
    auto found = std::ranges::find(groups, key, &Group::first);
    if (found == groups.end()) found = groups.insert(groups.end(), {key, {}});
    found->second.push_back(point);
  }
  Scaling scaling = {.kind = kind};
  for (auto& [key, of_curve] : groups) {
    if (auto curve = curve_of(run, key, std::move(of_curve))) scaling.curves.push_back(std::move(*curve));
  }
  if (!points.empty()) {
    scaling.link_missing = missing_link_ceilings(run, points.front()->measurement->device);
  }
  return scaling;
}

}  // namespace

std::optional<Scaling> scaling(const Run& run, const ExperimentAnalysis& experiment) {
  std::vector<const RooflinePoint*> points;
  for (const RooflinePoint& point : experiment.points) {
    if (is_of_several(point)) points.push_back(&point);
  }
  // The elements of a share are often a size in the list, too; the reverse hardly ever happens.
  Scaling strong = scaling_of(run, points, ScalingKind::strong);
  Scaling weak = scaling_of(run, points, ScalingKind::weak);
  if (strong.curves.empty() && weak.curves.empty()) return std::nullopt;
  return weak.curves.size() > strong.curves.size() ? std::move(weak) : std::move(strong);
}

}  // namespace rooflinectl
