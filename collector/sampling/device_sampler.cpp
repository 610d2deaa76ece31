// SPDX-License-Identifier: Apache-2.0
#include "collector/sampling/device_sampler.h"

#include <algorithm>
#include <utility>

#include "collector/device/device.h"
#include "core/counters/metrics.h"
#include "core/program/timeline.h"

namespace rooflinectl {

namespace {

// From NVML's header.
constexpr int kTotalPowerSamples = 0;
constexpr double kMilliwatt = 1e-3;
constexpr std::uint64_t kNsPerUs = 1000;

union Value {
  double as_double;
  unsigned as_unsigned;  // of power, in milliwatts
  unsigned long long as_unsigned_long_long;
};

struct Reading {
  unsigned long long time_us;
  Value value;
};

using GetSamples = int(nvml::Device, int kind, unsigned long long after_us, int* value_type, unsigned* count,
                       Reading* readings);

/// `count` is how many there is room for, then how many there are.
bool get_samples(const nvml::Library& library, nvml::Device device, unsigned long long after_us,
                 unsigned& count, Reading* readings) {
  int type = 0;
  return library.call<GetSamples>("nvmlDeviceGetSamples", device, kTotalPowerSamples, after_us, &type, &count,
                                  readings) == nvml::kSuccess;
}

}  // namespace

void BoardPower::begin() {
  last_us_ = real_time_ns() / kNsPerUs;
}

bool BoardPower::has_sensor() const {
  return count_of(0) > 0;
}

/// Readings after that time, or a few more; 0 where there are none.
unsigned BoardPower::count_of(unsigned long long after_us) const {
  unsigned count = 0;
  return device_ != nullptr && get_samples(library_, device_, after_us, count, nullptr) ? count : 0;
}

std::vector<record::PowerReading> BoardPower::take() {
  // The clock may have been set back.
  last_us_ = std::min<unsigned long long>(last_us_, real_time_ns() / kNsPerUs);
  unsigned count = count_of(last_us_);
  if (count == 0) return {};
  std::vector<Reading> readings(count);
  if (!get_samples(library_, device_, last_us_, count, readings.data())) return {};
  std::vector<record::PowerReading> taken;
  for (unsigned i = 0; i < count; ++i) {
    if (readings[i].time_us <= last_us_) continue;
    last_us_ = readings[i].time_us;
    taken.push_back(
        {.at_ns = readings[i].time_us * kNsPerUs, .watts = readings[i].value.as_unsigned * kMilliwatt});
  }
  return taken;
}

}  // namespace rooflinectl

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
