// SPDX-License-Identifier: Apache-2.0
#include "injection/source_lines/pc_sampler.h"

#include <cupti_pcsampling.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "collector/cupti/profiler.h"
#include "injection/launches/loaded_code.h"

// A CUPTI in place of the library's, which has sampled what a test says.

namespace rooflinectl::injection::pc_sampler_test {
namespace {

using testing::ElementsAre;

struct Instruction {
  std::uint64_t code = 0;
  std::string function;
  std::uint64_t offset = 0;
  std::vector<CUpti_PCSamplingStallReason> samples;
};

struct FakeCupti {
  std::vector<std::string> calls;
  std::vector<std::string> reasons;
  std::vector<Instruction> sampled;
  std::size_t taken = 0;
  std::size_t at_once = 1000;
  std::uint64_t unknown = 0;
  std::size_t hardware_buffer = 0;
  CUpti_PCSamplingData* left_over = nullptr;
  CUpti_ComputeCrcCallbackFunc digest = nullptr;
  CUptiResult starting = CUPTI_SUCCESS;
};
FakeCupti fake;

char* copy_of(const char* text) {
  return text == nullptr ? nullptr : strdup(text);
}

class PcSamplerTest : public testing::Test {
 protected:
  PcSamplerTest() {
    fake = {};
    fake.reasons = {"smsp__pcsamp_warps_issue_stalled_long_scoreboard",
                    "smsp__pcsamp_warps_issue_stalled_long_scoreboard_not_issued",
                    "smsp__pcsamp_warps_issue_stalled_selected", "smsp__pcsamp_sample_buffer_full"};
  }
};

TEST_F(PcSamplerTest, SumsWhatTheWarpsWaitedForAtEachInstruction) {
  fake.sampled = {{7, "add", 16, {{100, 30}, {101, 20}, {102, 5}, {103, 9}}},
                  {7, "add", 32, {{102, 0}, {100, 1}}}};
  fake.unknown = 1000;
  PcSampler sampler(nullptr);
  const SampledCode expected = {{{7, "add", 16}, {{"long_scoreboard", 30}, {"selected", 5}}},
                                {{7, "add", 32}, {{"long_scoreboard", 1}}}};
  EXPECT_EQ(sampler.stop(), expected);
  EXPECT_LT(fake.hardware_buffer, std::size_t{64} << 20);
}

TEST_F(PcSamplerTest, TakesAllInstructionsWhateverTheirNumber) {
  for (std::uint64_t i = 0; i < 25; ++i) fake.sampled.push_back({7, "add", 16 * i, {{100, 1}}});
  fake.at_once = 10;
  PcSampler sampler(nullptr);
  EXPECT_EQ(sampler.stop().size(), 25);
}

TEST_F(PcSamplerTest, EndsAfterItWasDestroyed) {
  { PcSampler(nullptr).stop(); }
  EXPECT_THAT(fake.calls, ElementsAre("enable", "start", "stop", "disable"));
}

TEST_F(PcSamplerTest, EndsWhenItCannotBegin) {
  fake.starting = CUPTI_ERROR_HARDWARE_BUSY;
  EXPECT_THROW(PcSampler(nullptr), cupti::CountersInUse);
  EXPECT_THAT(fake.calls, ElementsAre("enable", "start", "disable"));
}

TEST_F(PcSamplerTest, KnowsNoKernelsWhenOnlyUnknownOnesRan) {
  fake.unknown = 3554;
  PcSampler sampler(nullptr);
  EXPECT_TRUE(sampler.stop().empty());
  EXPECT_TRUE(sampler.are_kernels_unknown());
}

TEST_F(PcSamplerTest, MissesNoKernelsWhenNoneRan) {
  PcSampler sampler(nullptr);
  EXPECT_TRUE(sampler.stop().empty());
  EXPECT_FALSE(sampler.are_kernels_unknown());
}

TEST_F(PcSamplerTest, GivesCuptiDigestsOfWholeCubins) {
  use_own_digests();
  ASSERT_NE(fake.digest, nullptr);
  const std::string cubin(5000, 'x');
  std::uint64_t digest = 0;
  fake.digest(cubin.data(), cubin.size(), &digest);
  EXPECT_EQ(digest, code_digest(cubin));
}

TEST(LineTables, KnowTheLinesOfTheirCubins) {
  const auto cubin = std::make_shared<const std::string>("cubin");
  const LineTables lines({{21, cubin}, {22, cubin}});
  EXPECT_EQ(lines.of({22, "add", 5}), (SourceLine{.file = "/src/add.cu", .line = 5}));
  EXPECT_EQ(lines.of({22, "multiply", 6}), (SourceLine{.file = "/elsewhere/multiply.cu", .line = 6}));
  EXPECT_EQ(lines.of({22, "add", 0}), std::nullopt) << "it has no line";
  EXPECT_EQ(lines.of({23, "add", 5}), std::nullopt) << "of another cubin";
}

}  // namespace
}  // namespace rooflinectl::injection::pc_sampler_test

using rooflinectl::injection::pc_sampler_test::copy_of;
using rooflinectl::injection::pc_sampler_test::fake;
using rooflinectl::injection::pc_sampler_test::Instruction;

extern "C" {

CUptiResult CUPTIAPI cuptiPCSamplingEnable(CUpti_PCSamplingEnableParams*) {
  fake.calls.emplace_back("enable");
  return CUPTI_SUCCESS;
}
CUptiResult CUPTIAPI cuptiPCSamplingDisable(CUpti_PCSamplingDisableParams*) {
  fake.calls.emplace_back("disable");
  if (fake.left_over == nullptr) return CUPTI_SUCCESS;
  fake.left_over->totalNumPcs = 1;
  fake.left_over->pPcData[fake.left_over->collectNumPcs - 1].pcOffset = 16;
  return CUPTI_SUCCESS;
}
CUptiResult CUPTIAPI cuptiPCSamplingStart(CUpti_PCSamplingStartParams*) {
  fake.calls.emplace_back("start");
  return fake.starting;
}
CUptiResult CUPTIAPI cuptiPCSamplingStop(CUpti_PCSamplingStopParams*) {
  fake.calls.emplace_back("stop");
  return CUPTI_SUCCESS;
}
CUptiResult CUPTIAPI cuptiPCSamplingGetNumStallReasons(CUpti_PCSamplingGetNumStallReasonsParams* params) {
  *params->numStallReasons = fake.reasons.size();
  return CUPTI_SUCCESS;
}
CUptiResult CUPTIAPI cuptiPCSamplingGetStallReasons(CUpti_PCSamplingGetStallReasonsParams* params) {
  for (std::size_t i = 0; i < params->numStallReasons; ++i) {
    params->stallReasonIndex[i] = static_cast<std::uint32_t>(100 + i);
    std::strncpy(params->stallReasons[i], fake.reasons[i].c_str(), CUPTI_STALL_REASON_STRING_SIZE - 1);
  }
  return CUPTI_SUCCESS;
}
CUptiResult CUPTIAPI
cuptiPCSamplingSetConfigurationAttribute(CUpti_PCSamplingConfigurationInfoParams* params) {
  for (std::size_t i = 0; i < params->numAttributes; ++i) {
    const CUpti_PCSamplingConfigurationInfo& info = params->pPCSamplingConfigurationInfo[i];
    if (info.attributeType == CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_HARDWARE_BUFFER_SIZE)
      fake.hardware_buffer = info.attributeData.hardwareBufferSizeData.hardwareBufferSize;
    if (info.attributeType == CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER)
      fake.left_over =
          static_cast<CUpti_PCSamplingData*>(info.attributeData.samplingDataBufferData.samplingDataBuffer);
  }
  return CUPTI_SUCCESS;
}
CUptiResult CUPTIAPI cuptiPCSamplingGetData(CUpti_PCSamplingGetDataParams* params) {
  auto& data = *static_cast<CUpti_PCSamplingData*>(params->pcSamplingData);
  const std::size_t left = fake.sampled.size() - fake.taken;
  data.totalNumPcs = std::min({left, fake.at_once, std::size_t{data.collectNumPcs}});
  for (std::size_t i = 0; i < data.totalNumPcs; ++i) {
    Instruction& instruction = fake.sampled[fake.taken++];
    data.pPcData[i].cubinCrc = instruction.code;
    data.pPcData[i].functionName = instruction.function.data();
    data.pPcData[i].pcOffset = instruction.offset;
    data.pPcData[i].stallReasonCount = instruction.samples.size();
    std::ranges::copy(instruction.samples, data.pPcData[i].stallReason);
  }
  data.remainingNumPcs = fake.sampled.size() - fake.taken;
  data.nonUsrKernelsTotalSamples = fake.unknown;
  return CUPTI_SUCCESS;
}
CUptiResult CUPTIAPI cuptiRegisterComputeCrcCallback(CUpti_ComputeCrcCallbackFunc digest) {
  fake.digest = digest;
  return CUPTI_SUCCESS;
}
CUptiResult CUPTIAPI cuptiGetSassToSourceCorrelation(CUpti_GetSassToSourceCorrelationParams* params) {
  if (params->pcOffset == 0) return CUPTI_ERROR_INVALID_PARAMETER;
  const bool is_add = std::string_view(params->functionName) == "add";
  params->fileName = copy_of(is_add ? "add.cu" : "/elsewhere/multiply.cu");
  params->dirName = copy_of("/src");
  params->lineNumber = static_cast<std::uint32_t>(params->pcOffset);
  return CUPTI_SUCCESS;
}
}
