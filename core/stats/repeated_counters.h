// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>

#include "core/counters/counters.h"

namespace rooflinectl {

/// How often most launches are counted, to see which of their counters repeat.
inline constexpr int kCountRepeats = 3;

/// What counting a launch several times came to.
struct RepeatedCounters {
  Counters counters;  ///< for each key the median over the repetitions
  int repeats = 0;    ///< how often the launch was counted; 0 where nothing could be
  /// By key: (largest − smallest) / median, or / largest where the median is 0. Keys that were the same every
  /// time are left out, so it is empty where the launch was counted once.
  std::map<std::string, double> spread;

  bool operator==(const RepeatedCounters&) const = default;
};

/// A counter that is unavailable in one of the repetitions (the first is not empty) is unavailable.
RepeatedCounters repeated(std::span<const Counters> repetitions);

/// Counters of any number of launches of one kernel by one program, which need not do the same: for each key
/// the mean, in `RepeatedCounters::counters`, and (largest − smallest) / mean. A key is unavailable only
/// where no launch has it.
class AveragedCounters {
 public:
  /// `launches`: how many the counters stand for.
  void add(const Counters& counters, double launches = 1);
  RepeatedCounters result() const;

 private:
  struct Average {
    double sum = 0;  // of values times launches
    double least = 0;
    double largest = 0;
    double launches = 0;
    std::string reason;  // why it was unavailable last
  };
  std::map<std::string, Average, std::less<>> averages_;
  int repeats_ = 0;
};

/// The difference between the warp instructions that hardware and instrumentation count, in different passes,
/// relative to the larger number. Above 0, the launch does not do the same every time; also 0 where either is
/// missing.
double difference_between_passes(const Counters& counters);

}  // namespace rooflinectl
