// SPDX-License-Identifier: Apache-2.0
#include "runner/profiling/points/range_paths.h"

#include <gmock/gmock.h>

namespace rooflinectl::range_paths_test {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(RangePaths, WithManyNumbersBecomeOne) {
  EXPECT_THAT(collapsed_paths({"step 1/fwd", "step 2/fwd", "step 10/fwd", "step 1/bwd"}),
              ElementsAre(Pair("step 1/bwd", "step 1/bwd"), Pair("step 1/fwd", "step #/fwd"),
                          Pair("step 10/fwd", "step #/fwd"), Pair("step 2/fwd", "step #/fwd")));
}

TEST(RangePaths, KeepNumbersThatDoNotVary) {
  const auto paths = collapsed_paths({"fp16 norm2d 1", "fp16 norm2d 2", "fp32 norm2d 3", "", "7"});
  EXPECT_EQ(paths.at("fp32 norm2d 3"), "fp32 norm2d #");
  EXPECT_EQ(paths.at(""), "");
  EXPECT_EQ(paths.at("7"), "7");
}

TEST(RangePaths, TakeTheSignThatAProcessWroteAsANumber) {
  const auto steps = collapsed_paths({"step 1", "step 2", "step #"});
  EXPECT_EQ(steps.at("step 1"), "step #");
  EXPECT_EQ(steps.at("step #"), "step #");
  const auto epochs = collapsed_paths(
      {"epoch 0/step 1", "epoch 0/step 2", "epoch 0/step 3", "epoch 0/step #", "epoch #/step #"});
  for (const auto& [path, collapsed] : epochs) EXPECT_EQ(collapsed, "epoch #/step #") << path;
}

TEST(RangePaths, KeepASignOfTheProgramsOwn) {
  const auto paths = collapsed_paths({"C#", "C1", "issue #1/a", "issue #2/a", "##", "a#b#", "#"});
  for (const auto& [path, collapsed] : paths) EXPECT_EQ(collapsed, path);
  const auto many = collapsed_paths({"issue #1", "issue #2", "issue #3"});
  EXPECT_EQ(many.at("issue #1"), "issue ##");
}

TEST(RangePaths, AreNotConfusedByTheSignForANumber) {
  const auto paths = collapsed_paths({"a#", "a1", "a2", "a3"});
  EXPECT_EQ(paths.at("a1"), "a#");
  EXPECT_EQ(paths.at("a#"), "a#");
}

}  // namespace
}  // namespace rooflinectl::range_paths_test
