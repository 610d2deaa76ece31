// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>

namespace rooflinectl {

/// What each path of NVTX ranges is called in a run. Where at least `kManyPaths` paths differ only in a
/// number, as `step 1/forward`, `step 2/forward`, … do, that number becomes `#`, so that a kernel of 10,000
/// steps is one point (`step #/forward`). Numbers that do not vary (`layer_norm2d`), or take two values
/// (`fp16`, `fp32`), stay.
///
/// A process keeps only the first paths of many that differ in numbers, and writes `#` for the numbers that
/// vary in later ones: so `#` stands for a number, too, and where `kManyPaths` paths have numbers in its
/// place, that of each becomes `#`, even if it takes only two values.
std::map<std::string, std::string> collapsed_paths(const std::set<std::string>& paths);

inline constexpr std::size_t kManyPaths = 3;

}  // namespace rooflinectl
