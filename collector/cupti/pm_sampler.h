// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "collector/cupti/host_configuration.h"
#include "core/counters/metrics.h"

struct CUpti_PmSampling_Object;

namespace rooflinectl::cupti {

/// Gives CUPTI the system's monotonic clock, as the trace of a profiled program does. Otherwise samples have
/// times of the real-time clock, which may be set.
void use_monotonic_clock();

/// What the device counted between two times of CUPTI's clock.
struct PmSample {
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
  std::vector<double> values;  ///< parallel to `PmSampler::keys`
};

/// CUPTI's PM sampling of a device: counters of the whole device, whoever uses it, at a fixed interval and
/// independent of any program. While it lives, nothing else can count on the device. All functions throw
/// Error(environment) naming the call that failed; CountersInUse where another process counts.
class PmSampler {
 public:
  /// Samples as many of `metrics` as the device offers and one pass counts, the first ones first. There is
  /// room for `room` samples; a quarter of these may wait to be taken while the device is sampled.
  PmSampler(int device_index, const std::vector<Metric>& metrics, std::uint64_t interval_ns,
            std::size_t room);

  const std::vector<std::string_view>& keys() const { return keys_; }
  /// Our key → the hardware metric that it comes from on this chip.
  const std::map<std::string, std::string>& metrics() const { return configuration_->metrics(); }
  /// Our key → why it is not sampled.
  const std::map<std::string, std::string>& left_out() const { return left_out_; }

  void start();
  void stop();
  /// The samples that were not taken yet, the oldest first. To be called while the device is sampled, and
  /// once after `stop`. If more were waiting than there is room for, they are lost, and sampling begins anew.
  std::vector<PmSample> take();

 private:
  struct Disable {
    void operator()(CUpti_PmSampling_Object* sampling) const;
  };

  void choose(int device_index, const std::vector<Metric>& metrics);
  void enable();
  void initialize_counter_data();

  const std::size_t device_index_;
  const std::uint64_t interval_ns_;
  const std::size_t room_;
  std::unique_ptr<HostConfiguration> configuration_;
  std::vector<std::string_view> keys_;
  std::map<std::string, std::string> left_out_;
  std::unique_ptr<CUpti_PmSampling_Object, Disable> sampling_;
  std::vector<std::uint8_t> counter_data_;
  std::size_t taken_ = 0;  // of the samples in the counter data
  bool is_started_ = false;
};

}  // namespace rooflinectl::cupti
