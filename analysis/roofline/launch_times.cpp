// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/roofline/point.h"
#include "core/stats/statistics.h"

namespace rooflinectl {

namespace {

/// Of the GPU's timer, in whose ticks a trace has the starts and ends of launches.
constexpr double kTickS = 32e-9;

LaunchTime with_ticks(const LaunchTime& time) {
  // An interval begins above 0: logarithms of its ends are taken.
  const double least_s = time.time_s / (1 + kTickS / time.time_s);
  return {time.time_s, std::min(time.low_s, least_s), std::max(time.high_s, time.time_s + kTickS)};
}

/// As far down as up, as a factor.
LaunchTime within(double time_s, double relative) {
  return with_ticks({time_s, time_s / (1 + relative), time_s * (1 + relative)});
}

/// The variance of launches around `mean_s`. Where a run keeps only quantiles of their times, the first and
/// the last are those of one launch each.
double variance_of(const TimeResult& time, double mean_s, double launches) {
  const std::vector<double>& samples = time.samples_s;
  const auto kept = static_cast<double>(samples.size());
  if (kept < 2) return 0;
  const bool is_of_quantiles = kept < launches;
  double sum = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const bool is_end = i == 0 || i + 1 == samples.size();
    sum += std::pow(samples[i] - mean_s, 2) * (is_of_quantiles && is_end ? kept / launches : 1);
  }
  return sum / (kept - 1);
}

/// The widest step between neighbours of the sorted times that has a notable part of them on both sides.
struct Step {
  double below = 0;  ///< the part of the launches
  double low_s = 0;
  double high_s = 0;
};

std::optional<Step> widest_step(std::vector<double> samples) {
  constexpr double kNotablePart = 0.1;
  constexpr double kNotableFactor = 1.2;
  std::ranges::sort(samples);
  const auto n = static_cast<double>(samples.size());
  std::optional<Step> widest;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    const double below = static_cast<double>(i) / n;
    if (below < kNotablePart || below > 1 - kNotablePart) continue;
    const double factor = samples[i] / samples[i - 1];
    if (factor < kNotableFactor || (widest && factor <= widest->high_s / widest->low_s)) continue;
    widest = Step{below, samples[i - 1], samples[i]};
  }
  return widest;
}

bool has_median(const Measurement& measurement) {
  return is_observed(measurement) && measurement.time && measurement.time->median_s > 0;
}

std::optional<Step> widest_step(const Measurement& measurement) {
  constexpr std::size_t kFewest = 16;
  if (!has_median(measurement)) return std::nullopt;
  const std::vector<double>& samples = measurement.time->samples_s;
  return samples.size() < kFewest ? std::nullopt : widest_step(samples);
}

bool do_mean_and_median_differ(const Measurement& measurement) {
  constexpr double kUneven = 0.1;
  return has_median(measurement) &&
         std::abs(mean_launch(measurement).time_s / measurement.time->median_s - 1) > kUneven;
}

std::string duration(double seconds) {
  return seconds < 1e-2 ? fmt::format("{:.4g} µs", seconds * 1e6) : fmt::format("{:.4g} ms", seconds * 1e3);
}

}  // namespace

LaunchTime median_launch(const Measurement& measurement) {
  const TimeResult& time = *measurement.time;
  const LaunchTime median = {time.median_s, time.ci_low_s, time.ci_high_s};
  return is_observed(measurement) ? with_ticks(median) : median;
}

LaunchTime mean_launch(const Measurement& measurement) {
  const auto& launches = measurement.launches;
  if (!launches || launches->traced == 0 || !(launches->total_s > 0)) return median_launch(measurement);
  const auto traced = static_cast<double>(launches->traced);
  const double mean_s = launches->total_s / traced;
  if (!measurement.time) return within(mean_s, 0);
  const double deviation_s = std::sqrt(variance_of(*measurement.time, mean_s, traced) / traced);
  return within(mean_s, kNormal95 * deviation_s / mean_s);
}

LaunchTime mean_launch(const RankLaunches& launches) {
  if (launches.traced == 0 || !(launches.total_s > 0) || !(launches.median_s > 0)) return {};
  const double mean_s = launches.total_s / static_cast<double>(launches.traced);
  const double beyond_s =
      std::max(launches.ci_high_s - launches.median_s, launches.median_s - launches.ci_low_s);
  return within(mean_s, beyond_s / launches.median_s);
}

double launch_count(const Measurement& measurement) {
  return measurement.launches ? static_cast<double>(measurement.launches->count) : 0;
}

bool has_uneven_launches(const Measurement& measurement) {
  return widest_step(measurement) || do_mean_and_median_differ(measurement);
}

std::optional<std::string> uneven_evidence(const Measurement& measurement) {
  const auto step = widest_step(measurement);
  if (!step && !do_mean_and_median_differ(measurement)) return std::nullopt;
  const TimeResult& time = *measurement.time;
  const std::string parts = step ? fmt::format(": {:.0f} % up to {}, the others from {}", 100 * step->below,
                                               duration(step->low_s), duration(step->high_s))
                                 : "";
  return fmt::format("its launches take different times{}; the median is {}; sums use the mean, {}", parts,
                     duration(time.median_s), duration(mean_launch(measurement).time_s));
}

}  // namespace rooflinectl
