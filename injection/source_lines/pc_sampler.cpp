// SPDX-License-Identifier: Apache-2.0
#include "injection/source_lines/pc_sampler.h"

#include <cupti_pcsampling.h>

#include <cstdlib>
#include <string_view>
#include <utility>

#include "collector/cupti/call.h"
#include "injection/launches/loaded_code.h"

namespace rooflinectl::injection {

namespace {

/// Each SM is sampled every 2^16 cycles, about 40 µs.
constexpr std::uint32_t kPeriod = 16;
/// CUPTI takes half a gigabyte otherwise, for much shorter periods.
constexpr std::size_t kHardwareBufferBytes = std::size_t{32} << 20;
constexpr std::size_t kInstructionsAtOnce = 4096;

template <typename Parameters>
Parameters parameters_for(CUcontext context, std::size_t size) {
  Parameters parameters{};
  parameters.size = size;
  parameters.ctx = context;
  return parameters;
}

/// `long_scoreboard` for `smsp__pcsamp_warps_issue_stalled_long_scoreboard`. Empty for the part of these in
/// which the scheduler issued no other warp, and for what is no reason.
std::string reason_of(std::string_view name) {
  constexpr std::string_view kBegin = "smsp__pcsamp_warps_issue_stalled_";
  if (!name.starts_with(kBegin) || name.ends_with("_not_issued")) return "";
  return std::string(name.substr(kBegin.size()));
}

std::string take(char* text) {
  std::string taken = text == nullptr ? "" : text;
  std::free(text);
  return taken;
}

}  // namespace

/// Room for the samples at a number of instructions.
class PcSampler::Buffer {
 public:
  Buffer(std::size_t instructions, std::size_t reasons)
      : reasons_(instructions * reasons), instructions_(instructions) {
    for (std::size_t i = 0; i < instructions; ++i) {
      instructions_[i].size = sizeof instructions_[i];
      instructions_[i].stallReason = reasons_.data() + i * reasons;
    }
    data_.size = sizeof data_;
    data_.collectNumPcs = instructions;
    data_.pPcData = instructions_.data();
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  CUpti_PCSamplingData& data() { return data_; }
  const CUpti_PCSamplingData& data() const { return data_; }

 private:
  std::vector<CUpti_PCSamplingStallReason> reasons_;
  std::vector<CUpti_PCSamplingPCData> instructions_;
  CUpti_PCSamplingData data_{};
};

PcSampler::Enabled::Enabled(CUcontext context) : context_(context) {
  auto enable = parameters_for<CUpti_PCSamplingEnableParams>(context_, CUpti_PCSamplingEnableParamsSize);
  ROOFLINECTL_CUPTI(cuptiPCSamplingEnable, &enable);
}

PcSampler::Enabled::~Enabled() {
  auto disable = parameters_for<CUpti_PCSamplingDisableParams>(context_, CUpti_PCSamplingDisableParamsSize);
  cuptiPCSamplingDisable(&disable);
}

PcSampler::PcSampler(CUcontext context) : context_(context) {
  enabled_.emplace(context);
  find_reasons();
  configure();
  auto start = parameters_for<CUpti_PCSamplingStartParams>(context_, CUpti_PCSamplingStartParamsSize);
  ROOFLINECTL_CUPTI(cuptiPCSamplingStart, &start);
}

PcSampler::~PcSampler() = default;

void PcSampler::find_reasons() {
  std::size_t count = 0;
  auto number = parameters_for<CUpti_PCSamplingGetNumStallReasonsParams>(
      context_, CUpti_PCSamplingGetNumStallReasonsParamsSize);
  number.numStallReasons = &count;
  ROOFLINECTL_CUPTI(cuptiPCSamplingGetNumStallReasons, &number);

  numbers_.resize(count);
  std::vector<char> texts(count * CUPTI_STALL_REASON_STRING_SIZE);
  std::vector<char*> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(texts.data() + i * CUPTI_STALL_REASON_STRING_SIZE);
  auto reasons = parameters_for<CUpti_PCSamplingGetStallReasonsParams>(
      context_, CUpti_PCSamplingGetStallReasonsParamsSize);
  reasons.numStallReasons = count;
  reasons.stallReasonIndex = numbers_.data();
  reasons.stallReasons = names.data();
  ROOFLINECTL_CUPTI(cuptiPCSamplingGetStallReasons, &reasons);
  for (std::size_t i = 0; i < count; ++i) reasons_[numbers_[i]] = reason_of(names[i]);
}

void PcSampler::configure() {
  left_over_ = std::make_unique<Buffer>(kInstructionsAtOnce, numbers_.size());
  std::vector<CUpti_PCSamplingConfigurationInfo> attributes;
  const auto attribute = [&](CUpti_PCSamplingConfigurationAttributeType type) -> auto& {
    attributes.push_back({.attributeType = type, .attributeStatus = CUPTI_SUCCESS, .attributeData = {}});
    return attributes.back().attributeData;
  };
  attribute(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_COLLECTION_MODE).collectionModeData.collectionMode =
      CUPTI_PC_SAMPLING_COLLECTION_MODE_CONTINUOUS;
  attribute(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD).samplingPeriodData.samplingPeriod =
      kPeriod;
  attribute(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_HARDWARE_BUFFER_SIZE)
      .hardwareBufferSizeData.hardwareBufferSize = kHardwareBufferBytes;
  attribute(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_STALL_REASON).stallReasonData = {
      .stallReasonCount = numbers_.size(), .pStallReasonIndex = numbers_.data()};
  attribute(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_ENABLE_START_STOP_CONTROL)
      .enableStartStopControlData.enableStartStopControl = 1;
  attribute(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER)
      .samplingDataBufferData.samplingDataBuffer = &left_over_->data();
  auto configuration = parameters_for<CUpti_PCSamplingConfigurationInfoParams>(
      context_, CUpti_PCSamplingConfigurationInfoParamsSize);
  configuration.numAttributes = attributes.size();
  configuration.pPCSamplingConfigurationInfo = attributes.data();
  ROOFLINECTL_CUPTI(cuptiPCSamplingSetConfigurationAttribute, &configuration);
}

SampledCode PcSampler::stop() {
  auto stop = parameters_for<CUpti_PCSamplingStopParams>(context_, CUpti_PCSamplingStopParamsSize);
  ROOFLINECTL_CUPTI(cuptiPCSamplingStop, &stop);
  SampledCode sampled;
  std::uint64_t unknown = 0;
  std::size_t remaining = 0;
  do {
    Buffer buffer(kInstructionsAtOnce, numbers_.size());
    auto data = parameters_for<CUpti_PCSamplingGetDataParams>(context_, CUpti_PCSamplingGetDataParamsSize);
    data.pcSamplingData = &buffer.data();
    ROOFLINECTL_CUPTI(cuptiPCSamplingGetData, &data);
    add(buffer, sampled);
    unknown += buffer.data().nonUsrKernelsTotalSamples;
    remaining = buffer.data().totalNumPcs == 0 ? 0 : buffer.data().remainingNumPcs;
  } while (remaining > 0);
  are_kernels_unknown_ = sampled.empty() && unknown > 0;
  return sampled;
}

/// The names of functions stay CUPTI's, which may have given the same ones elsewhere.
void PcSampler::add(const Buffer& buffer, SampledCode& sampled) const {
  const CUpti_PCSamplingData& data = buffer.data();
  for (std::size_t i = 0; i < data.totalNumPcs; ++i) {
    const CUpti_PCSamplingPCData& instruction = data.pPcData[i];
    if (instruction.functionName == nullptr) continue;
    StallSamples& samples = sampled[{
        .code = instruction.cubinCrc, .function = instruction.functionName, .offset = instruction.pcOffset}];
    for (std::size_t j = 0; j < instruction.stallReasonCount; ++j) {
      const CUpti_PCSamplingStallReason& reason = instruction.stallReason[j];
      const auto name = reasons_.find(reason.pcSamplingStallReasonIndex);
      if (name != reasons_.end() && !name->second.empty() && reason.samples > 0)
        samples[name->second] += reason.samples;
    }
  }
}

void use_own_digests() {
  ROOFLINECTL_CUPTI(cuptiRegisterComputeCrcCallback,
                    [](const void* cubin, std::size_t size, std::uint64_t* digest) {
                      *digest = code_digest({static_cast<const char*>(cubin), size});
                    });
}

std::optional<SourceLine> LineTables::of(const CodePlace& place) const {
  const auto cubin = cubins_.find(place.code);
  if (cubin == cubins_.end()) return std::nullopt;
  CUpti_GetSassToSourceCorrelationParams line{};
  line.size = CUpti_GetSassToSourceCorrelationParamsSize;
  line.cubin = cubin->second->data();
  line.cubinSize = cubin->second->size();
  line.functionName = place.function.c_str();
  line.pcOffset = place.offset;
  const CUptiResult result = cuptiGetSassToSourceCorrelation(&line);
  const std::string folder = take(line.dirName);
  const std::string file = take(line.fileName);
  if (result != CUPTI_SUCCESS || file.empty() || line.lineNumber == 0) return std::nullopt;
  const bool is_whole = folder.empty() || file.starts_with('/');
  return SourceLine{.file = is_whole ? file : folder + "/" + file, .line = static_cast<int>(line.lineNumber)};
}

}  // namespace rooflinectl::injection
