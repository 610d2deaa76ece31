// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/model/run.h"
#include "core/program/profile_record.h"
#include "core/program/timeline.h"

namespace rooflinectl {

/// What a device did over some time, in all its samples: bytes per second, shares, hertz, by the keys of
/// `sampled`; and watts.
struct SampledRates {
  std::map<std::string, double> values;
  std::optional<double> watts;  ///< nothing where nothing measures it

  std::optional<double> value(std::string_view key) const;
};

/// A device that is watched, as far as its samples have come.
class WatchedDevice {
 public:
  explicit WatchedDevice(DeviceInfo device) : device_(std::move(device)) {}

  const DeviceInfo& device() const { return device_; }
  bool is_sampled() const { return !keys_.empty(); }

  void begin(const record::SamplingBegun& begun) { keys_ = begun.keys; }
  void add(const record::Samples& taken);
  void add(const record::Power& taken);

  /// What it did since the last call; nothing where no sample came.
  std::optional<SampledRates> take_rates();

 private:
  DeviceInfo device_;
  std::vector<std::string> keys_;
  std::vector<record::Sample> samples_;  // since the last call
  std::vector<record::PowerReading> power_;
};

struct WatchRequest {
  std::vector<std::string> devices;  ///< index or UUID of each; empty for all
  std::uint64_t interval_ns = 0;     ///< from `kShortestReadInterval` on
  std::optional<std::chrono::duration<double>> time_limit;
  std::string output = "runs";  ///< the folder in which the run's is made
  std::vector<std::string> command_line;
};

/// Of each device of a run; nothing where no sample came.
using DeviceRates = std::vector<std::optional<SampledRates>>;

/// Receives what is seen.
struct WatchObserver {
  /// Sampling is about to begin. `run` has the devices, and those of their ceilings that are known.
  std::function<void(const Run& run)> began;
  /// Once a second.
  std::function<void(double elapsed_s, const DeviceRates& rates)> seen;
  std::function<void(const std::string& text)> warned;
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
WatchResult watch(const WatchRequest& request, const WatchObserver& observer);

}  // namespace rooflinectl
