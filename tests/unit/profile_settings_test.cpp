// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "core/error.h"
#include "core/serial/program/program_files.h"

namespace rooflinectl::profile_settings_test {
namespace {

using testing::HasSubstr;

ProfileSettings every_setting() {
  return {
      .records = "/runs/train/2026-11-22T09-00-00Z/records",
      .cupti = "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so.13",
      .samples = 5,
      .kernel = "gemm|\"quoted\"",
      .nvtx = "step *",
      .nvtx_scope = NvtxScope::thread,
      .capture = Capture::nvtx,
      .capture_range = "steady state",
      .skip = 100,
      .limit = 0,
      .whole_graphs = true,
      .passes = {Pass::operations, Pass::tensor_bf16},
      .only = {"_Z3addPf"},
      .known_s = {{"_Z3addPf", 0.209}},
  };
}

std::string failure_of(std::string_view value) {
  try {
    decode_settings(value);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::environment);
    EXPECT_THAT(error.hint(), HasSubstr("same installation"));
    return error.what();
  }
  return "it was read";
}

TEST(ProfileSettings, AreReadAsTheyWereWritten) {
  EXPECT_EQ(decode_settings(encode(every_setting())), every_setting());
  EXPECT_EQ(decode_settings(encode(ProfileSettings{})), ProfileSettings{});
}

TEST(ProfileSettings, FitAnEnvironmentVariable) {
  EXPECT_EQ(encode(every_setting()).find('\n'), std::string::npos);
}

TEST(ProfileSettings, NameWhatIsWrong) {
  EXPECT_THAT(failure_of(""), HasSubstr("ROOFLINECTL_PROFILE"));
  EXPECT_THAT(failure_of("{}"), HasSubstr("ROOFLINECTL_PROFILE: "));
  std::string value = encode(ProfileSettings{});
  value.replace(value.find("operations"), 10, "everything");
  EXPECT_THAT(failure_of(value), HasSubstr("ROOFLINECTL_PROFILE: /passes/1: unknown value 'everything'"));
}

TEST(Capture, IsReadAsTheCommandLineHasIt) {
  EXPECT_EQ(capture_from("all"), CaptureChoice{});
  EXPECT_EQ(capture_from("cuda-profiler"), (CaptureChoice{Capture::cuda_profiler, ""}));
  EXPECT_EQ(capture_from("nvtx:step 1"), (CaptureChoice{Capture::nvtx, "step 1"}));
  for (const char* text : {"", "nvtx", "nvtx:", "None"}) EXPECT_EQ(capture_from(text), std::nullopt) << text;
}

}  // namespace
}  // namespace rooflinectl::profile_settings_test
