// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rooflinectl {

/// What follows the kind of picture and a hyphen in the file names of each of `experiments`: its name. A name
/// that is not plain, which no plan has but somebody else's run.json may have, becomes plain: it never leads
/// out of the folder, is never too long, and contains part of its hash. Where two are still the same, or
/// differ only in capitals, which some file systems ignore, the later one gets `-2`, `-3`, ….
std::vector<std::string> chart_file_names(const std::vector<std::string>& experiments);

/// `roofline-ladder`. No kind begins with another and a hyphen, so that pictures of different kinds never
/// have the same name.
inline std::string chart_file_name(std::string_view kind, std::string_view name) {
  return std::string(kind) + "-" + std::string(name);
}

/// The picture that stands for the run: that of the first experiment, or of the ceilings where there is none.
inline constexpr std::string_view kFirstChartFileName = "roofline";

/// The picture of the ceilings of the device at this place in the run, where there are no experiments:
/// `roofline`, `roofline-device-1`, …
std::string ceilings_chart_file_name(std::size_t device);

/// The picture of the primitives.
inline constexpr std::string_view kPrimitivesFileName = "primitives";

/// The picture of collectives.
inline constexpr std::string_view kCollectivesFileName = "collectives";

/// The kinds of pictures of an experiment: its points over DRAM, over all memory levels, against size, their
/// energy, a program's time, and points against the number of GPUs.
inline constexpr std::string_view kRooflineKind = "roofline";
inline constexpr std::string_view kLevelsKind = "levels";
inline constexpr std::string_view kSizeSweepKind = "bandwidth";
inline constexpr std::string_view kEnergyKind = "energy";
inline constexpr std::string_view kTimeKind = "time";
inline constexpr std::string_view kScalingKind = "scaling";
/// Narrow, for `summary.md`.
inline constexpr std::string_view kSummaryRooflineKind = "summary_roofline";
inline constexpr std::string_view kSummarySizeSweepKind = "summary_bandwidth";

}  // namespace rooflinectl
