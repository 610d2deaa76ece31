// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/counters/counters.h"
#include "core/program/application.h"
#include "core/stats/repeated_counters.h"

namespace rooflinectl {

/// What the times of all launches of a group tell about those that were counted.
struct LaunchPattern {
  std::size_t period = 1;  ///< as `period_of` has it
  double mean_s = 0;       ///< of all launches with a time
};

/// Which launch of a group: the `ordinal`-th of its process, whose number tells it from those of other
/// processes and runs.
struct LaunchPlace {
  std::size_t process = 0;
  std::uint64_t ordinal = 0;
};

/// The launches of one group that were counted in one pass.
class CountedLaunches {
 public:
  void add(const Counters& counters, LaunchPlace place = {});
  /// What one of them took, as the trace has it. Passes that cannot be traced have none.
  void add_time(double time_s);

  /// How the counter `key` falls into clusters: values of which neighbours differ by a factor of at least 1.2
  /// in parts of at least 2 % of the launches. `period`: of which each place counts the same, or 1. Nothing
  /// where it does not, or not all launches have it.
  std::optional<WorkClusters> clusters(std::string_view key, std::size_t period) const;

  struct Mean {
    RepeatedCounters counters;
    bool is_of_each_place = false;
    std::optional<double> scale;  ///< by which counters were multiplied
  };
  /// The counters of a launch, on average over all launches of the group, not only over those that were
  /// counted, if these differ:
  /// - The launches repeat after a period, and each place in it was counted: each place counts the same.
  /// - Else each counter is divided by the time of the counted launches, and multiplied by the mean time of
  ///   all: a launch that does twice the work is taken to run twice as long.
  /// - Where neither is possible, it is the mean of those that were counted.
  /// The times are those of the trace, else those that were counted with the launches (`kCountedTimeS`).
  Mean mean(const LaunchPattern& pattern) const;

 private:
  struct Launch {
    Counters counters;
    LaunchPlace place;
  };
  std::vector<double> weights_by_place(std::size_t period) const;
  /// The mean time of the launches that were counted; nothing where one of them has none.
  std::optional<double> mean_time_s() const;

  std::vector<Launch> launches_;
  std::size_t timed_ = 0;
  double timed_s_ = 0;
};

}  // namespace rooflinectl
