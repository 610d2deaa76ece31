// SPDX-License-Identifier: Apache-2.0
#include "runner/profiling/times/pass_times.h"

#include <algorithm>

namespace rooflinectl {

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
