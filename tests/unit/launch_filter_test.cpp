// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "core/error.h"
#include "core/text/names.h"

namespace rooflinectl::launch_filter_test {
namespace {

using testing::HasSubstr;

TEST(LaunchFilter, SelectsEverythingWhereNothingIsAsked) {
  const LaunchFilter filter("", "");
  EXPECT_TRUE(filter.selects_kernel("_Z3addPf"));
  EXPECT_TRUE(filter.selects_kernel(""));
  EXPECT_TRUE(filter.selects_path(""));
}

TEST(LaunchFilter, SearchesInTheSymbol) {
  const LaunchFilter filter("layer_norm|^triton_", "");
  EXPECT_TRUE(filter.selects_kernel("_ZN2at6native17layer_norm_kernelEPf"));
  EXPECT_TRUE(filter.selects_kernel("triton_add"));
  EXPECT_FALSE(filter.selects_kernel("my_triton_add"));
}

TEST(LaunchFilter, TakesSymbolsOfAnyLength) {
  const std::string symbol(1'000'000, 'a');
  EXPECT_TRUE(LaunchFilter("(a|b)*$", "").selects_kernel(symbol));
  EXPECT_FALSE(LaunchFilter("(a|b)*c$", "").selects_kernel(symbol));
}

TEST(LaunchFilter, NamesWhatIsNoExpression) {
  try {
    const LaunchFilter filter("(", "");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_THAT(error.what(), HasSubstr("'(' is not a regular expression: "));
  }
}

TEST(LaunchFilter, MatchesTheNameOfAnyRangeOrThePath) {
  const LaunchFilter by_name("", "step *");
  EXPECT_TRUE(by_name.selects_path("train/step 17/forward"));
  EXPECT_TRUE(by_name.selects_path("step 17"));
  EXPECT_FALSE(by_name.selects_path("train"));
  EXPECT_FALSE(by_name.selects_path(""));
  EXPECT_TRUE(LaunchFilter("", "train/*").selects_path("train/step 17/forward"));
}

}  // namespace
}  // namespace rooflinectl::launch_filter_test
