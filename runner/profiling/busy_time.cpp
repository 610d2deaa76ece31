// SPDX-License-Identifier: Apache-2.0
#include "runner/profiling/busy_time.h"

#include <algorithm>
#include <numeric>

namespace rooflinectl {

namespace {

using Places = std::vector<std::uint32_t>;

Places sorted_by(const std::vector<BusyInterval>& intervals, std::uint64_t BusyInterval::*time) {
  Places places(intervals.size());
  std::iota(places.begin(), places.end(), 0);
  std::sort(places.begin(), places.end(),
            [&](std::uint32_t a, std::uint32_t b) { return intervals[a].*time < intervals[b].*time; });
  return places;
}

/// Goes through starts and ends in the order of time. An interval is there all of its time, so that the time
/// that passes until its end while there are two or more is the time that it shares.
BusyTime sweep(const std::vector<BusyInterval>& intervals, std::vector<std::uint64_t>* overlapped_ns) {
  BusyTime time;
  if (intervals.empty()) return time;
  const Places starts = sorted_by(intervals, &BusyInterval::start_ns);
  const Places ends = sorted_by(intervals, &BusyInterval::end_ns);
  std::vector<std::uint64_t> shared_at_start(overlapped_ns == nullptr ? 0 : intervals.size());
  time.first_ns = intervals[starts.front()].start_ns;
  time.last_ns = intervals[ends.back()].end_ns;

  std::uint64_t now = time.first_ns;
  std::uint64_t shared_ns = 0;  // until now, while there were two or more
  std::size_t active = 0;
  const auto go_on_to = [&](std::uint64_t next) {
    if (active >= 1) time.busy_ns += next - now;
    if (active >= 2) shared_ns += next - now;
    now = next;
  };
  std::size_t started = 0;
  for (const std::uint32_t ending : ends) {
    const BusyInterval& interval = intervals[ending];
    while (started < starts.size() && intervals[starts[started]].start_ns <= interval.end_ns) {
      go_on_to(intervals[starts[started]].start_ns);
      ++active;
      if (overlapped_ns != nullptr) shared_at_start[starts[started]] = shared_ns;
      ++started;
    }
    go_on_to(interval.end_ns);
    --active;
    time.sum_ns += interval.duration_ns();
    if (overlapped_ns != nullptr) (*overlapped_ns)[interval.owner] += shared_ns - shared_at_start[ending];
  }
  return time;
}

}  // namespace

BusyTime busy_time(const std::vector<BusyInterval>& intervals, std::vector<std::uint64_t>& overlapped_ns) {
  return sweep(intervals, &overlapped_ns);
}

BusyTime busy_time(const std::vector<BusyInterval>& intervals) {
  return sweep(intervals, nullptr);
}

}  // namespace rooflinectl
