// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/analysis.h"

/// How much the devices of a run differ from each other where they did the same.
namespace rooflinectl {

/// A device that stands out by less is not an outlier: boards of one model differ by this much
/// (`docs/internals/method.md`).
inline constexpr double kOddFraction = 0.03;

/// A point that was timed on several devices of one model.
struct PointSpread {
  std::string label;
  std::vector<const RooflinePoint*> points;  ///< one for each device, the fastest first
  double median_s = 0;
  double relative_spread = 0;  ///< (slowest − fastest) / median
  /// What each device is compared with: the median of all devices or, of two, the faster one.
  double usual_s = 0;
  /// Those whose time is off `usual_s` by more than both their interval and `kOddFraction`, the farthest
  /// first.
  std::vector<const RooflinePoint*> outliers;

  /// The time of one of `points` over `usual_s`, less 1: positive where it is slower.
  double off_usual(const RooflinePoint& point) const;
};

/// The points of an experiment on the devices of one model.
struct ModelSpread {
  std::string experiment;
  std::string title;
  std::string model;
  std::vector<PointSpread> points;  ///< those with the widest spread first
};

/// One for each experiment and model with a point that was timed on several devices of that model.
std::vector<ModelSpread> device_spread(const Run& run, const Analysis& analysis);

/// How often a device stands out.
struct OutlyingDevice {
  std::size_t device = 0;    ///< its place in `Run::devices`
  std::size_t outliers = 0;  ///< points at which it stands out
  std::size_t points = 0;    ///< that it was compared at
  /// Time over the usual one, less 1, at the point where it is farthest off.
  double worst = 0;
};

/// The devices that stand out at any point, those that do so most often first.
std::vector<OutlyingDevice> outlying_devices(const std::vector<ModelSpread>& spreads);

}  // namespace rooflinectl
