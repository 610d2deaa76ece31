// SPDX-License-Identifier: Apache-2.0
#include "runner/watching/watched_device.h"

#include <utility>

namespace rooflinectl {

void WatchedDevice::add(const record::Samples& taken) {
  for (const record::Sample& sample : taken.samples) {
    if (sample.values.size() == keys_.size()) samples_.push_back(sample);
  }
}

void WatchedDevice::add(const record::Power& taken) {
  power_.insert(power_.end(), taken.readings.begin(), taken.readings.end());
}

std::optional<SampledRates> WatchedDevice::take_rates() {
  constexpr double kNs = 1e-9;
  const std::vector<record::Sample> samples = std::exchange(samples_, {});
  const std::vector<record::PowerReading> power = std::exchange(power_, {});
  double time_s = 0;
  for (const record::Sample& sample : samples) time_s += static_cast<double>(sample.duration_ns) * kNs;
  if (time_s <= 0) return std::nullopt;

  SampledRates rates;
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    const bool is_amount = keys_[i].ends_with("_bytes");
    double sum = 0;
    for (const record::Sample& sample : samples) {
      sum += sample.values[i] * (is_amount ? 1 : static_cast<double>(sample.duration_ns) * kNs);
    }
    rates.values[keys_[i]] = sum / time_s;
  }
  if (!power.empty()) {
    double watts = 0;
    for (const record::PowerReading& reading : power) watts += reading.watts;
    rates.watts = watts / static_cast<double>(power.size());
  }
  return rates;
}

}  // namespace rooflinectl
