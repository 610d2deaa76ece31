// SPDX-License-Identifier: Apache-2.0
// The counter session on CUPTI's Range Profiler: user ranges, user replay.
//
// The life of a session, in CUPTI's order:
//   1. initialise, and ask whether the device can be profiled; after a failure nothing else may be called
//   2. chip name and counter availability, before the profiler is enabled
//   3. host configuration: which metrics, in how many passes
//   4. per call of count(): enable; counter data image for all ranges; set the configuration;
//      until all passes are submitted: start, every range once in the same order, stop; decode; evaluate;
//      disable

#include <cuda.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#include <cupti_version.h>
#include <fmt/format.h>

#include <algorithm>

#include "collector/cupti/call.h"
#include "collector/cupti/host_configuration.h"
#include "collector/cupti/profiler.h"

namespace rooflinectl::cupti {

namespace {

void initialize_profiler() {
  ROOFLINECTL_CUPTI_PARAMS(CUpti_Profiler_Initialize_Params, params);
  ROOFLINECTL_CUPTI(cuptiProfilerInitialize, &params);
}

/// Throws with the reason if the device or its configuration cannot be profiled.
void require_supported(int device_index) {
  ROOFLINECTL_CUPTI_PARAMS(CUpti_Profiler_DeviceSupported_Params, params);
  params.cuDevice = device_index;
  params.api = CUPTI_PROFILER_RANGE_PROFILING;
  ROOFLINECTL_CUPTI(cuptiProfilerDeviceSupported, &params);
  if (params.isSupported == CUPTI_PROFILER_CONFIGURATION_SUPPORTED) return;

  const auto refuses = [](CUpti_Profiler_Support_Level level) {
    return level == CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED ||
           level == CUPTI_PROFILER_CONFIGURATION_DISABLED;
  };
  constexpr const char* kCall = "cuptiProfilerDeviceSupported";
  if (refuses(params.vGpu)) throw error_of(CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED, kCall);
  if (refuses(params.confidentialCompute))
    throw error_of(CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED, kCall);
  if (refuses(params.cmp)) throw error_of(CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED, kCall);
  if (refuses(params.sli)) throw error_of(CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED, kCall);
  if (refuses(params.wsl)) throw error_of(CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED, kCall);
  if (refuses(params.architecture)) {
    throw Error(ErrorKind::environment, "CUPTI cannot profile GPUs of this architecture",
                "the Range Profiler needs compute capability 7.5 or later");
  }
  throw error_of(CUPTI_ERROR_NOT_SUPPORTED, kCall);
}

std::string chip_name(int device_index) {
  ROOFLINECTL_CUPTI_PARAMS(CUpti_Device_GetChipName_Params, params);
  params.deviceIndex = static_cast<std::size_t>(device_index);
  ROOFLINECTL_CUPTI(cuptiDeviceGetChipName, &params);
  return params.pChipName;
}

std::vector<std::uint8_t> counter_availability() {
  ROOFLINECTL_CUPTI_PARAMS(CUpti_Profiler_GetCounterAvailability_Params, params);
  ROOFLINECTL_CUPTI(cuptiProfilerGetCounterAvailability, &params);
  std::vector<std::uint8_t> image(params.counterAvailabilityImageSize);
  params.pCounterAvailabilityImage = image.data();
  ROOFLINECTL_CUPTI(cuptiProfilerGetCounterAvailability, &params);
  return image;
}

int cupti_version() {
  std::uint32_t version = 0;
  ROOFLINECTL_CUPTI(cuptiGetVersion, &version);
  return static_cast<int>(version);
}

/// The profiler, enabled on the current context for as long as this object lives.
class EnabledProfiler {
 public:
  EnabledProfiler() {
    ROOFLINECTL_CUPTI_PARAMS(CUpti_RangeProfiler_Enable_Params, params);
    ROOFLINECTL_CUPTI(cuptiRangeProfilerEnable, &params);
    profiler_ = params.pRangeProfilerObject;
  }

  ~EnabledProfiler() {
    ROOFLINECTL_CUPTI_PARAMS(CUpti_RangeProfiler_Disable_Params, params);
    params.pRangeProfilerObject = profiler_;
    cuptiRangeProfilerDisable(&params);
  }

  EnabledProfiler(const EnabledProfiler&) = delete;
  EnabledProfiler& operator=(const EnabledProfiler&) = delete;

  std::vector<std::uint8_t> make_counter_data(const std::vector<const char*>& metric_names,
                                              std::size_t range_count) {
    std::vector<const char*> names = metric_names;
    ROOFLINECTL_CUPTI_PARAMS(CUpti_RangeProfiler_GetCounterDataSize_Params, size);
    size.pRangeProfilerObject = profiler_;
    size.pMetricNames = names.data();
    size.numMetrics = names.size();
    size.maxNumOfRanges = range_count;
    size.maxNumRangeTreeNodes = static_cast<std::uint32_t>(range_count);
    ROOFLINECTL_CUPTI(cuptiRangeProfilerGetCounterDataSize, &size);

    std::vector<std::uint8_t> image(size.counterDataSize);
    ROOFLINECTL_CUPTI_PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params, initialize);
    initialize.pRangeProfilerObject = profiler_;
    initialize.counterDataSize = image.size();
    initialize.pCounterData = image.data();
    ROOFLINECTL_CUPTI(cuptiRangeProfilerCounterDataImageInitialize, &initialize);
    return image;
  }

  /// `config` and `counter_data` must stay where they are until `decode` has returned.
  void set_config(const std::vector<std::uint8_t>& config, std::vector<std::uint8_t>& counter_data,
                  std::size_t range_count) {
    ROOFLINECTL_CUPTI_PARAMS(CUpti_RangeProfiler_SetConfig_Params, params);
    params.pRangeProfilerObject = profiler_;
    params.configSize = config.size();
    params.pConfig = config.data();
    params.counterDataImageSize = counter_data.size();
    params.pCounterDataImage = counter_data.data();
    params.range = CUPTI_UserRange;
    params.replayMode = CUPTI_UserReplay;
    params.maxRangesPerPass = range_count;
    params.numNestingLevels = 1;
    params.minNestingLevel = 1;
    params.passIndex = 0;
    params.targetNestingLevel = 1;
    ROOFLINECTL_CUPTI(cuptiRangeProfilerSetConfig, &params);
  }

  void start() {
    ROOFLINECTL_CUPTI_PARAMS(CUpti_RangeProfiler_Start_Params, params);
    params.pRangeProfilerObject = profiler_;
    ROOFLINECTL_CUPTI(cuptiRangeProfilerStart, &params);
  }

  /// Returns whether every pass has been submitted.
  bool stop() {
    ROOFLINECTL_CUPTI_PARAMS(CUpti_RangeProfiler_Stop_Params, params);
    params.pRangeProfilerObject = profiler_;
    ROOFLINECTL_CUPTI(cuptiRangeProfilerStop, &params);
    return params.isAllPassSubmitted != 0;
  }

  void push(const std::string& name) {
    ROOFLINECTL_CUPTI_PARAMS(CUpti_RangeProfiler_PushRange_Params, params);
    params.pRangeProfilerObject = profiler_;
    params.pRangeName = name.c_str();
    ROOFLINECTL_CUPTI(cuptiRangeProfilerPushRange, &params);
  }

  void pop() {
    ROOFLINECTL_CUPTI_PARAMS(CUpti_RangeProfiler_PopRange_Params, params);
    params.pRangeProfilerObject = profiler_;
    ROOFLINECTL_CUPTI(cuptiRangeProfilerPopRange, &params);
  }

  void decode() {
    ROOFLINECTL_CUPTI_PARAMS(CUpti_RangeProfiler_DecodeData_Params, params);
    params.pRangeProfilerObject = profiler_;
    ROOFLINECTL_CUPTI(cuptiRangeProfilerDecodeData, &params);
    if (params.numOfRangeDropped > 0) {
      throw Error(ErrorKind::environment, fmt::format("CUPTI dropped {} ranges", params.numOfRangeDropped),
                  "this is a bug, please report it; --no-counters avoids it");
    }
  }

  /// The names of the decoded ranges, in the order of the counter data.
  std::vector<std::string> range_names(const std::vector<std::uint8_t>& counter_data) {
    ROOFLINECTL_CUPTI_PARAMS(CUpti_RangeProfiler_GetCounterDataInfo_Params, info);
    info.pCounterDataImage = counter_data.data();
    info.counterDataImageSize = counter_data.size();
    ROOFLINECTL_CUPTI(cuptiRangeProfilerGetCounterDataInfo, &info);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < info.numTotalRanges; ++i) {
      ROOFLINECTL_CUPTI_PARAMS(CUpti_RangeProfiler_CounterData_GetRangeInfo_Params, range);
      range.pCounterDataImage = counter_data.data();
      range.counterDataImageSize = counter_data.size();
      range.rangeIndex = i;
      range.rangeDelimiter = "/";
      ROOFLINECTL_CUPTI(cuptiRangeProfilerCounterDataGetRangeInfo, &range);
      names.emplace_back(range.rangeName);
    }
    return names;
  }

 private:
  CUpti_RangeProfiler_Object* profiler_ = nullptr;
};

/// CUPTI 13.0 crashes when it stores a range whose name is about 60 characters long (55 are fine, 62 are
/// not), so it is given numbers. The point's full name is the NVTX range's.
std::string cupti_name(std::size_t index) {
  return std::to_string(index);
}

class RangeProfiler : public Profiler {
 public:
  RangeProfiler(int device_index, const std::vector<Metric>& metrics)
      : chip_(chip_name(device_index)),
        version_(cupti_version()),
        configuration_(chip_, metrics, counter_availability()) {}

  const std::string& chip() const override { return chip_; }
  int version() const override { return version_; }
  int passes() const override { return configuration_.passes(); }
  const std::map<std::string, std::string>& metrics() const override { return configuration_.metrics(); }

  std::vector<Counters> count(const std::vector<CountedRange>& ranges) override {
    if (ranges.empty()) return {};
    EnabledProfiler profiler;
    std::vector<std::uint8_t> counter_data =
        profiler.make_counter_data(configuration_.metric_names(), ranges.size());
    profiler.set_config(configuration_.config_image(), counter_data, ranges.size());

    bool all_submitted = false;
    for (int pass = 0; pass < passes() && !all_submitted; ++pass) {
      profiler.start();
      for (std::size_t i = 0; i < ranges.size(); ++i) {
        ranges[i].prepare();
        profiler.push(cupti_name(i));
        ranges[i].launch();
        profiler.pop();
      }
      all_submitted = profiler.stop();
    }
    if (!all_submitted) {
      throw Error(ErrorKind::environment,
                  fmt::format("CUPTI needs more than the announced {} passes", passes()),
                  "run with --no-counters to measure only times");
    }
    profiler.decode();

    const std::vector<std::string> names = profiler.range_names(counter_data);
    std::vector<Counters> counters;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      const auto found = std::find(names.begin(), names.end(), cupti_name(i));
      if (found == names.end()) {
        throw Error(ErrorKind::environment, "CUPTI returned no counters for one of its ranges",
                    "run with --no-counters to measure only times");
      }
      counters.push_back(
          configuration_.evaluate(counter_data, static_cast<std::size_t>(found - names.begin())));
    }
    return counters;
  }

 private:
  std::string chip_;
  int version_;
  HostConfiguration configuration_;
};

}  // namespace

}  // namespace rooflinectl::cupti

/// Exported by the module. The caller owns the session; throws Error(environment).
extern "C" rooflinectl::Profiler* rooflinectl_open_profiler(int device_index,
                                                            const std::vector<rooflinectl::Metric>& metrics) {
  namespace cupti = rooflinectl::cupti;
  cupti::initialize_profiler();
  cupti::require_supported(device_index);
  return new cupti::RangeProfiler(device_index, metrics);
}
