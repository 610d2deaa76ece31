// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"

namespace rooflinectl {

/// From this number of sizes on, the points of a version are a sweep over sizes.
inline constexpr std::size_t kFewestSizes = 4;

/// The indices of at most `most` points, in the order of the plan: all of them if there are no more than
/// that; else those that failed, could not be verified or have an implausible number, then for every version
/// in every type and cache state the one that is nearest to its roof and, if there are four sizes or more,
/// the smallest that comes half as near, else the one that is farthest from it. For an experiment that
/// consists only of a profiled program, those that took longest, the longest first.
std::vector<std::size_t> notable_points(const ExperimentAnalysis& experiment, std::size_t most);

/// For every version in every type and cache state, the point that is nearest to its roof, in the order in
/// which the plan has the first point of each.
std::vector<std::size_t> best_of_versions(const ExperimentAnalysis& experiment);

/// `the closest to the roofline, …`: what `notable_points` chose.
std::string_view notable_points_text(const ExperimentAnalysis& experiment);

}  // namespace rooflinectl
