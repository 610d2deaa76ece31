// SPDX-License-Identifier: Apache-2.0
#include "collector/sampling/device_sampler.h"

#include <utility>

#include "collector/device/clocks.h"
#include "core/counters/sampled_metrics.h"
#include "core/program/timeline.h"

namespace rooflinectl {

DeviceSampler::DeviceSampler(int device, const std::string& uuid, std::uint64_t interval_ns)
    : device_(device),
      interval_ns_(interval_ns),
      sampler_(device, sampled_metrics(), interval_ns, room_for_samples(interval_ns)),
      power_(uuid) {}

record::SamplingBegun DeviceSampler::description() {
  record::SamplingBegun begun = {.device = device_,
                                 .interval_ns = interval_ns_,
                                 .at_ns = 0,
                                 .keys = {},
                                 .metrics = sampler_.metrics(),
                                 .left_out = sampler_.left_out()};
  for (const std::string_view key : sampler_.keys()) begun.keys.emplace_back(key);
  if (!power_.has_sensor()) begun.left_out.emplace("power", "NVML has no readings of this device's power");
  return begun;
}

void DeviceSampler::start() {
  sampler_.start();
  power_.begin();
}

std::vector<record::Sample> DeviceSampler::take() {
  std::vector<record::Sample> samples;
  for (cupti::PmSample& sample : sampler_.take()) {
    if (sample.end_ns <= sample.start_ns) continue;
    samples.push_back({.start_ns = sample.start_ns,
                       .duration_ns = sample.end_ns - sample.start_ns,
                       .values = std::move(sample.values)});
  }
  return samples;
}

std::vector<record::PowerReading> DeviceSampler::take_power() {
  std::vector<record::PowerReading> readings = power_.take();
  const std::uint64_t ahead_ns = real_time_ns() - monotonic_ns();
  for (record::PowerReading& reading : readings) reading.at_ns -= ahead_ns;
  return readings;
}

}  // namespace rooflinectl

/// Exported by the module. The caller owns the sampler; throws Error(environment).
extern "C" [[gnu::visibility("default")]] rooflinectl::Sampler* rooflinectl_open_sampler(
    int device, const std::string& uuid, std::uint64_t interval_ns) {
  rooflinectl::cupti::use_monotonic_clock();
  return new rooflinectl::DeviceSampler(device, uuid, interval_ns);
}
