// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/model/run.h"
#include "runner/measuring/measure.h"
#include "runner/processes/processes.h"
#include "runner/runs/run_folder.h"

namespace rooflinectl {

/// A device to measure on, and who receives the progress there.
struct ObservedDevice {
  DeviceInfo device;
  MeasureObserver& observer;
};

/// What became of measuring a plan on a device.
struct DeviceAttempt {
  std::optional<MeasureResult> result;
  std::optional<Error> error;    ///< why there is none
  std::filesystem::path folder;  ///< that `result` is in, or what there is instead; empty if there is nothing
};

/// Measures `request` for the run in `folder`, which `observer` is told in place of `request.output`. Only
/// one thread at a time calls the observer. Throws nothing that goes wrong there.
DeviceAttempt attempt_on_device(const MeasureRequest& request, MeasureObserver& observer,
                                const std::filesystem::path& folder, std::mutex& one_at_a_time);

/// One run over several devices: each is measured by `measure`, in a folder of its own within that of the
/// run, which is removed once its results are in `run.json`. A device on which nothing can be measured is a
/// loss, and not in the run, unless the user stopped it: then it is there to be resumed.
class DeviceRuns {
 public:
  /// Makes the folder of the run, or continues `request.unfinished` in its own. `request.device` is not used.
  /// Throws Error for a folder that cannot be made, or that another program writes to.
  explicit DeviceRuns(MeasureRequest request);

  /// Measures the plan on one device after the other.
  void measure(const std::vector<ObservedDevice>& devices);
  /// Measures the ceilings on one device after the other, since they are what each delivers alone, then
  /// everything else on all of them at once. No two observers are called at the same time.
  void measure_together(const std::vector<ObservedDevice>& devices);

  /// What there is so far.
  Run& run() { return run_; }
  const std::filesystem::path& folder() const { return folder_; }
  /// Reports that `what` was lost because of `error`.
  void lose(const std::string& what, const Error& error, MeasureObserver& observer);
  bool is_stopped() const { return stop_signal_.has_value(); }
  /// Whether the user asked to stop.
  bool take_stop_signal();
  int stop_fd() const { return stop_signals_.fd(); }
  /// Writes what there is; returns whether it could. A disk that is full now may have room later.
  bool save(MeasureObserver& observer);

  /// Writes the run and returns it. Throws the first device's error if nothing could be measured on any:
  /// then nothing is left behind. Throws Error(environment) as `measure` if the disk is full.
  MeasureResult finish();

 private:
  /// Takes over what was measured on a device for `request`, and saves it; then its folder is removed.
  void add(const ObservedDevice& observed, const MeasureRequest& request, const DeviceAttempt& attempt);
  void measure_at_once(const std::vector<const ObservedDevice*>& devices, const MeasureRequest& request);
  void keep_for_resuming(const std::vector<ObservedDevice>& devices);
  DeviceAttempt attempt(const ObservedDevice& observed, MeasureRequest request);
  std::size_t place_of(const DeviceInfo& device);
  bool is_anything_measured(std::size_t place) const;
  void remove_device(std::size_t place);
  void keep_log(const ObservedDevice& observed, const std::filesystem::path& folder) const;
  MeasureResult nothing();
  void write();

  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  StopSignals stop_signals_;  // between the devices too: the next one sees them
  MeasureRequest request_;
  Run run_;
  double earlier_wall_s_ = 0;  // of the sessions before this one
  std::filesystem::path folder_;
  FolderLock lock_;
  std::mutex one_at_a_time_;  // observers
  std::vector<std::string> losses_;
  std::optional<int> stop_signal_;
  std::optional<Error> first_error_;
};

/// Measures `request.plan` on each of `devices`, one after the other or `together`, into one run. Throws as
/// `DeviceRuns`.
MeasureResult measure_on_devices(const MeasureRequest& request, const std::vector<ObservedDevice>& devices,
                                 bool together);

/// Adds what was measured on other devices alone to `run`, where the first of them is at `place`.
void add_device_run(Run& run, std::size_t place, const Run& measured);
/// What was counted counts, whichever device it was on.
void take_counter_session(Run& run, const CounterSession& session);

}  // namespace rooflinectl
