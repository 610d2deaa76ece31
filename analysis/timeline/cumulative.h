// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rooflinectl {

/// What has accumulated by a given time: bytes, operations, seconds. Between two recorded times it grows
/// evenly.
class Cumulative {
 public:
  /// Adds `amount`, evenly from `start_ns` to `end_ns`. Calls come in the order of time; where one begins
  /// before the last one ended, its amount counts from there on.
  void add(std::uint64_t start_ns, std::uint64_t end_ns, double amount) {
    if (!times_ns_.empty()) start_ns = std::max(start_ns, times_ns_.back());
    if (end_ns <= start_ns) return;
    if (times_ns_.empty() || times_ns_.back() < start_ns) push(start_ns, 0);
    push(end_ns, amount);
  }

  double until(std::uint64_t time_ns) const {
    const auto after = std::upper_bound(times_ns_.begin(), times_ns_.end(), time_ns);
    if (after == times_ns_.begin()) return 0;
    if (after == times_ns_.end()) return sums_.back();
    const auto i = static_cast<std::size_t>(after - times_ns_.begin());
    const auto part = static_cast<double>(time_ns - times_ns_[i - 1]);
    return sums_[i - 1] +
           (sums_[i] - sums_[i - 1]) * part / static_cast<double>(times_ns_[i] - times_ns_[i - 1]);
  }

  double between(std::uint64_t start_ns, std::uint64_t end_ns) const {
    return until(end_ns) - until(start_ns);
  }

  double total() const { return sums_.empty() ? 0 : sums_.back(); }

 private:
  void push(std::uint64_t time_ns, double amount) {
    times_ns_.push_back(time_ns);
    sums_.push_back(total() + amount);
  }

  std::vector<std::uint64_t> times_ns_;
  std::vector<double> sums_;
};

}  // namespace rooflinectl
