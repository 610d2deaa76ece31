// SPDX-License-Identifier: Apache-2.0
#include "core/sampling.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "core/statistics.h"

namespace rooflinectl {

namespace {

constexpr std::size_t kMinimumSamples = 10;
constexpr std::size_t kMaximumSamples = 1000;
constexpr double kThrottledClockFraction = 0.95;
/// Noise is judged from this many samples on, and has settled if its second half is like the whole.
constexpr std::size_t kSamplesToJudgeNoise = 100;
constexpr double kSettledNoise = 0.1;

double relative_half_width(const TimeResult& time) {
  return (time.ci_high_s - time.ci_low_s) / 2 / time.median_s;
}

/// Spread and median of the later half of the samples are those of all of them.
bool has_settled(std::span<const double> samples) {
  if (samples.size() < kSamplesToJudgeNoise) return false;
  const double spread = relative_spread(samples);
  const std::span<const double> later = samples.subspan(samples.size() / 2);
  const MedianInterval interval = median_interval(samples);
  const double later_median = median(later);
  return std::abs(relative_spread(later) - spread) <= kSettledNoise * spread &&
         later_median >= interval.low && later_median <= interval.high;
}

}  // namespace

Sampling::Sampling(const TimingTarget& target, bool ignore_clocks)
    : target_(target), ignore_clocks_(ignore_clocks) {}

void Sampling::add(const TimeSample& sample, double best_clock_hz) {
  result_.samples_s.push_back(sample.time_s);
  result_.sample_clocks_hz.push_back(sample.clock_hz);
  best_clock_hz_ = std::max(best_clock_hz_, best_clock_hz);
}

void Sampling::evaluate() {
  std::vector<double> good;
  for (std::size_t i = 0; i < result_.samples_s.size(); ++i) {
    if (ignore_clocks_ || result_.sample_clocks_hz[i] >= kThrottledClockFraction * best_clock_hz_)
      good.push_back(result_.samples_s[i]);
  }
  result_.throttled_samples = static_cast<int>(result_.samples_s.size() - good.size());
  // A point of which every sample is throttled still has a time; the count of throttled samples says what it
  // is worth.
  const MedianInterval interval = median_interval(good.empty() ? result_.samples_s : good);
  result_.median_s = interval.median;
  result_.ci_low_s = interval.low;
  result_.ci_high_s = interval.high;
}

std::size_t Sampling::good_samples() const {
  return result_.samples_s.size() - static_cast<std::size_t>(result_.throttled_samples);
}

bool Sampling::is_hopeless(double elapsed_s) const {
  if (result_.throttled_samples > 0 || !has_settled(result_.samples_s)) return false;
  // The interval narrows with the square root of the number of samples.
  const auto taken = static_cast<double>(result_.samples_s.size());
  const double excess = relative_half_width(result_) / target_.relative_half_width;
  const double wanted = taken * excess * excess;
  return wanted > static_cast<double>(kMaximumSamples) || wanted * elapsed_s / taken > target_.time_limit_s;
}

Sampling::Next Sampling::next(double elapsed_s) {
  if (result_.samples_s.empty()) return Next::measure;
  evaluate();
  const bool reached =
      good_samples() >= kMinimumSamples && relative_half_width(result_) <= target_.relative_half_width;
  if (reached) return Next::stop;
  const bool out_of_room = elapsed_s >= target_.time_limit_s || result_.samples_s.size() >= kMaximumSamples;
  if (out_of_room || is_hopeless(elapsed_s)) {
    result_.noisy = true;
    return Next::stop;
  }
  return 2 * good_samples() < result_.samples_s.size() ? Next::wait : Next::measure;
}

}  // namespace rooflinectl
