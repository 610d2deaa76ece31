// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/machine/launcher.h"
#include "runner/measuring/device_runs.h"
#include "runner/processes/stop_signals.h"
#include "runner/ranks/meeting.h"

namespace rooflinectl {

/// One run that several processes measure, a GPU each: the ranks of a launcher.
///   1. they meet, and make sure that they fit together
///   2. each measures its ceilings, one after the other on a host, since they are what a GPU delivers alone
///   3. each measures the points of one GPU, all at once
///   4. they measure the points over several GPUs together, each with its GPU
///   5. rank 0 takes over what each has measured, whatever became of it, as soon as all have ended
/// Each measures into a folder of its own within that of the run. This object lives until the program ends:
/// launchers stop all ranks once one of them ends with an error, so the others wait for rank 0.
class RankedRun {
 public:
  /// `rank.ranks` is known. `request.device` is not used. Throws as `Meeting`.
  RankedRun(MeasureRequest request, const LauncherRank& rank);

  /// `find_device` finds the GPU of this rank; if it throws Error, the others measure without it.
  ///
  /// Returns the run on rank 0; on the others no more than whether they were stopped. Throws Error(usage) if
  /// the ranks do not fit together, and as `Meeting` and `DeviceRuns`; on another rank the error for which it
  /// could not measure, once rank 0 has ended, or that of a rank 0 that died.
  MeasureResult measure(const std::function<DeviceInfo()>& find_device, MeasureObserver& observer);

 private:
  struct Step;

  MeasureResult lead(const std::function<DeviceInfo()>& find_device, MeasureObserver& observer);
  MeasureResult follow(const std::function<DeviceInfo()>& find_device, MeasureObserver& observer);
  RankHello hello(const std::function<DeviceInfo()>& find_device);
  void measure_steps(MeasureObserver& observer);
  bool is_our_turn() const;
  bool have_all_come_through(const std::string& step) const;
  std::optional<std::string> why_not_together() const;
  std::optional<std::string> who_has_left(const std::string& step) const;
  void attempt(const Step& step, MeasureObserver& observer);
  void collect(DeviceRuns& runs, MeasureObserver& observer);
  void collect_from(int rank, DeviceRuns& runs, MeasureObserver& observer) const;
  void collect_together(int rank, const Step& step, DeviceRuns& runs, MeasureObserver& observer) const;
  DeviceAttempt attempt_of(int rank, const Step& step) const;
  std::vector<Step> steps() const;
  bool has_several_hosts() const;
  std::filesystem::path folder_of(int rank) const;
  RankOnHost name(int rank) const;
  bool is_stopped();

  StopSignals stop_signals_;
  std::optional<int> stop_signal_;
  MeasureRequest request_;
  LauncherRank rank_;
  Meeting meeting_;
  std::optional<DeviceInfo> device_;
  std::optional<Error> error_;  // for which this rank measures no further
  std::mutex one_at_a_time_;
};

}  // namespace rooflinectl
