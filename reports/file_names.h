// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace rooflinectl {

/// `roofline-ladder` for the experiment `ladder`. Characters that mean something to a file system or to a
/// link become `_`: a name never leads out of the folder.
inline std::string chart_file_name(std::string_view experiment) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  std::string name = "roofline-";
  for (const char c : experiment) name += kPlain.find(c) == std::string_view::npos ? '_' : c;
  return name;
}

/// The picture that stands for the run: that of the first experiment, or of the ceilings where there is none.
inline constexpr std::string_view kFirstChartFileName = "roofline";

/// Follows `chart_file_name` in the name of the picture of all levels.
inline constexpr std::string_view kLevelsSuffix = "-levels";

}  // namespace rooflinectl
