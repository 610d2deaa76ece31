// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "cli/terminal.h"
#include "runner/measuring/measure.h"
#include "runner/profiling/profile.h"

namespace rooflinectl {

/// Shows on standard output what is measured and where the results go, and on standard error how far it has
/// come and how much longer it will take: on a terminal in one line that is rewritten, elsewhere in one line
/// per result. With `Verbosity::quiet` only failures and warnings are shown.
class Progress : public MeasureObserver {
 public:
  /// Shows what runs on `display`, on standard error. `device` begins every line where several devices share
  /// it, such as `GPU 1`.
  Progress(ProgressDisplay& display, Verbosity verbosity, const std::string& device = {});

  void on(const MeasureEvent& event) override {
    std::visit([this](const auto& one) { show(one); }, event);
  }

 private:
  using Clock = std::chrono::steady_clock;

  void show(const MeasureStart& start);
  void show(const message::Progress& step);
  void show(const SelfTest& self_test);
  void show(const Ceiling& ceiling);
  void show(const PrimitiveResult& result);
  void show(const Measurement& measurement);
  void show(const ReusedCeilings& reused);
  void show(const CollectorLine& line);
  void show(const MeasureWarning& warning) { show_line(warning.text); }
  void show(const MeasureEnd& /*end*/) { display_.clear(); }
  void show_line(const std::string& text);
  std::string time_left() const;
  /// Whether results get a line of their own that stays.
  bool shows_results() const;

  ProgressDisplay& display_;
  Verbosity verbosity_;
  std::string prefix_;
  std::size_t n_points_ = 0;
  std::size_t points_to_count_ = 0;
  std::size_t points_measured_ = 0;
  bool counting_ = false;
  double total_work_ = 0;  // in units of one timed point
  double done_work_ = 0;
  Clock::time_point started_ = Clock::now();
};

/// Measures, and shows how it proceeds.
MeasureResult measure_with_progress(const MeasureRequest& request, Verbosity verbosity);

/// After Ctrl-C or SIGTERM: no reports, the user wants out. Prints what is kept and `to_finish`, how to get
/// the rest (empty: by resuming the run), and returns the exit code.
int end_interrupted(const MeasureResult& result, const std::string& to_finish = {});

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
