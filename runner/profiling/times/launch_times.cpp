// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "core/stats/statistics.h"
#include "runner/profiling/times/times.h"

namespace rooflinectl {

namespace {

/// The time for the interval of a median grows faster than the number of samples.
constexpr std::size_t kMostForInterval = 100'000;

}  // namespace

TimeResult time_of_launches(const std::vector<double>& times, std::size_t kept) {
  std::vector<double> thinned;
  const std::size_t stride = times.size() / kMostForInterval + 1;
  for (std::size_t i = 0; i < times.size(); i += stride) thinned.push_back(times[i]);
  const MedianInterval interval = median_interval(thinned);

  TimeResult result;
  std::vector<double> sorted = times;
  std::ranges::sort(sorted);
  result.median_s = median(sorted);
  result.ci_low_s = std::min(interval.low, result.median_s);
  result.ci_high_s = std::max(interval.high, result.median_s);
  if (times.size() <= kept) {
    result.samples_s = times;
  } else {
    for (std::size_t i = 0; i < kept; ++i) {
      result.samples_s.push_back(sorted[i * (sorted.size() - 1) / (kept - 1)]);
    }
  }
  return result;
}

namespace {

/// `part` is not empty.
LaunchTimes times_of_part(const std::vector<const BusyInterval*>& part, std::uint64_t zero_ns) {
  std::vector<double> times;
  std::ranges::transform(part, std::back_inserter(times),
                         [](const BusyInterval* launch) { return time_of_launch_s(*launch); });
  const auto [min, max] = std::ranges::minmax_element(times);
  return {.start_s = seconds(part.front()->start_ns - zero_ns),
          .launches = part.size(),
          .counted = static_cast<std::uint64_t>(
              std::ranges::count_if(part, [](const BusyInterval* launch) { return launch->is_counted; })),
          .min_s = *min,
          .median_s = median(times),
          .max_s = *max};
}

}  // namespace

double time_of_launch_s(const BusyInterval& launch) {
  return seconds(std::max<std::uint64_t>(launch.duration_ns(), 1));
}

std::vector<LaunchTimes> launches_over_time(const std::vector<const BusyInterval*>& launches,
                                            std::uint64_t zero_ns, std::size_t most) {
  std::vector<LaunchTimes> result;
  if (launches.empty()) return result;
  const std::uint64_t first_ns = launches.front()->start_ns;
  const auto span_ns = static_cast<double>(launches.back()->start_ns - first_ns);
  const auto part_of = [&](std::size_t i) {
    if (launches.size() <= most) return i;
    if (span_ns == 0) return std::size_t{0};
    const double place = static_cast<double>(launches[i]->start_ns - first_ns) / span_ns;
    return std::min(static_cast<std::size_t>(place * static_cast<double>(most)), most - 1);
  };
  std::vector<const BusyInterval*> part;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    part.push_back(launches[i]);
    if (i + 1 < launches.size() && part_of(i + 1) == part_of(i)) continue;
    result.push_back(times_of_part(part, zero_ns));
    part.clear();
  }
  return result;
}

namespace {

void close_interval(std::optional<std::uint64_t>& since_ns, std::uint64_t now_ns,
                    std::vector<BusyInterval>& intervals) {
  if (!since_ns) return;
  intervals.push_back({.start_ns = *since_ns, .end_ns = std::max(*since_ns, now_ns)});
  since_ns.reset();
}

}  // namespace

void PassTimes::begin(const record::PassBegun& begun) {
  end_span(begun.at_ns);
  if (!begun.pass.empty()) {
    spans_.push_back({.pass = begun.pass,
                      .is_traced = begun.is_traced,
                      .start_ns = begun.at_ns,
                      .counted_until_ns = begun.at_ns});
  }
  if (begun.is_traced) {
    close_interval(untraced_since_, begun.at_ns, untraced_);
  } else if (!untraced_since_) {
    untraced_since_ = begun.at_ns;
  }
  if (begun.pass.empty()) {
    close_interval(counting_since_, begun.at_ns, counting_);
  } else if (!counting_since_) {
    counting_since_ = begun.at_ns;
  }
}

void PassTimes::add_counted(const record::Launch& launch) {
  counted_.push_back(launch);
}

void PassTimes::end_span(std::uint64_t now_ns) {
  if (spans_.empty() || spans_.back().end_ns > 0) return;
  spans_.back().end_ns = std::max(now_ns, spans_.back().start_ns);
}

void PassTimes::end(std::uint64_t last_ns) {
  close_interval(untraced_since_, last_ns, untraced_);
  close_interval(counting_since_, last_ns, counting_);
  end_span(last_ns);
  for (Span& span : spans_) {
    if (!span.is_traced) span.counted_until_ns = span.end_ns;
  }
  for (const record::Launch& launch : counted_) {
    const auto span = span_at(launch.start_ns);
    if (!span) continue;
    std::uint64_t& until_ns = spans_[*span].counted_until_ns;
    until_ns = std::max(until_ns, launch.start_ns + launch.duration_ns);
  }
}

std::optional<std::size_t> PassTimes::span_at(std::uint64_t at_ns) const {
  const auto next = std::upper_bound(spans_.begin(), spans_.end(), at_ns,
                                     [](std::uint64_t ns, const Span& span) { return ns < span.start_ns; });
  if (next == spans_.begin()) return std::nullopt;
  return static_cast<std::size_t>(next - spans_.begin()) - 1;
}

std::vector<std::pair<std::string, record::Launch>> PassTimes::counted() const {
  std::vector<std::pair<std::string, record::Launch>> launches;
  for (const record::Launch& launch : counted_) {
    if (const auto span = span_at(launch.start_ns)) launches.emplace_back(spans_[*span].pass, launch);
  }
  return launches;
}

std::vector<PassUse> PassTimes::passes(int process, std::uint64_t zero_ns) const {
  const auto since_zero = [&](std::uint64_t ns) { return ns > zero_ns ? seconds(ns - zero_ns) : 0; };
  std::vector<PassUse> passes;
  for (const Span& span : spans_) {
    passes.push_back({.process = process,
                      .pass = span.pass,
                      .is_traced = span.is_traced,
                      .start_s = since_zero(span.start_ns),
                      .end_s = since_zero(span.end_ns),
                      .counted_until_s = since_zero(span.counted_until_ns)});
  }
  return passes;
}

}  // namespace rooflinectl
