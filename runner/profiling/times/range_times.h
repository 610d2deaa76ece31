// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
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

}  // namespace rooflinectl
