// SPDX-License-Identifier: Apache-2.0
#include "core/stats/sampling.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <string>

#include "core/stats/statistics.h"

namespace rooflinectl {

namespace {

constexpr std::size_t kMinimumSamples = 16;
constexpr std::size_t kMaximumSamples = 1000;
/// For fewer there is no interval: `median_interval` gives the whole range.
constexpr std::size_t kFewestSamples = 9;
/// Looking at the interval after every sample, and stopping when it happens to be narrow, would lower its
/// coverage: from one look to the next, the number of samples grows by this factor.
constexpr double kGrowthBetweenLooks = 1.25;
constexpr double kLowClockFraction = 0.95;
/// Noise is judged from this many samples on, and has settled if its second half is like the whole.
constexpr std::size_t kSamplesToJudgeNoise = 100;
constexpr double kSettledNoise = 0.1;

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

/// The clocks that could be read.
std::vector<double> known(std::span<const double> clocks_hz) {
  std::vector<double> found;
  std::ranges::copy_if(clocks_hz, std::back_inserter(found), [](double clock_hz) { return clock_hz > 0; });
  return found;
}

}  // namespace

Sampling::Sampling(const TimingTarget& target, bool ignore_clocks)
    : target_(target), ignore_clocks_(ignore_clocks), next_look_(kMinimumSamples) {}

void Sampling::add(const TimeSample& sample) {
  result_.samples_s.push_back(sample.time_s);
  result_.sample_clocks_hz.push_back(sample.clock_hz.value_or(0));
  reasons_.push_back(sample.reasons);
  if (!sample.reasons) return;
  if (!result_.clock_event_reasons) result_.clock_event_reasons.emplace();
  for (const std::string& name : names_of(*sample.reasons)) ++(*result_.clock_event_reasons)[name];
}

bool Sampling::is_slowed_down(std::size_t sample, double usual_clock_hz) const {
  const ClockEventReasons reasons = reasons_[sample].value_or(0);
  if ((reasons & kSlowdowns) != 0) return true;
  // What the power cap costs is the kernel's own doing: that is its time.
  if (ignore_clocks_ || (reasons & kPowerCap) != 0) return false;
  const double clock_hz = result_.sample_clocks_hz[sample];
  return clock_hz > 0 && clock_hz < kLowClockFraction * usual_clock_hz;
}

void Sampling::evaluate() {
  const std::vector<double> clocks_hz = known(result_.sample_clocks_hz);
  const double usual_clock_hz = clocks_hz.empty() ? 0 : median(clocks_hz);
  std::vector<double> good;
  std::vector<double> good_clocks_hz;
  for (std::size_t i = 0; i < result_.samples_s.size(); ++i) {
    if (is_slowed_down(i, usual_clock_hz)) continue;
    good.push_back(result_.samples_s[i]);
    good_clocks_hz.push_back(result_.sample_clocks_hz[i]);
  }
  result_.throttled_samples = static_cast<int>(result_.samples_s.size() - good.size());
  // A point all of whose samples are slowed down still has a time; their number shows how far to trust it.
  const MedianInterval interval = median_interval(good.empty() ? result_.samples_s : good);
  result_.median_s = interval.median;
  result_.ci_low_s = interval.low;
  result_.ci_high_s = interval.high;
  good_clocks_hz = good.empty() ? clocks_hz : known(good_clocks_hz);
  result_.sm_clock_hz = good_clocks_hz.empty() ? std::nullopt : std::optional(median(good_clocks_hz));
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
  const bool out_of_room = elapsed_s >= target_.time_limit_s || result_.samples_s.size() >= kMaximumSamples;
  const bool is_hot = (reasons_.back().value_or(0) & kSlowdowns) != 0;
  const Next go_on = is_hot ? Next::wait : Next::measure;
  if (!out_of_room && result_.samples_s.size() < next_look_) return go_on;
  evaluate();
  // A slow launch leaves time for only a few samples, which may be as close as was asked for all the same.
  const bool is_look = good_samples() >= next_look_ || (out_of_room && good_samples() >= kFewestSamples);
  if (is_look) {
    const auto grown = static_cast<std::size_t>(kGrowthBetweenLooks * static_cast<double>(good_samples()));
    next_look_ = std::max(grown, good_samples() + 1);
    if (relative_half_width(result_) <= target_.relative_half_width) return Next::stop;
  }
  if (out_of_room || (is_look && is_hopeless(elapsed_s))) {
    result_.noisy = true;
    return Next::stop;
  }
  return go_on;
}

}  // namespace rooflinectl
