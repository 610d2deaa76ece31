// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <map>

#include "runner/merging/merging.h"

namespace rooflinectl {

namespace {

constexpr std::size_t kFewestMatches = 8;
constexpr std::int64_t kMostDeviationNs = 1'000'000;
/// How many collectives one of two processes may lack at its beginning.
constexpr std::int64_t kMostLag = 64;
/// The newest ones of a process are enough.
constexpr std::size_t kMostCompared = 512;
/// Pairs of processes that are tried: a collective need not involve all ranks.
constexpr std::size_t kMostProcesses = 8;
/// Another way to match collectives fits as well if it deviates no more than by this factor.
constexpr std::int64_t kSimilarFactor = 2;
constexpr std::int64_t kSimilarNs = 1'000;
constexpr double kMostOfThem = 0.95;

using Launches = std::vector<CollectiveLaunch>;

/// `values` is not empty.
std::int64_t quantile_of(std::vector<std::int64_t>& values, double p) {
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(p * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

/// With the collective `lag` places further on in `reference`.
std::optional<EndDifference> difference_at(const Launches& reference, const Launches& other,
                                           std::int64_t lag) {
  std::vector<std::int64_t> differences;
  std::size_t compared = 0;
  for (std::size_t i = 0; i < other.size(); ++i) {
    const std::int64_t place = static_cast<std::int64_t>(i) + lag;
    if (place < 0 || place >= static_cast<std::int64_t>(reference.size())) continue;
    const CollectiveLaunch& same = reference[static_cast<std::size_t>(place)];
    ++compared;
    if (same.kernel != other[i].kernel) continue;
    differences.push_back(static_cast<std::int64_t>(other[i].end_ns()) -
                          static_cast<std::int64_t>(same.end_ns()));
  }
  // Where many names differ, it is another order.
  if (differences.size() < kFewestMatches || 10 * differences.size() < 9 * compared) return std::nullopt;
  EndDifference result;
  result.median_ns = quantile_of(differences, 0.5);
  for (std::int64_t& difference : differences) difference = std::abs(difference - result.median_ns);
  result.deviation_ns = quantile_of(differences, kMostOfThem);
  return result;
}

Launches newest(const Launches& launches) {
  const std::size_t kept = std::min(launches.size(), kMostCompared + static_cast<std::size_t>(kMostLag));
  return {launches.end() - static_cast<std::ptrdiff_t>(kept), launches.end()};
}

/// Places runs one after the other: those that share a clock with a placed one, then those that took part in
/// the same collectives.
class Alignment {
 public:
  explicit Alignment(const std::vector<RunClocks>& runs)
      : runs_(runs), places_(runs.size()), is_placed_(runs.size()) {}

  std::vector<RunPlace> result() {
    if (runs_.empty()) return {};
    place(0, {.start_ns = 0, .uncertainty_s = 0});
    bool was_one_placed = true;
    while (was_one_placed) {
      was_one_placed = place_one(&Alignment::place_by_clock) || place_one(&Alignment::place_by_collectives) ||
                       place_one_apart();
    }
    return places_;
  }

 private:
  /// What the clock of a system reads at time 0 of the first run.
  struct Clock {
    std::int64_t at_zero_ns = 0;
    std::optional<double> uncertainty_s;
  };

  static std::optional<double> sum(const std::optional<double>& a, const std::optional<double>& b) {
    return a && b ? std::optional(*a + *b) : std::nullopt;
  }

  void place(std::size_t run, RunPlace where) {
    places_[run] = where;
    is_placed_[run] = true;
    for (const ProgramHost& host : runs_[run].hosts) {
      if (host.boot_id.empty() || !host.uncertainty_s) continue;
      clocks_.try_emplace(host.boot_id, Clock{static_cast<std::int64_t>(host.clock_ns) - where.start_ns,
                                              sum(where.uncertainty_s, host.uncertainty_s)});
    }
    for (const Launches& launches : runs_[run].collectives) {
      if (references_.size() < kMostProcesses) references_.push_back({&launches, where});
    }
  }

  /// Whether one was left that `find` finds the place of.
  bool place_one(std::optional<RunPlace> (Alignment::*find)(const RunClocks& run) const) {
    for (std::size_t run = 0; run < runs_.size(); ++run) {
      if (is_placed_[run]) continue;
      const auto where = (this->*find)(runs_[run]);
      if (!where) continue;
      place(run, *where);
      return true;
    }
    return false;
  }

  std::optional<RunPlace> place_by_clock(const RunClocks& run) const {
    for (const ProgramHost& host : run.hosts) {
      const auto clock = clocks_.find(host.boot_id);
      if (clock == clocks_.end() || !host.uncertainty_s) continue;
      return RunPlace{.start_ns = static_cast<std::int64_t>(host.clock_ns) - clock->second.at_zero_ns,
                      .uncertainty_s = sum(clock->second.uncertainty_s, host.uncertainty_s)};
    }
    return std::nullopt;
  }

  bool place_one_apart() {
    const auto rest = std::ranges::find(is_placed_, false);
    if (rest == is_placed_.end()) return false;
    place(static_cast<std::size_t>(rest - is_placed_.begin()), {});
    return true;
  }

  /// By the pair of processes whose collectives end together most closely.
  std::optional<RunPlace> place_by_collectives(const RunClocks& run) const {
    std::optional<EndDifference> best;
    std::optional<RunPlace> result;
    for (std::size_t i = 0; i < std::min(run.collectives.size(), kMostProcesses); ++i) {
      for (const Reference& reference : references_) {
        const auto difference = end_difference(*reference.launches, run.collectives[i]);
        if (!difference || (best && best->deviation_ns <= difference->deviation_ns)) continue;
        best = difference;
        result = {.start_ns = reference.where.start_ns - difference->median_ns,
                  .uncertainty_s = sum(reference.where.uncertainty_s,
                                       static_cast<double>(difference->deviation_ns) * 1e-9)};
      }
    }
    return result;
  }

  /// Collectives of a process of a placed run.
  struct Reference {
    const Launches* launches;
    RunPlace where;
  };

  const std::vector<RunClocks>& runs_;
  std::vector<RunPlace> places_;
  std::vector<bool> is_placed_;
  std::map<std::string, Clock> clocks_;  // by the start of the system
  std::vector<Reference> references_;
};

}  // namespace

std::optional<EndDifference> end_difference(const Launches& reference, const Launches& other) {
  const Launches a = newest(reference);
  const Launches b = newest(other);
  // Matched by order from the first one or, where only the newest ones are left, from the last.
  const auto first_lag = static_cast<std::int64_t>(a.size()) - static_cast<std::int64_t>(b.size());
  const bool is_whole = reference.size() == a.size() && other.size() == b.size();
  const std::int64_t expected = is_whole ? 0 : first_lag;
  std::map<std::int64_t, EndDifference> by_lag;
  for (std::int64_t lag = expected - kMostLag; lag <= expected + kMostLag; ++lag) {
    const auto difference = difference_at(a, b, lag);
    if (difference && difference->deviation_ns <= kMostDeviationNs) by_lag.emplace(lag, *difference);
  }
  if (by_lag.empty()) return std::nullopt;
  const auto deviates_less = [](const auto& one, const auto& two) {
    return one.second.deviation_ns < two.second.deviation_ns;
  };
  const auto best = std::ranges::min_element(by_lag, deviates_less);
  const std::int64_t similar_ns = kSimilarFactor * best->second.deviation_ns + kSimilarNs;
  const auto is_similar = [&](const auto& one) { return one.second.deviation_ns <= similar_ns; };
  if (const auto same_order = by_lag.find(expected); same_order != by_lag.end() && is_similar(*same_order)) {
    return same_order->second;
  }
  if (std::ranges::count_if(by_lag, is_similar) > 1) return std::nullopt;
  return best->second;
}

std::vector<RunPlace> aligned(const std::vector<RunClocks>& runs) {
  return Alignment(runs).result();
}

}  // namespace rooflinectl
