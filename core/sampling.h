// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "core/plan.h"
#include "core/run.h"

namespace rooflinectl {

/// The time of one sample and the SM clock around it (0 where it could not be read).
struct TimeSample {
  double time_s = 0;
  double clock_hz = 0;
};

/// Decides when a point has been timed well enough, and what its time is; `docs/method.md` (Time) says how.
/// Knows neither a device nor a clock: it is told how much time has passed.
class Sampling {
 public:
  enum class Next {
    measure,  ///< more samples are needed
    wait,     ///< too: but let the device cool down first
    stop,
  };

  /// `ignore_clocks`: a low clock is no reason to leave a sample out.
  Sampling(const TimingTarget& target, bool ignore_clocks);

  /// `best_clock_hz`: the highest of the run so far, those of this sample included.
  void add(const TimeSample& sample, double best_clock_hz);

  /// What to do now that `elapsed_s` have passed since the first launch.
  Next next(double elapsed_s);

  /// Median, interval, samples and flags of what was added so far; `launches_per_sample` is the caller's.
  const TimeResult& result() const { return result_; }

 private:
  void evaluate();
  std::size_t good_samples() const;
  /// More samples would tell nothing new, and not reach the target in time.
  bool is_hopeless(double elapsed_s) const;

  TimingTarget target_;
  bool ignore_clocks_;
  double best_clock_hz_ = 0;
  TimeResult result_;
};

}  // namespace rooflinectl
