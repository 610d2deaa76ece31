// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/machine/environment.h"
#include "core/model/plan.h"
#include "core/model/run.h"

namespace rooflinectl {

/// The time of one sample, the SM clock around it, and why the driver kept it low. Nothing where they could
/// not be read.
struct TimeSample {
  double time_s = 0;
  std::optional<double> clock_hz;
  std::optional<ClockEventReasons> reasons;
};

/// Decides when a point has been timed well enough, and what its time is; `docs/internals/method.md` (Time)
/// describes how. Knows neither a device nor a clock: the caller passes the elapsed time.
class Sampling {
 public:
  enum class Next {
    measure,  ///< more samples are needed
    wait,     ///< the same, but let the device cool down first
    stop,
  };

  /// `ignore_clocks`: a low clock alone is no reason to leave a sample out.
  Sampling(const TimingTarget& target, bool ignore_clocks);

  void add(const TimeSample& sample);

  /// What to do now that `elapsed_s` have passed since the first launch.
  Next next(double elapsed_s);

  /// Median, interval, samples and flags of what has been added so far; `launches_per_sample` is the
  /// caller's.
  const TimeResult& result() const { return result_; }

 private:
  bool is_slowed_down(std::size_t sample, double usual_clock_hz) const;
  void evaluate();
  std::size_t good_samples() const {
    return result_.samples_s.size() - static_cast<std::size_t>(result_.throttled_samples);
  }
  /// More samples would tell nothing new, and not reach the target in time.
  bool is_hopeless(double elapsed_s) const;

  TimingTarget target_;
  bool ignore_clocks_;
  std::vector<std::optional<ClockEventReasons>> reasons_;  // by sample
  /// How many good samples the next look at the interval takes.
  std::size_t next_look_;
  TimeResult result_;
};

}  // namespace rooflinectl
