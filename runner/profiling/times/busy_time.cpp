// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>

#include "runner/profiling/times/times.h"

namespace rooflinectl {

namespace {

using Places = std::vector<std::uint32_t>;

Places sorted_by(const std::vector<BusyInterval>& intervals, std::uint64_t BusyInterval::*time) {
  Places places(intervals.size());
  std::iota(places.begin(), places.end(), 0);
  std::ranges::sort(
      places, [&](std::uint32_t a, std::uint32_t b) { return intervals[a].*time < intervals[b].*time; });
  return places;
}

/// The union of intervals, piece by piece in the order of time.
class Union {
 public:
  explicit Union(const std::vector<BusyInterval>& intervals)
      : intervals_(intervals), places_(sorted_by(intervals, &BusyInterval::start_ns)) {}

  /// Nothing after the last. The owner is that of the interval that begins the piece.
  std::optional<BusyInterval> next() {
    if (next_ == places_.size()) return std::nullopt;
    BusyInterval piece = intervals_[places_[next_++]];
    while (next_ < places_.size() && intervals_[places_[next_]].start_ns <= piece.end_ns) {
      piece.end_ns = std::max(piece.end_ns, intervals_[places_[next_++]].end_ns);
    }
    return piece;
  }

 private:
  const std::vector<BusyInterval>& intervals_;
  Places places_;
  std::size_t next_ = 0;
};

/// How much of the time a union of intervals covers.
class Coverage {
 public:
  explicit Coverage(const std::vector<BusyInterval>& intervals) {
    Union all(intervals);
    std::uint64_t covered_ns = 0;
    while (const auto piece = all.next()) {
      pieces_.push_back({piece->start_ns, piece->end_ns, covered_ns});
      covered_ns += piece->duration_ns();
    }
  }

  std::uint64_t until(std::uint64_t at_ns) const {
    const auto next =
        std::upper_bound(pieces_.begin(), pieces_.end(), at_ns,
                         [](std::uint64_t ns, const Piece& piece) { return ns < piece.start_ns; });
    if (next == pieces_.begin()) return 0;
    const Piece& last = *std::prev(next);
    return last.covered_before_ns + std::min(at_ns, last.end_ns) - last.start_ns;
  }

 private:
  struct Piece {
    std::uint64_t start_ns = 0;
    std::uint64_t end_ns = 0;
    std::uint64_t covered_before_ns = 0;
  };

  std::vector<Piece> pieces_;
};

/// Asked about times that come one after the other.
class Disturbances {
 public:
  explicit Disturbances(const std::vector<BusyInterval>& intervals)
      : union_(intervals), current_(union_.next()) {}

  /// How much of that time is not disturbed.
  std::uint64_t rest_of(std::uint64_t start_ns, std::uint64_t end_ns) {
    std::uint64_t rest_ns = end_ns - start_ns;
    leave_behind(start_ns);
    while (current_ && current_->start_ns < end_ns) {
      rest_ns -= std::min(current_->end_ns, end_ns) - std::max(current_->start_ns, start_ns);
      if (current_->end_ns >= end_ns) break;  // the next time may begin in it too
      current_ = union_.next();
    }
    return rest_ns;
  }

  bool touch(std::uint64_t start_ns, std::uint64_t end_ns) {
    leave_behind(start_ns);
    return current_ && current_->start_ns <= end_ns;
  }

 private:
  void leave_behind(std::uint64_t now_ns) {
    while (current_ && current_->end_ns < now_ns) current_ = union_.next();
  }

  Union union_;
  std::optional<BusyInterval> current_;
};

}  // namespace

// Goes through starts and ends in order of time. The time that passes from the start of an interval to its
// end while there are two or more is the time that it shares.
BusyTime busy_time(const std::vector<BusyInterval>& intervals, std::vector<std::uint64_t>* overlapped_ns) {
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

void add_overlap(const std::vector<BusyInterval>& intervals, const std::vector<BusyInterval>& others,
                 std::vector<std::uint64_t>& overlapped_ns) {
  const Coverage covered(others);
  for (const BusyInterval& interval : intervals) {
    overlapped_ns[interval.owner] += covered.until(interval.end_ns) - covered.until(interval.start_ns);
  }
}

std::uint64_t undisturbed_ns(const std::vector<BusyInterval>& intervals,
                             const std::vector<BusyInterval>& disturbances, const GapListener& gap) {
  Union work(intervals);
  Disturbances disturbed(disturbances);
  std::uint64_t busy_ns = 0;
  std::optional<BusyInterval> last;
  while (const auto piece = work.next()) {
    if (last && !disturbed.touch(last->end_ns, piece->start_ns)) {
      gap(piece->start_ns - last->end_ns, piece->owner);
    }
    busy_ns += disturbed.rest_of(piece->start_ns, piece->end_ns);
    last = piece;
  }
  return busy_ns;
}

}  // namespace rooflinectl
