// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "analysis/devices/devices_together.h"
#include "analysis/roofline/point.h"
#include "core/stats/statistics.h"

namespace rooflinectl {

namespace {

double time_s(const RooflinePoint* point) {
  return point->measurement->time->median_s;
}

bool is_outlier(const PointSpread& spread, const RooflinePoint& point) {
  const TimeResult& time = *point.measurement->time;
  const bool is_within = time.ci_low_s <= spread.usual_s && spread.usual_s <= time.ci_high_s;
  return !is_within && std::abs(spread.off_usual(point)) >= kOddFraction;
}

PointSpread spread_of(std::vector<const RooflinePoint*> points) {
  std::ranges::sort(points, {}, time_s);
  std::vector<double> times;
  for (const RooflinePoint* point : points) times.push_back(time_s(point));
  PointSpread spread;
  spread.label = points.front()->label;
  spread.median_s = median(times);
  spread.relative_spread = (times.back() - times.front()) / spread.median_s;
  spread.usual_s = points.size() == 2 ? times.front() : spread.median_s;
  for (const RooflinePoint* point : points) {
    if (is_outlier(spread, *point)) spread.outliers.push_back(point);
  }
  std::ranges::sort(spread.outliers, std::greater(),
                    [&](const RooflinePoint* point) { return std::abs(spread.off_usual(*point)); });
  spread.points = std::move(points);
  return spread;
}

/// The points of our own kernels on devices of one model.
struct SamePoints {
  const ExperimentAnalysis* experiment = nullptr;  ///< on the first of its devices
  std::vector<std::string> names;                  ///< of points, in the order of the plan
  std::map<std::string, std::vector<const RooflinePoint*>> points;
};

}  // namespace

double PointSpread::off_usual(const RooflinePoint& point) const {
  return time_s(&point) / usual_s - 1;
}

std::vector<ModelSpread> device_spread(const Run& run, const Analysis& analysis) {
  std::vector<std::pair<std::string, std::string>> order;  // experiment and model
  std::map<std::pair<std::string, std::string>, SamePoints> groups;
  for (const ExperimentAnalysis& experiment : analysis.experiments) {
    for (const RooflinePoint& point : experiment.points) {
      const Measurement& measurement = *point.measurement;
      if (is_observed(measurement) || !is_timed(measurement)) continue;
      const auto key = std::pair(measurement.point.experiment, run.device_of(measurement).name);
      const auto [place, is_new] = groups.try_emplace(key);
      SamePoints& group = place->second;
      if (is_new) {
        order.push_back(key);
        group.experiment = &experiment;
      }
      auto& points = group.points[range_name(measurement.point)];
      if (points.empty()) group.names.push_back(range_name(measurement.point));
      points.push_back(&point);
    }
  }
  std::vector<ModelSpread> spreads;
  for (const auto& key : order) {
    const SamePoints& group = groups.at(key);
    ModelSpread spread = {.experiment = key.first, .title = "", .model = key.second, .points = {}};
    for (const Experiment& planned : run.plan.experiments) {
      if (planned.name == key.first) spread.title = planned.title;
    }
    if (spread.title.empty()) spread.title = spread.experiment;
    for (const std::string& name : group.names) {
      const auto& points = group.points.at(name);
      if (points.size() > 1) spread.points.push_back(spread_of(points));
    }
    std::ranges::stable_sort(spread.points, std::greater(), &PointSpread::relative_spread);
    if (!spread.points.empty()) spreads.push_back(std::move(spread));
  }
  return spreads;
}

std::vector<OutlyingDevice> outlying_devices(const std::vector<ModelSpread>& spreads) {
  std::map<std::size_t, OutlyingDevice> devices;
  for (const ModelSpread& spread : spreads) {
    for (const PointSpread& point : spread.points) {
      for (const RooflinePoint* measured : point.points) ++devices[measured->measurement->device].points;
      for (const RooflinePoint* measured : point.outliers) {
        OutlyingDevice& device = devices[measured->measurement->device];
        ++device.outliers;
        const double off = point.off_usual(*measured);
        if (std::abs(off) > std::abs(device.worst)) device.worst = off;
      }
    }
  }
  std::vector<OutlyingDevice> outlying;
  for (auto& [place, device] : devices) {
    device.device = place;
    if (device.outliers > 0) outlying.push_back(device);
  }
  std::ranges::stable_sort(outlying, std::greater(), &OutlyingDevice::outliers);
  return outlying;
}

}  // namespace rooflinectl
