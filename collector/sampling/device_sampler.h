// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "collector/cupti/pm_sampler.h"
#include "collector/cupti/profiler.h"
#include "collector/sampling/board_power.h"

namespace rooflinectl {

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
