// SPDX-License-Identifier: Apache-2.0
#include "collector/sampling/board_power.h"

#include <algorithm>

#include "collector/device/clocks.h"

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
