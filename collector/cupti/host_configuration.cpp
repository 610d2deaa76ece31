// SPDX-License-Identifier: Apache-2.0
// What can be counted on which chip, from CUPTI's host interface: no GPU, no driver.
#include "collector/cupti/host_configuration.h"

#include <cupti_profiler_host.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "collector/cupti/call.h"
#include "collector/cupti/profiler.h"
#include "core/error.h"

namespace rooflinectl::cupti {

namespace {

/// CUPTI's host calls are not safe in several threads at once. A constructor that throws destroys its host
/// object.
std::recursive_mutex& host_calls() {
  static std::recursive_mutex mutex;
  return mutex;
}

}  // namespace

std::vector<std::string> supported_chips() {
  const std::lock_guard lock(host_calls());
  ROOFLINECTL_CUPTI_PARAMS(CUpti_Profiler_Host_GetSupportedChips_Params, params);
  ROOFLINECTL_CUPTI(cuptiProfilerHostGetSupportedChips, &params);
  return {params.ppChipNames, params.ppChipNames + params.numChips};
}

HostConfiguration::HostConfiguration(const std::string& chip, const std::vector<Metric>& metrics,
                                     const std::vector<std::uint8_t>& availability, Gathering gathering) {
  const std::lock_guard lock(host_calls());
  ROOFLINECTL_CUPTI_PARAMS(CUpti_Profiler_Host_Initialize_Params, params);
  params.profilerType =
      gathering == Gathering::ranges ? CUPTI_PROFILER_TYPE_RANGE_PROFILER : CUPTI_PROFILER_TYPE_PM_SAMPLING;
  params.pChipName = chip.c_str();
  params.pCounterAvailabilityImage = availability.empty() ? nullptr : availability.data();
  ROOFLINECTL_CUPTI(cuptiProfilerHostInitialize, &params);
  host_.reset(params.pHostObject);
  resolve(metrics);
  configure();
}

void HostConfiguration::HostDeleter::operator()(CUpti_Profiler_Host_Object* host) const {
  const std::lock_guard lock(host_calls());
  ROOFLINECTL_CUPTI_PARAMS(CUpti_Profiler_Host_Deinitialize_Params, params);
  params.pHostObject = host;
  cuptiProfilerHostDeinitialize(&params);
}

void HostConfiguration::resolve(const std::vector<Metric>& metrics) {
  // A bad name makes the host object unusable once it is added, so every name is tried here first.
  const auto exists = [this](std::string_view name) {
    ROOFLINECTL_CUPTI_PARAMS(CUpti_Profiler_Host_GetMetricProperties_Params, params);
    params.pHostObject = host_.get();
    params.pMetricName = name.data();
    return cuptiProfilerHostGetMetricProperties(&params) == CUPTI_SUCCESS;
  };
  for (const Metric& metric : metrics) {
    const auto found = std::ranges::find_if(metric.names, exists);
    if (found == metric.names.end()) {
      missing_.emplace(metric.key, CounterValue::unavailable("this chip has no such counter"));
      continue;
    }
    resolved_.push_back({metric.key, metric.scale});
    names_.push_back(found->data());
    metric_of_key_.emplace(metric.key, *found);
  }
  for (const Resolved& metric : resolved_) missing_.erase(std::string(metric.key));
}

void HostConfiguration::configure() {
  if (names_.empty()) throw Error(ErrorKind::environment, "this chip has none of these counters");
  // All metrics in one call: added one by one they are not packed, and the same set takes several times the
  // passes.
  ROOFLINECTL_CUPTI_PARAMS(CUpti_Profiler_Host_ConfigAddMetrics_Params, add);
  add.pHostObject = host_.get();
  add.ppMetricNames = names_.data();
  add.numMetrics = names_.size();
  ROOFLINECTL_CUPTI(cuptiProfilerHostConfigAddMetrics, &add);

  ROOFLINECTL_CUPTI_PARAMS(CUpti_Profiler_Host_GetConfigImageSize_Params, size);
  size.pHostObject = host_.get();
  ROOFLINECTL_CUPTI(cuptiProfilerHostGetConfigImageSize, &size);
  config_image_.resize(size.configImageSize);

  ROOFLINECTL_CUPTI_PARAMS(CUpti_Profiler_Host_GetConfigImage_Params, image);
  image.pHostObject = host_.get();
  image.configImageSize = config_image_.size();
  image.pConfigImage = config_image_.data();
  ROOFLINECTL_CUPTI(cuptiProfilerHostGetConfigImage, &image);

  ROOFLINECTL_CUPTI_PARAMS(CUpti_Profiler_Host_GetNumOfPasses_Params, passes);
  passes.configImageSize = config_image_.size();
  passes.pConfigImage = config_image_.data();
  ROOFLINECTL_CUPTI(cuptiProfilerHostGetNumOfPasses, &passes);
  passes_ = static_cast<int>(passes.numOfPasses);
}

HostConfiguration one_pass_configuration(const std::string& chip, std::vector<Metric> metrics,
                                         const std::vector<std::uint8_t>& availability) {
  for (; !metrics.empty(); metrics.pop_back()) {
    HostConfiguration configuration(chip, metrics, availability);
    if (configuration.passes() == 1) return configuration;
  }
  throw Error(ErrorKind::environment, fmt::format("{} cannot count it at once", chip));
}

std::vector<double> HostConfiguration::values(const std::vector<std::uint8_t>& counter_data,
                                              std::size_t index) const {
  const std::lock_guard lock(host_calls());
  std::vector<double> values(names_.size());
  std::vector<const char*> names = names_;
  ROOFLINECTL_CUPTI_PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues_Params, params);
  params.pHostObject = host_.get();
  params.pCounterDataImage = counter_data.data();
  params.counterDataImageSize = counter_data.size();
  params.rangeIndex = index;
  params.ppMetricNames = names.data();
  params.numMetrics = names.size();
  params.pMetricValues = values.data();
  ROOFLINECTL_CUPTI(cuptiProfilerHostEvaluateToGpuValues, &params);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] *= resolved_[i].scale;
  return values;
}

Counters HostConfiguration::evaluate(const std::vector<std::uint8_t>& counter_data, std::size_t index) const {
  const std::vector<double> parts = values(counter_data, index);
  Counters counters = missing_;
  std::map<std::string_view, double> sums;
  for (std::size_t i = 0; i < parts.size(); ++i) sums[resolved_[i].key] += parts[i];
  for (const auto& [key, sum] : sums) {
    // A ratio over nothing (no shared loads, say) and a counter that this device does not offer are both NaN.
    counters.emplace(key, std::isnan(sum)
                              ? CounterValue::unavailable("undefined for this launch on this device")
                              : CounterValue::measured(sum));
  }
  return counters;
}

}  // namespace rooflinectl::cupti

namespace rooflinectl::cupti {

std::vector<std::string> countable_chips() {
  std::vector<std::string> chips = supported_chips();
  // Listed by CUPTI 13.0, but its range profiler does not take it.
  std::erase(chips, "GV11B");
  return chips;
}

ChipCounters describe_chip(const std::string& chip) {
  const HostConfiguration configuration(chip, basic_metrics(), {});
  ChipCounters description{chip, configuration.passes(), {}};
  for (const Metric& metric : basic_metrics()) {
    const auto found = configuration.metrics().find(std::string(metric.key));
    description.counters.push_back({std::string(metric.key), std::string(metric.meaning),
                                    found == configuration.metrics().end() ? "" : found->second});
  }
  return description;
}

}  // namespace rooflinectl::cupti

/// Exported by the module: `describe_chips` of collector/cupti/profiler.h.
extern "C" [[gnu::visibility("default")]] void rooflinectl_describe_chips(
    const std::string& chip, std::vector<rooflinectl::ChipCounters>& chips) {
  namespace cupti = rooflinectl::cupti;
  const std::vector<std::string> known = cupti::countable_chips();
  if (chip.empty()) {
    for (const std::string& name : known) chips.push_back(cupti::describe_chip(name));
  } else if (std::ranges::find(known, chip) != known.end()) {
    chips.push_back(cupti::describe_chip(chip));
  } else {
    throw rooflinectl::Error(rooflinectl::ErrorKind::usage, fmt::format("CUPTI knows no chip '{}'", chip),
                             fmt::format("known chips: {}", fmt::join(known, ", ")));
  }
}
