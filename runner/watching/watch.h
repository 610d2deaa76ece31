// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/model/run.h"
#include "core/program/timeline.h"
#include "runner/watching/watched_device.h"

namespace rooflinectl {

struct WatchRequest {
  std::vector<std::string> devices;  ///< index or UUID of each; empty for all
  std::uint64_t interval_ns = 0;     ///< from `kShortestReadInterval` on
  std::optional<std::chrono::duration<double>> time_limit;
  std::filesystem::path output;  ///< the run's folder is made in here
  std::vector<std::string> command_line;
};

/// Receives what is seen.
class WatchObserver {
 public:
  virtual ~WatchObserver() = default;

  /// Sampling is about to begin. `run` has the devices, and those of their ceilings that are known.
  virtual void began(const Run& run) = 0;
  /// Once a second. `rates` is parallel to the devices of the run; nothing where no sample came.
  virtual void seen(double elapsed_s, const std::vector<std::optional<SampledRates>>& rates) = 0;
  virtual void warned(const std::string& text) = 0;
};

struct WatchResult {
  Run run;
  std::optional<Timeline> timeline;  ///< nothing where no device was sampled
  std::filesystem::path folder;      ///< holds `run.json`; empty where there is no timeline
  /// Why it ended before its time: no device is sampled any more, or the collector ended.
  std::optional<Error> failure;
};

/// Samples devices, whoever uses them, until the time is over, or this program is asked to end (Ctrl-C,
/// SIGTERM); then writes `run.json` and the timeline. Nothing runs on the devices. Ceilings are those that
/// earlier runs have measured.
///
/// Throws CannotMeasure without a collector; Error(usage) if there is no such device; Error(environment) if
/// there is no driver or no GPU, or the run cannot be written.
WatchResult watch(const WatchRequest& request, WatchObserver& observer);

}  // namespace rooflinectl
