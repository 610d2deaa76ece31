// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collector/cupti/pm_sampler.h"
#include "collector/cupti/profiler.h"
#include "collector/device/nvml_library.h"
#include "core/program/profile_record.h"

namespace rooflinectl {

/// What a GPU's board draws: the driver reads its sensor about fifty times a second and keeps the readings
/// for some seconds, which NVML hands out.
class BoardPower {
 public:
  explicit BoardPower(const std::string& uuid) : device_(library_.find(uuid)) {}

  /// Readings since `begin()` or the last call, the oldest first, with times of the system's real-time clock.
  std::vector<record::PowerReading> take();
  void begin();
  bool has_sensor() const;

 private:
  unsigned count_of(unsigned long long after_us) const;

  nvml::Library library_;
  nvml::Device device_;
  unsigned long long last_us_ = 0;
};

/// A GPU, sampled with CUPTI's PM sampling; its power comes from NVML.
class DeviceSampler : public Sampler {
 public:
  /// `device` as CUDA numbers them, `uuid` as NVML knows it. CUPTI must have been given the system's
  /// monotonic clock in this process. Throws as `cupti::PmSampler` does.
  DeviceSampler(int device, const std::string& uuid, std::uint64_t interval_ns);

  record::SamplingBegun description() override;
  void start() override;
  void stop() override { sampler_.stop(); }
  std::vector<record::Sample> take() override;
  std::vector<record::PowerReading> take_power() override;

 private:
  const int device_;
  const std::uint64_t interval_ns_;
  cupti::PmSampler sampler_;
  BoardPower power_;
};

}  // namespace rooflinectl
