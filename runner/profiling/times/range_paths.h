// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>

namespace rooflinectl {

/// What each path of NVTX ranges is called in a run. Where a number takes at least `kManyNumbers` values in
/// paths that differ in nothing else, as in `step 1/forward`, `step 2/forward`, …, it counts: it becomes `#`,
/// so that a kernel of 10,000 steps is one point (`step #/forward`). Numbers that do not vary
/// (`layer_norm2d`), or take few values (`fp8`, `fp16`, `fp32`; `layer 0` to `layer 7`), stay.
///
/// A process keeps only the first paths of many that differ in numbers, one fewer than that, and writes `#`
/// for the numbers that vary in later ones: so `#` stands for a number, too, and where so many paths have
/// numbers in its place, that of each becomes `#`, however few values it takes.
std::map<std::string, std::string> collapsed_paths(const std::set<std::string>& paths);

inline constexpr std::size_t kManyNumbers = 9;

}  // namespace rooflinectl
