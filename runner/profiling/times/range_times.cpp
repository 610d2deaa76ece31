// SPDX-License-Identifier: Apache-2.0
#include "runner/profiling/times/range_times.h"

#include <algorithm>
#include <cstdint>

#include "core/stats/statistics.h"

namespace rooflinectl {

namespace {

constexpr double kRangeTail = 0.95;

bool touches(const std::vector<BusyInterval>& counting, std::uint64_t from_ns, std::uint64_t to_ns) {
  const auto next = std::partition_point(counting.begin(), counting.end(),
                                         [&](const BusyInterval& pass) { return pass.end_ns < from_ns; });
  return next != counting.end() && next->start_ns <= to_ns;
}

}  // namespace

void RangePassages::add_process(const std::map<std::string, std::vector<record::Range>>& ranges,
                                const std::vector<BusyInterval>& counting) {
  for (const auto& [path, as_closed] : ranges) {
    std::vector<record::Range> passages = as_closed;
    Passages& all = passages_[path];
    all.count += passages.size();
    std::sort(passages.begin(), passages.end(), [](const record::Range& a, const record::Range& b) {
      return a.start_ns < b.start_ns;  // those of several threads come as they are closed
    });
    for (std::size_t i = 0; i < passages.size(); ++i) {
      const record::Range& range = passages[i];
      const std::uint64_t end_ns = range.start_ns + range.duration_ns;
      if (!touches(counting, range.start_ns, end_ns)) all.durations_s.push_back(seconds(range.duration_ns));
      if (i + 1 == passages.size()) continue;
      const std::uint64_t next_ns = passages[i + 1].start_ns;
      if (next_ns < end_ns) all.overlaps = true;
      if (!touches(counting, range.start_ns, next_ns)) {
        all.intervals_s.push_back(seconds(next_ns - range.start_ns));
      }
    }
  }
}

std::vector<RangeTimes> RangePassages::result() const {
  std::vector<RangeTimes> result;
  for (const auto& [path, all] : passages_) {
    RangeTimes& times = result.emplace_back();
    times.path = path;
    times.count = all.count;
    times.undisturbed = all.durations_s.size();
    if (!all.durations_s.empty()) {
      times.median_s = median(all.durations_s);
      times.p95_s = quantile(all.durations_s, kRangeTail);
    }
    if (!all.intervals_s.empty() && !all.overlaps) times.interval_s = median(all.intervals_s);
  }
  return result;
}

}  // namespace rooflinectl
