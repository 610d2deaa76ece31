// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

#include "cli/progress/progress.h"
#include "cli/terminal.h"
#include "runner/profiling/profile.h"

namespace rooflinectl {

/// Shows on standard error how far a profiled program is: a line when another pass begins, and now and then,
/// less and less often. Nothing is rewritten in place, since the program may write to the same terminal.
class ProfileProgressLines : public ProfileObserver {
 public:
  explicit ProfileProgressLines(Verbosity verbosity);

  void progressed(const ProfileProgress& progress) override;
  void runs_again(std::size_t points, double share) override;
  void measures_ceilings(const DeviceInfo& device) override;
  MeasureObserver& ceilings() override { return ceilings_; }
  void warned(const std::string& text) override;

 private:
  /// What measuring ceilings shows: what it works on, in place, and what goes wrong.
  class Ceilings : public MeasureObserver {
   public:
    explicit Ceilings(bool is_quiet) : display_(stderr), is_quiet_(is_quiet) {}
    void on(const MeasureEvent& event) override;

   private:
    ProgressDisplay display_;
    bool is_quiet_;
  };

  using Clock = std::chrono::steady_clock;

  bool is_quiet_;
  Ceilings ceilings_;
  std::string pass_;
  Clock::time_point last_line_ = Clock::now();
  Clock::duration until_next_line_;
};

}  // namespace rooflinectl
