// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/program/application.h"
#include "core/program/profile_record.h"
#include "runner/profiling/times/busy_time.h"

namespace rooflinectl {

/// Gathers how often a program went through its NVTX ranges, and how long that took.
class RangePassages {
 public:
  /// Those of one process, by path. `counting`: when it was in a pass, in order; a range, or the time from
  /// one to the next, that touches a pass counts in none of the times.
  void add_process(const std::map<std::string, std::vector<record::Range>>& ranges,
                   const std::vector<BusyInterval>& counting);

  std::vector<RangeTimes> result() const;  ///< by path

 private:
  struct Passages {
    std::uint64_t count = 0;
    bool overlaps = false;  // several were open at a time
    std::vector<double> durations_s;
    std::vector<double> intervals_s;
  };
  std::map<std::string, Passages> passages_;
};

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
