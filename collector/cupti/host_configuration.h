// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/counters/counters.h"
#include "core/counters/metrics.h"
#include "core/machine/catalogue.h"

struct CUpti_Profiler_Host_Object;
namespace rooflinectl::cupti {

/// The chips that this CUPTI knows. Needs no GPU and no driver.
std::vector<std::string> supported_chips();

/// What gathers the counters: CUPTI schedules them differently.
enum class Gathering { ranges, samples };

/// Which hardware metrics stand for our counters on one chip, and how to schedule and evaluate them. Metrics
/// with the same key are parts of a sum. Needs no GPU and no driver.
class HostConfiguration {
 public:
  /// `availability` is the counter availability image of the device, or empty if there is none.
  HostConfiguration(const std::string& chip, const std::vector<Metric>& metrics,
                    const std::vector<std::uint8_t>& availability, Gathering gathering = Gathering::ranges);

  int passes() const { return passes_; }
  const std::map<std::string, std::string>& metrics() const { return metric_of_key_; }
  const std::vector<std::uint8_t>& config_image() const { return config_image_; }
  /// Parallel to what `values` returns.
  const std::vector<const char*>& metric_names() const { return names_; }

  /// The counters of range `index` of a decoded counter data image.
  Counters evaluate(const std::vector<std::uint8_t>& counter_data, std::size_t index) const;
  /// The same as plain numbers, the hardware's values times their scales; NaN where a value is not defined.
  std::vector<double> values(const std::vector<std::uint8_t>& counter_data, std::size_t index) const;

 private:
  struct HostDeleter {
    void operator()(CUpti_Profiler_Host_Object* host) const;
  };
  struct Resolved {
    std::string_view key;
    double scale;
  };

  void resolve(const std::vector<Metric>& metrics);
  void configure();

  std::unique_ptr<CUpti_Profiler_Host_Object, HostDeleter> host_;
  std::vector<Resolved> resolved_;  // parallel to names_
  std::vector<const char*> names_;  // literals of the catalogue
  std::map<std::string, std::string> metric_of_key_;
  Counters missing_;
  std::vector<std::uint8_t> config_image_;
  int passes_ = 0;
};

/// For as many of the first `metrics` as the chip counts in one pass: for launches that are not repeated.
/// Throws Error if it counts none of them that way.
HostConfiguration one_pass_configuration(const std::string& chip, std::vector<Metric> metrics,
                                         const std::vector<std::uint8_t>& availability);

/// The chips that this CUPTI can count on.
std::vector<std::string> countable_chips();

/// The basic counter set on one of them.
ChipCounters describe_chip(const std::string& chip);

}  // namespace rooflinectl::cupti
