// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/program/application.h"
#include "core/program/profile_record.h"
#include "runner/profiling/times/busy_time.h"

namespace rooflinectl {

/// What the counters of one process were set to over time.
class PassTimes {
 public:
  void begin(const record::PassBegun& begun);
  /// A launch that was held to be counted.
  void add_counted(const record::Launch& launch);
  /// To be called once, when the process has ended. `last_ns`: the last time at which it is known to have
  /// run.
  void end(std::uint64_t last_ns);

  const std::vector<BusyInterval>& untraced() const { return untraced_; }  ///< while the trace was off
  const std::vector<BusyInterval>& counting() const { return counting_; }  ///< while it was in a pass
  /// The launches that were held to be counted, with the pass in which each began.
  std::vector<std::pair<std::string, record::Launch>> counted() const;
  /// Since `zero_ns`, time 0 of the run.
  std::vector<PassUse> passes(int process, std::uint64_t zero_ns) const;

 private:
  struct Span {
    std::string pass;
    bool is_traced = false;
    std::uint64_t start_ns = 0;
    std::uint64_t end_ns = 0;
    std::uint64_t counted_until_ns = 0;
  };

  void end_span(std::uint64_t now_ns);
  /// The place in `spans_`; nothing before the first.
  std::optional<std::size_t> span_at(std::uint64_t ns) const;

  std::vector<Span> spans_;
  std::vector<record::Launch> counted_;
  std::optional<std::uint64_t> untraced_since_;
  std::optional<std::uint64_t> counting_since_;
  std::vector<BusyInterval> untraced_;
  std::vector<BusyInterval> counting_;
};

}  // namespace rooflinectl
