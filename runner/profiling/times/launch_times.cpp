// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>

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

namespace {

constexpr double kRangeTail = 0.95;

bool touches(const std::vector<BusyInterval>& counting, std::uint64_t from_ns, std::uint64_t to_ns) {
  const auto next =
      std::ranges::partition_point(counting, [&](const BusyInterval& pass) { return pass.end_ns < from_ns; });
  return next != counting.end() && next->start_ns <= to_ns;
}

}  // namespace

void RangePassages::add_process(const std::map<std::string, std::vector<record::Range>>& ranges,
                                const std::vector<BusyInterval>& counting) {
  for (const auto& [path, as_closed] : ranges) {
    std::vector<record::Range> passages = as_closed;
    Passages& all = passages_[path];
    all.count += passages.size();
    std::ranges::sort(passages, {}, &record::Range::start_ns);
    for (std::size_t i = 0; i < passages.size(); ++i) {
      const record::Range& range = passages[i];
      const std::uint64_t end_ns = range.start_ns + range.duration_ns;
      if (!touches(counting, range.start_ns, end_ns)) all.durations_s.push_back(seconds(range.duration_ns));
      if (i + 1 == passages.size()) continue;
      const std::uint64_t next_ns = passages[i + 1].start_ns;
      if (next_ns < end_ns) all.overlaps = true;
      if (!touches(counting, range.start_ns, next_ns)) {
        all.intervals_s.push_back(seconds(next_ns - range.start_ns));
      }
    }
  }
}

std::vector<RangeTimes> RangePassages::result() const {
  std::vector<RangeTimes> result;
  for (const auto& [path, all] : passages_) {
    RangeTimes& times = result.emplace_back();
    times.path = path;
    times.count = all.count;
    times.undisturbed = all.durations_s.size();
    if (!all.durations_s.empty()) {
      times.median_s = median(all.durations_s);
      times.p95_s = quantile(all.durations_s, kRangeTail);
    }
    if (!all.intervals_s.empty() && !all.overlaps) times.interval_s = median(all.intervals_s);
  }
  return result;
}

namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kDigitsAndSign = "0123456789#";
constexpr std::string_view kSign = "#";  // stands for any number

/// A path in pieces, words and numbers by turns, words first.
std::vector<std::string_view> pieces_of(std::string_view path) {
  std::vector<std::string_view> pieces;
  while (!path.empty()) {
    const bool is_number = pieces.size() % 2 == 1;
    const bool is_sign = is_number && path.starts_with(kSign);
    const std::size_t end = is_sign     ? kSign.size()
                            : is_number ? path.find_first_not_of(kDigits)
                                        : path.find_first_of(kDigitsAndSign);
    pieces.push_back(path.substr(0, end));
    path.remove_prefix(pieces.back().size());
  }
  return pieces;
}

/// What paths have in common that differ in their numbers only.
std::string form_of(const std::vector<std::string_view>& pieces) {
  std::string form;
  for (std::size_t i = 0; i < pieces.size(); ++i) form += i % 2 == 1 ? std::string_view("\0", 1) : pieces[i];
  return form;
}

/// Paths that differ in their numbers only.
struct Form {
  std::vector<std::set<std::string_view>> values;  // by piece
  std::size_t numbered = 0;                        // paths without a sign

  bool varies(std::size_t piece) const {
    const auto& here = values[piece];
    return here.size() >= kManyNumbers || (numbered >= kManyNumbers - 1 && here.contains(kSign));
  }
};

}  // namespace

std::map<std::string, std::string> collapsed_paths(const std::set<std::string>& paths) {
  std::map<std::string, Form> forms;
  for (const std::string& path : paths) {
    const auto pieces = pieces_of(path);
    Form& form = forms[form_of(pieces)];
    form.values.resize(pieces.size());
    for (std::size_t i = 0; i < pieces.size(); ++i) form.values[i].insert(pieces[i]);
    if (path.find(kSign) == std::string::npos) ++form.numbered;
  }
  std::map<std::string, std::string> result;
  for (const std::string& path : paths) {
    const auto pieces = pieces_of(path);
    const Form& form = forms[form_of(pieces)];
    std::string& collapsed = result[path];
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      collapsed += form.varies(i) ? kSign : pieces[i];
    }
  }
  return result;
}

}  // namespace rooflinectl
