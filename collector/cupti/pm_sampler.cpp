// SPDX-License-Identifier: Apache-2.0
#include "collector/cupti/pm_sampler.h"

#include <cupti.h>
#include <cupti_pmsampling.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "collector/cupti/call.h"
#include "collector/cupti/range_calls.h"
#include "collector/device/device.h"

namespace rooflinectl::cupti {

namespace {

/// For one sample in the device's buffer: 26 kB on GH100, and a fifth more. Once that buffer is full, all of
/// it is lost.
constexpr std::size_t kSampleBytes = 31'000;

std::vector<std::uint8_t> samplable_counters(int device_index) {
  ROOFLINECTL_CUPTI_PARAMS(CUpti_PmSampling_GetCounterAvailability_Params, params);
  params.deviceIndex = static_cast<std::size_t>(device_index);
  ROOFLINECTL_CUPTI(cuptiPmSamplingGetCounterAvailability, &params);
  std::vector<std::uint8_t> image(params.counterAvailabilityImageSize);
  params.pCounterAvailabilityImage = image.data();
  ROOFLINECTL_CUPTI(cuptiPmSamplingGetCounterAvailability, &params);
  return image;
}

std::uint64_t CUPTIAPI time_ns() {
  return monotonic_ns();
}

}  // namespace

void use_monotonic_clock() {
  ROOFLINECTL_CUPTI(cuptiActivityRegisterTimestampCallback, time_ns);
}

PmSampler::PmSampler(int device_index, const std::vector<Metric>& metrics, std::uint64_t interval_ns,
                     std::size_t room)
    : device_index_(static_cast<std::size_t>(device_index)), interval_ns_(interval_ns), room_(room) {
  initialize_profiler();
  choose(device_index, metrics);
  enable();
}

void PmSampler::Disable::operator()(CUpti_PmSampling_Object* sampling) const {
  ROOFLINECTL_CUPTI_PARAMS(CUpti_PmSampling_Disable_Params, params);
  params.pPmSamplingObject = sampling;
  cuptiPmSamplingDisable(&params);
}

void PmSampler::enable() {
  is_started_ = false;
  sampling_.reset();
  ROOFLINECTL_CUPTI_PARAMS(CUpti_PmSampling_Enable_Params, enable);
  enable.deviceIndex = device_index_;
  ROOFLINECTL_CUPTI(cuptiPmSamplingEnable, &enable);
  sampling_.reset(enable.pPmSamplingObject);

  ROOFLINECTL_CUPTI_PARAMS(CUpti_PmSampling_SetConfig_Params, config);
  config.pPmSamplingObject = sampling_.get();
  config.configSize = configuration_->config_image().size();
  config.pConfig = configuration_->config_image().data();
  config.hardwareBufferSize = room_ * kSampleBytes;
  config.samplingInterval = interval_ns_;
  config.triggerMode = CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL;
  config.hwBufferAppendMode = CUPTI_PM_SAMPLING_HARDWARE_BUFFER_APPEND_MODE_KEEP_OLDEST;
  ROOFLINECTL_CUPTI(cuptiPmSamplingSetConfig, &config);

  std::vector<const char*> names = configuration_->metric_names();
  ROOFLINECTL_CUPTI_PARAMS(CUpti_PmSampling_GetCounterDataSize_Params, size);
  size.pPmSamplingObject = sampling_.get();
  size.pMetricNames = names.data();
  size.numMetrics = names.size();
  size.maxSamples = static_cast<std::uint32_t>(room_);
  ROOFLINECTL_CUPTI(cuptiPmSamplingGetCounterDataSize, &size);
  counter_data_.resize(size.counterDataSize);
  initialize_counter_data();
}

/// One metric that the device does not offer makes a whole configuration fail: then each is tried alone.
void PmSampler::choose(int device_index, const std::vector<Metric>& metrics) {
  const std::string chip = chip_name(device_index);
  const std::vector<std::uint8_t> availability = samplable_counters(device_index);
  const auto configured = [&](const std::vector<Metric>& of) -> std::unique_ptr<HostConfiguration> {
    try {
      auto made = std::make_unique<HostConfiguration>(chip, of, availability, Gathering::samples);
      return made->passes() == 1 && made->metric_names().size() == of.size() ? std::move(made) : nullptr;
    } catch (const Error&) {
      return nullptr;
    }
  };
  std::vector<Metric> chosen = metrics;
  configuration_ = configured(chosen);
  if (!configuration_) {
    chosen.clear();
    for (const Metric& metric : metrics) {
      std::vector<Metric> with = chosen;
      with.push_back(metric);
      if (!configured({metric})) {
        left_out_.emplace(metric.key, "this device cannot sample it");
      } else if (auto made = configured(with)) {
        configuration_ = std::move(made);
        chosen = with;
      } else {
        left_out_.emplace(metric.key, "it does not fit into one pass with the others");
      }
    }
  }
  if (!configuration_) throw Error(ErrorKind::environment, fmt::format("{} cannot be sampled", chip));
  for (const Metric& metric : chosen) keys_.push_back(metric.key);
}

void PmSampler::initialize_counter_data() {
  ROOFLINECTL_CUPTI_PARAMS(CUpti_PmSampling_CounterDataImage_Initialize_Params, params);
  params.pPmSamplingObject = sampling_.get();
  params.counterDataSize = counter_data_.size();
  params.pCounterData = counter_data_.data();
  ROOFLINECTL_CUPTI(cuptiPmSamplingCounterDataImageInitialize, &params);
  taken_ = 0;
}

void PmSampler::start() {
  ROOFLINECTL_CUPTI_PARAMS(CUpti_PmSampling_Start_Params, params);
  params.pPmSamplingObject = sampling_.get();
  ROOFLINECTL_CUPTI(cuptiPmSamplingStart, &params);
  is_started_ = true;
}

void PmSampler::stop() {
  if (!std::exchange(is_started_, false)) return;
  ROOFLINECTL_CUPTI_PARAMS(CUpti_PmSampling_Stop_Params, params);
  params.pPmSamplingObject = sampling_.get();
  const CUptiResult result = cuptiPmSamplingStop(&params);
  // A full buffer has ended it already.
  if (result != CUPTI_ERROR_INVALID_OPERATION) check(result, "cuptiPmSamplingStop");
}

std::vector<PmSample> PmSampler::take() {
  ROOFLINECTL_CUPTI_PARAMS(CUpti_PmSampling_DecodeData_Params, decode);
  decode.pPmSamplingObject = sampling_.get();
  decode.pCounterDataImage = counter_data_.data();
  decode.counterDataImageSize = counter_data_.size();
  const CUptiResult result = cuptiPmSamplingDecodeData(&decode);
  const bool was_full = result == CUPTI_ERROR_OUT_OF_MEMORY;
  if (!was_full) check(result, "cuptiPmSamplingDecodeData");

  ROOFLINECTL_CUPTI_PARAMS(CUpti_PmSampling_GetCounterDataInfo_Params, info);
  info.pCounterDataImage = counter_data_.data();
  info.counterDataImageSize = counter_data_.size();
  ROOFLINECTL_CUPTI(cuptiPmSamplingGetCounterDataInfo, &info);

  std::vector<PmSample> samples;
  // The first sample after a start, or in new counter data, is not whole: it includes the time before the
  // start, or lacks what the previous counter data had of it.
  for (std::size_t index = std::max<std::size_t>(taken_, 1); index < info.numCompletedSamples; ++index) {
    ROOFLINECTL_CUPTI_PARAMS(CUpti_PmSampling_CounterData_GetSampleInfo_Params, sample);
    sample.pPmSamplingObject = sampling_.get();
    sample.pCounterDataImage = counter_data_.data();
    sample.counterDataImageSize = counter_data_.size();
    sample.sampleIndex = index;
    ROOFLINECTL_CUPTI(cuptiPmSamplingCounterDataGetSampleInfo, &sample);
    std::vector<double> values = configuration_->values(counter_data_, index);
    const bool is_whole = std::ranges::all_of(values, [](double v) { return std::isfinite(v); });
    if (!is_whole) continue;
    samples.push_back(
        {.start_ns = sample.startTimestamp, .end_ns = sample.endTimestamp, .values = std::move(values)});
  }
  taken_ = info.numCompletedSamples;
  // What the counter data has no room for is lost, as is the rest of an incomplete sample: so it is used for
  // several calls, and initialised again, which takes 0.03 ms per sample, only once it is rather full.
  if (is_started_ && taken_ > room_ / 4 * 3) initialize_counter_data();
  if (was_full && samples.empty() && is_started_) {
    enable();
    start();
  }
  return samples;
}

}  // namespace rooflinectl::cupti
