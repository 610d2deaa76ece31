// SPDX-License-Identifier: Apache-2.0
// Every result that CUPTI can return, and the message that the user gets for it.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "collector/cupti/call.h"

namespace rooflinectl::cupti {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

struct Words {
  const char* cause;
  const char* hint;
};

/// The results with a cause that a user can do something about; all others share one text.
const std::map<int, Words> kExplained = {
    {CUPTI_ERROR_INVALID_DEVICE, {"cannot count on this GPU", "compute capability 7.5"}},
    {CUPTI_ERROR_OUT_OF_MEMORY, {"out of memory", "free memory"}},
    {CUPTI_ERROR_HARDWARE, {"hardware does not respond", "dmesg"}},
    {CUPTI_ERROR_API_NOT_IMPLEMENTED, {"are incompatible", "CUDA_HOME"}},
    {CUPTI_ERROR_NOT_COMPATIBLE, {"are incompatible", "CUDA_HOME"}},
    {CUPTI_ERROR_NOT_INITIALIZED, {"driver is older", "update the driver"}},
    {CUPTI_ERROR_HARDWARE_BUSY, {"DCGM", "dcgmi profile --pause"}},
    {CUPTI_ERROR_NOT_SUPPORTED, {"cannot count on this GPU", "compute capability 7.5"}},
    {CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED, {"virtual GPU", "passed-through"}},
    {CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, {"administrators", "NVreg_RestrictProfilingToAdminUsers=0"}},
    {CUPTI_ERROR_OLD_PROFILER_API_INITIALIZED, {"another profiling interface", "CUDA_INJECTION64_PATH"}},
    {CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, {"another profiler is attached", "--no-counters"}},
    {CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES, {"hypervisor", "on the host"}},
    {CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED, {"confidential", "developer mode"}},
    {CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED, {"mining", "another GPU"}},
    {CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED, {"MIG", "its own compute instance"}},
    {CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED, {"SLI", "SLI off"}},
    {CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED, {"WSL", "Windows driver"}},
    {CUPTI_ERROR_INVALID_CHIP_NAME, {"newer than this CUPTI", "newer CUDA toolkit"}},
    {CUPTI_ERROR_UNKNOWN, {"did not respond", "nvidia-smi"}},
};
const Words kOther = {"could not be used", "--no-counters"};

std::vector<int> every_result() {
  std::vector<int> results;
  for (int result = 1; result <= CUPTI_ERROR_INVALID_CHIP_NAME; ++result) results.push_back(result);
  results.push_back(CUPTI_ERROR_UNKNOWN);
  return results;
}

class CuptiErrors : public testing::TestWithParam<int> {};

TEST_P(CuptiErrors, NameTheCallTheResultTheCauseAndTheHint) {
  const auto result = static_cast<CUptiResult>(GetParam());
  const auto explained = kExplained.find(GetParam());
  const Words& words = explained == kExplained.end() ? kOther : explained->second;
  const char* name = nullptr;
  const bool named = cuptiGetResultString(result, &name) == CUPTI_SUCCESS;

  const Error error = error_of(result, "cuptiSomeCall");
  EXPECT_EQ(error.kind(), ErrorKind::environment);
  EXPECT_THAT(error.what(), AllOf(HasSubstr(words.cause), HasSubstr("(cuptiSomeCall: "),
                                  HasSubstr(named ? name : fmt::format("result {}", GetParam()))));
  EXPECT_THAT(error.hint(), HasSubstr(words.hint));
}

INSTANTIATE_TEST_SUITE_P(EveryResult, CuptiErrors, testing::ValuesIn(every_result()),
                         [](const auto& result) { return std::to_string(result.param); });

TEST(CuptiCheck, ThrowsUnlessTheCallSucceeded) {
  EXPECT_NO_THROW(check(CUPTI_SUCCESS, "cuptiSomeCall"));
  EXPECT_THROW(check(CUPTI_ERROR_HARDWARE_BUSY, "cuptiSomeCall"), Error);
}

}  // namespace
}  // namespace rooflinectl::cupti
