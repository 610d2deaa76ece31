// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

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

}  // namespace rooflinectl
