// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/model/run.h"
#include "core/program/profile_record.h"

namespace rooflinectl {

/// What a device did over some time, in all its samples: bytes per second, shares, hertz, by the keys of
/// `sampled`; and watts.
struct SampledRates {
  std::map<std::string, double> values;
  std::optional<double> watts;  ///< nothing where nothing measures it
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

}  // namespace rooflinectl
