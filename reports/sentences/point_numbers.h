// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analysis/analysis.h"

namespace rooflinectl {

/// A number of a point that reports show. Each is defined once, below: tables, the page, pictures, facts,
/// histories and `points.csv` have its name, value and text from here.
struct PointNumber {
  std::string_view title;      ///< of its column, and of its fact
  std::string_view name = {};  ///< the title in full, for the page; empty where the title is that
  std::string_view help = {};  ///< what it is, in a sentence, for the page
  /// In SI units; nothing where it is unknown, or for another kind of point.
  std::optional<double> (*value)(const RooflinePoint&) = nullptr;
  std::string (*show)(double) = nullptr;                ///< the value as text
  std::string (*text)(const RooflinePoint&) = nullptr;  ///< the same where it takes more than the value
  std::string_view csv = {};          ///< its column of `points.csv`; empty where it has none
  std::string_view csv_meaning = {};  ///< what it is, in Markdown, with the unit

  /// As reports show it; `format::kUnavailable` where there is none.
  std::string text_of(const RooflinePoint& point) const;
};

namespace point_number {

extern const PointNumber kTime;  ///< median of a launch
extern const PointNumber kElements;
extern const PointNumber kGpus;
extern const PointNumber kUsefulBandwidth;
extern const PointNumber kUsefulIntensity;
extern const PointNumber kExecutedIntensity;
extern const PointNumber kExecutedRate;
extern const PointNumber kDramBandwidth;
extern const PointNumber kRedundancy;
extern const PointNumber kFractionOfRoofline;
extern const PointNumber kFractionOfTheoretical;
extern const PointNumber kBusiestUtilisation;

// For kernels of a profiled program.
extern const PointNumber kShare;
extern const PointNumber kLaunches;
extern const PointNumber kTotal;
extern const PointNumber kMean;
extern const PointNumber kP95;
extern const PointNumber kSaving;
extern const PointNumber kSavingPerStep;
extern const PointNumber kTensorShare;
extern const PointNumber kOccupancy;
extern const PointNumber kRegisters;

// Where energy was measured.
extern const PointNumber kEnergy;
extern const PointNumber kPower;
extern const PointNumber kWorkPerJoule;

}  // namespace point_number

}  // namespace rooflinectl
