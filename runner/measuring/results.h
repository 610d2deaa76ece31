// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/model/run.h"
#include "core/serial/protocol.h"
#include "core/stats/repeated_counters.h"
#include "runner/measuring/measure.h"
#include "runner/measuring/worklist.h"
#include "runner/runs/run_folder.h"

namespace rooflinectl {

/// The head of a run that begins at `time`: nothing is measured yet.
Run new_run(Plan plan, std::vector<std::string> command_line,
            std::vector<CompiledKernel> compiled_kernels = {},
            std::chrono::system_clock::time_point time = std::chrono::system_clock::now());

/// What has been measured of a plan, and what is still to be done: takes each message of the collectors,
/// keeps it on disk, and takes it off the worklist.
class Results {
 public:
  using Clock = std::chrono::steady_clock;

  /// All must outlive this. `earlier_ceilings`: what earlier runs measured, one run per device.
  Results(const MeasureRequest& request, const std::vector<Run>& earlier_ceilings,
          const MeasureObserver& observer);

  const Run& run() const { return run_; }
  /// Empty before the first collector has reported what it measures on.
  const std::filesystem::path& folder() const { return folder_; }
  bool is_open() const { return !folder_.empty(); }
  bool finished() const { return worklist_.finished(); }
  /// Ceilings and counters that were lost, with the cause.
  const std::vector<std::string>& losses() const { return losses_; }

  /// What the next collector has to be asked for.
  CollectRequest request() const;

  /// What is wrong with a message that is well formed; null if nothing is.
  const char* violation_of(const Message& message) const;

  // Messages. The first hello opens the run's folder.
  void add(const message::Hello& hello);
  void add(const message::Progress& step);
  void add(const message::SelfTested& tested);
  void add(const message::CeilingMeasured& measured);
  void add(const message::CeilingsKnown& known);
  void add(const message::PrimitiveMeasured& measured);
  void add(const message::PointTimed& timed);
  void add(const message::PointCounted& counted);
  void add(const message::Bye& bye);

  /// From here on, points are measured without the other ranks, which do not wait for another collector.
  void leave_ranks(const std::string& cause);
  /// Marks what a collector worked on when it died, so that the next one leaves it out.
  void give_up(const message::Progress& step, const std::string& cause);

  /// Gives every point of the plan a result, even if it is only the reason why the point was not measured.
  void mark_what_is_left(const std::string& cause);

  /// The timing target of the point that a step works on; the default if it works on none.
  TimingTarget timing_of(const message::Progress& step) const;

  /// When the results that are not on disk yet are to be written: about once a second, and seldom enough that
  /// writing takes little of the time.
  std::optional<Clock::time_point> save_due() const;
  /// Writes `run.json`. A disk that is full now may have room later: it warns, and measuring continues.
  void save();
  /// Writes `run.json`. Throws Error(environment) that names the file that took its place.
  void save_finally();

 private:
  void open(const message::Hello& hello);
  void set_counter_session(const CounterSession& session);
  void keep(Ceiling ceiling);
  bool is_wanted(const Ceiling& ceiling) const;
  void add_counters(std::size_t point, const RepeatedCounters& counted);
  void add_missing_counters(std::size_t point, const std::string& reason);
  void add_failure(std::size_t point, const std::string& cause);
  void add_failed_primitive(const std::string& id, const std::string& cause);
  void add_loss(const std::string& loss);
  void write();

  const MeasureRequest& request_;
  const std::vector<Run>& earlier_ceilings_;
  const MeasureObserver& observer_;
  Worklist worklist_;
  const std::chrono::system_clock::time_point started_utc_ = std::chrono::system_clock::now();
  const Clock::time_point started_ = Clock::now();
  Run run_;
  double earlier_wall_s_;
  std::optional<int> rank_;
  std::filesystem::path folder_;
  FolderLock lock_;
  std::map<std::size_t, Measurement> measurements_;  // by point: in the order of the plan
  std::vector<std::string> losses_;
  std::string ranks_obstacle_;  // to measuring with the other ranks
  bool counts_ = false;         // the present collector has counters
  Clock::time_point next_save_ = started_;
  bool has_news_ = false;  // that is not on disk
  bool save_failed_ = false;
};

}  // namespace rooflinectl
