// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

#include "cli/terminal.h"
#include "core/protocol.h"

namespace rooflinectl {

/// What the work of a phase is called: `timing`.
std::string_view activity(message::Phase phase);

/// Tells how far a run is and how long it will still take: on a terminal in one line that is rewritten,
/// elsewhere in one line per result.
class Progress {
 public:
  /// `points_to_count`: how many of the plan's points will be counted, unless `set_passes(0)` says that none
  /// is. With `Verbosity::quiet` only failures and warnings are shown.
  Progress(const Plan& plan, std::size_t points_to_count, std::FILE* stream, Verbosity verbosity);

  void set_passes(int passes);
  /// Points that an earlier attempt has measured.
  void set_measured(std::size_t points);
  void begin(const message::Progress& step);
  void measured(const Ceiling& ceiling);
  void measured(const PrimitiveResult& result);
  void measured(const Measurement& measurement);
  void warn(std::string_view text) { display_.line(text); }
  void finish() { display_.clear(); }

 private:
  using Clock = std::chrono::steady_clock;

  std::string time_left() const;
  /// Whether results get a line of their own that stays.
  bool shows_results() const;

  ProgressDisplay display_;
  Verbosity verbosity_;
  std::size_t n_points_;
  std::size_t points_to_count_;
  std::size_t points_measured_ = 0;
  bool counting_ = false;
  double total_work_ = 0;  // in units of one timed point
  double done_work_ = 0;
  Clock::time_point started_ = Clock::now();
};

}  // namespace rooflinectl
