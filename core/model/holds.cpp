// SPDX-License-Identifier: Apache-2.0
#include "core/model/holds.h"

#include <algorithm>
#include <functional>

namespace rooflinectl {

namespace {

/// `holds` are by their starts. Joins each with the one before where no more than `gap_ns` is between them.
std::vector<Hold> joined(const std::vector<Hold>& holds, std::uint64_t gap_ns) {
  std::vector<Hold> result;
  for (const Hold& hold : holds) {
    if (result.empty() || hold.start_ns > result.back().end_ns() + gap_ns) {
      result.push_back(hold);
    } else {
      Hold& last = result.back();
      last.duration_ns = std::max(last.end_ns(), hold.end_ns()) - last.start_ns;
    }
  }
  return result;
}

}  // namespace

Holds::Holds(std::vector<Hold> holds) : holds_(std::move(holds)) {
  std::sort(holds_.begin(), holds_.end(),
            [](const Hold& a, const Hold& b) { return a.start_ns < b.start_ns; });
  holds_ = joined(holds_, 0);
}

bool Holds::delay(std::uint64_t previous_end_ns, std::uint64_t end_ns) const {
  const auto next = std::partition_point(holds_.begin(), holds_.end(),
                                         [&](const Hold& hold) { return hold.end_ns() < previous_end_ns; });
  return next != holds_.end() && next->start_ns <= end_ns;
}

void Holds::join_to(std::size_t most) {
  if (holds_.size() <= most) return;
  std::vector<std::uint64_t> gaps;
  for (std::size_t i = 1; i < holds_.size(); ++i) {
    gaps.push_back(holds_[i].start_ns - holds_[i - 1].end_ns());
  }
  const auto shortest_kept = gaps.begin() + static_cast<std::ptrdiff_t>(most) - 1;
  std::nth_element(gaps.begin(), shortest_kept, gaps.end(), std::greater<>());
  holds_ = joined(holds_, *shortest_kept);
}

}  // namespace rooflinectl
