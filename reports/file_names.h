// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/hash.h"
#include "core/names.h"

namespace rooflinectl {

/// `roofline-ladder` for the experiment `ladder`, or with another `kind` of picture before the name. A name
/// that is not plain, which no plan has but somebody else's run.json may, becomes so: it never leads out of
/// the folder, is never too long, and keeps part of its hash, so that two such names stay different.
inline std::string chart_file_name(std::string_view experiment, std::string_view kind = "roofline") {
  std::string name = std::string(kind) + "-";
  if (is_plain_name(experiment)) return name + std::string(experiment);
  for (const char c : experiment.substr(0, kMaxNameLength)) name += is_plain_name({&c, 1}) ? c : '_';
  return name + "-" + sha256(experiment).substr(0, 8);
}

/// The picture that stands for the run: that of the first experiment, or of the ceilings where there is none.
inline constexpr std::string_view kFirstChartFileName = "roofline";

/// The picture of the primitives.
inline constexpr std::string_view kPrimitivesFileName = "primitives";

/// The kind of picture that draws bandwidth against size.
inline constexpr std::string_view kSizeSweepKind = "bandwidth";

/// Follows `chart_file_name` in the name of the picture of all levels.
inline constexpr std::string_view kLevelsSuffix = "-levels";

}  // namespace rooflinectl
