// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/machine/ranks.h"
#include "core/model/run.h"
#include "core/serial/protocol.h"
#include "runner/runs/run_folder.h"

namespace rooflinectl {

/// A run as far as it has come, and its `run.json`.
class Recorder {
 public:
  using Clock = std::chrono::steady_clock;

  Recorder(Plan plan, std::vector<std::string> command_line,
           std::vector<CompiledKernel> compiled_kernels = {});
  /// Continues an earlier run.
  explicit Recorder(const UnfinishedRun& unfinished);

  /// Makes the run's folder in `parent` and writes the first `run.json`. The points are those of `rank`, if
  /// several measure the plan. Throws Error(environment).
  void open(const std::filesystem::path& parent, const message::Hello& hello,
            const std::optional<LauncherRank>& rank);
  /// Continues in the folder of the earlier run. Throws Error(environment) if another program writes to it.
  void reopen(const std::filesystem::path& folder, const message::Hello& hello);
  bool is_open() const { return !folder_.empty(); }
  const std::filesystem::path& folder() const { return folder_; }
  const Run& run() const { return run_; }

  void set_counter_session(const CounterSession& session);
  void add(const SelfTest& self_test);
  /// Replaces a ceiling of the same id, source and device. A measured one without a time was measured now.
  void add(Ceiling ceiling);
  /// Replaces a result of the same primitive; they stay in the order of the plan.
  void add(const PrimitiveResult& result);
  void add(std::size_t point, Measurement measurement);
  /// The point must have a measurement.
  void add_counters(std::size_t point, const RepeatedCounters& counted);
  /// Makes every counter of a point unavailable. The point must have a measurement.
  void add_missing_counters(std::size_t point, const std::string& reason);
  bool has_measurement(std::size_t point) const { return measurements_.contains(point); }
  /// Counters, or the reason why there are none. The point must have a measurement.
  bool has_counters(std::size_t point) const { return !measurements_.at(point).counters.empty(); }

  /// When the results that are not on disk yet are to be written: about once a second, and seldom enough that
  /// writing takes little of the time.
  std::optional<Clock::time_point> save_due() const;
  /// Writes `run.json`. Throws Error(environment); another attempt is then due in a second.
  void save();

 private:
  Run run_;
  std::optional<int> rank_;
  std::filesystem::path folder_;
  FolderLock lock_;
  std::map<std::size_t, Measurement> measurements_;  // by point: in the order of the plan
  std::chrono::system_clock::time_point started_utc_ = std::chrono::system_clock::now();
  Clock::time_point started_ = Clock::now();
  double earlier_wall_s_ = 0;
  Clock::time_point next_save_ = started_;
  bool has_news_ = false;
};

/// What the collectors write to standard error, kept in a file that is made when there is something to keep.
class CollectorLog {
 public:
  /// Sets the path of the file; lines that came before are held back until then.
  void set_file(std::filesystem::path file);
  void add(const std::string& line);
  const std::string& last_line() const { return last_line_; }

 private:
  void write();

  std::filesystem::path path_;
  std::ofstream file_;
  std::string pending_;
  std::string last_line_;
  std::size_t bytes_ = 0;
};

}  // namespace rooflinectl
