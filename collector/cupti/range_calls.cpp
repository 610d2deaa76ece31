// SPDX-License-Identifier: Apache-2.0
#include "collector/cupti/range_calls.h"

#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#include <cupti_version.h>
#include <fmt/format.h>

#include "collector/cupti/call.h"
#include "core/error.h"

namespace rooflinectl::cupti {

void initialize_profiler() {
  static const bool is_done = [] {
    ROOFLINECTL_CUPTI_PARAMS(CUpti_Profiler_Initialize_Params, params);
    ROOFLINECTL_CUPTI(cuptiProfilerInitialize, &params);
    return true;
  }();
  static_cast<void>(is_done);
}

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

std::vector<std::uint8_t> counter_availability(CUcontext context) {
  ROOFLINECTL_CUPTI_PARAMS(CUpti_Profiler_GetCounterAvailability_Params, params);
  params.ctx = context;
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

EnabledProfiler::EnabledProfiler(CUcontext context) {
  ROOFLINECTL_CUPTI_PARAMS(CUpti_RangeProfiler_Enable_Params, params);
  params.ctx = context;
  ROOFLINECTL_CUPTI(cuptiRangeProfilerEnable, &params);
  profiler_ = params.pRangeProfilerObject;
}

EnabledProfiler::~EnabledProfiler() {
  ROOFLINECTL_CUPTI_PARAMS(CUpti_RangeProfiler_Disable_Params, params);
  params.pRangeProfilerObject = profiler_;
  cuptiRangeProfilerDisable(&params);
}

std::vector<std::uint8_t> EnabledProfiler::make_counter_data(const std::vector<const char*>& metric_names,
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
  clear(image);
  return image;
}

void EnabledProfiler::clear(std::vector<std::uint8_t>& counter_data) {
  ROOFLINECTL_CUPTI_PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params, params);
  params.pRangeProfilerObject = profiler_;
  params.counterDataSize = counter_data.size();
  params.pCounterData = counter_data.data();
  ROOFLINECTL_CUPTI(cuptiRangeProfilerCounterDataImageInitialize, &params);
}

void EnabledProfiler::set_config(const std::vector<std::uint8_t>& config,
                                 std::vector<std::uint8_t>& counter_data, std::size_t range_count) {
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

void EnabledProfiler::start() {
  ROOFLINECTL_CUPTI_PARAMS(CUpti_RangeProfiler_Start_Params, params);
  params.pRangeProfilerObject = profiler_;
  ROOFLINECTL_CUPTI(cuptiRangeProfilerStart, &params);
}

bool EnabledProfiler::stop() {
  ROOFLINECTL_CUPTI_PARAMS(CUpti_RangeProfiler_Stop_Params, params);
  params.pRangeProfilerObject = profiler_;
  ROOFLINECTL_CUPTI(cuptiRangeProfilerStop, &params);
  return params.isAllPassSubmitted != 0;
}

void EnabledProfiler::push(const std::string& name) {
  ROOFLINECTL_CUPTI_PARAMS(CUpti_RangeProfiler_PushRange_Params, params);
  params.pRangeProfilerObject = profiler_;
  params.pRangeName = name.c_str();
  ROOFLINECTL_CUPTI(cuptiRangeProfilerPushRange, &params);
}

void EnabledProfiler::pop() {
  ROOFLINECTL_CUPTI_PARAMS(CUpti_RangeProfiler_PopRange_Params, params);
  params.pRangeProfilerObject = profiler_;
  ROOFLINECTL_CUPTI(cuptiRangeProfilerPopRange, &params);
}

void EnabledProfiler::decode() {
  ROOFLINECTL_CUPTI_PARAMS(CUpti_RangeProfiler_DecodeData_Params, params);
  params.pRangeProfilerObject = profiler_;
  ROOFLINECTL_CUPTI(cuptiRangeProfilerDecodeData, &params);
  if (params.numOfRangeDropped > 0) {
    throw Error(ErrorKind::environment, fmt::format("CUPTI dropped {} ranges", params.numOfRangeDropped),
                "this is a bug, please report it; --no-counters avoids it");
  }
}

std::vector<std::string> EnabledProfiler::range_names(const std::vector<std::uint8_t>& counter_data) {
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

}  // namespace rooflinectl::cupti
