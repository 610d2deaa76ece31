// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/program/profile_record.h"

namespace rooflinectl {

/// A device that can be sampled. Times are of the system's monotonic clock.
class Sampler {
 public:
  virtual ~Sampler() = default;

  /// What is sampled.
  virtual record::SamplingBegun description() = 0;
  virtual void start() = 0;
  virtual void stop() = 0;
  /// The samples that were not taken yet, the oldest first. Called while the device is sampled, and once
  /// after that.
  virtual std::vector<record::Sample> take() = 0;
  /// What the board drew since the start, or since the last call; empty where nothing measures it.
  virtual std::vector<record::PowerReading> take_power() = 0;
};

/// What the module with CUPTI exports, as `rooflinectl_open_sampler`.
using OpenSampler = Sampler*(int device, const std::string& uuid, std::uint64_t interval_ns);

/// A sampler of a device, as CUDA numbers them, in a process that uses CUPTI for nothing else. Throws
/// Error(environment) with cause and hint: CUPTI missing, no permission, the counters in use, an unsupported
/// device.
std::unique_ptr<Sampler> open_sampler(int device, const std::string& uuid, std::uint64_t interval_ns);

}  // namespace rooflinectl
