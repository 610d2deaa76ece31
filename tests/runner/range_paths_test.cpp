// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "runner/profiling/times/times.h"

namespace rooflinectl::range_paths_test {
namespace {

/// `step 0` to `step 8`, each between these texts.
std::set<std::string> steps(const std::string& before, const std::string& after, int count = 9) {
  std::set<std::string> paths;
  for (int step = 0; step < count; ++step) paths.insert(before + std::to_string(step) + after);
  return paths;
}

TEST(RangePaths, WithManyNumbersBecomeOne) {
  auto paths = steps("step ", "/fwd");
  paths.insert("step 1/bwd");
  const auto collapsed = collapsed_paths(paths);
  EXPECT_EQ(collapsed.at("step 0/fwd"), "step #/fwd");
  EXPECT_EQ(collapsed.at("step 8/fwd"), "step #/fwd");
  EXPECT_EQ(collapsed.at("step 1/bwd"), "step 1/bwd");
}

TEST(RangePaths, KeepNumbersThatDoNotCount) {
  for (const auto& [path, collapsed] : collapsed_paths({"mm_fp8", "mm_fp16", "mm_fp32", "", "7"})) {
    EXPECT_EQ(collapsed, path);
  }
  for (const auto& [path, collapsed] : collapsed_paths(steps("layer ", "", 8))) EXPECT_EQ(collapsed, path);
  const auto paths = collapsed_paths(steps("fp16 norm2d ", ""));
  EXPECT_EQ(paths.at("fp16 norm2d 3"), "fp16 norm2d #");
}

TEST(RangePaths, TakeTheSignThatAProcessWroteAsANumber) {
  auto of_a_process = steps("step ", "", 8);
  of_a_process.insert("step #");
  for (const auto& [path, collapsed] : collapsed_paths(of_a_process)) EXPECT_EQ(collapsed, "step #") << path;
  auto epochs = steps("epoch 0/step ", "", 8);
  epochs.insert({"epoch 0/step #", "epoch #/step #"});
  for (const auto& [path, collapsed] : collapsed_paths(epochs))
    EXPECT_EQ(collapsed, "epoch #/step #") << path;
}

TEST(RangePaths, KeepASignOfTheProgramsOwn) {
  const auto paths = collapsed_paths({"C#", "C1", "issue #1/a", "issue #2/a", "##", "a#b#", "#"});
  for (const auto& [path, collapsed] : paths) EXPECT_EQ(collapsed, path);
  EXPECT_EQ(collapsed_paths(steps("issue #", "")).at("issue #1"), "issue ##");
}

TEST(RangePaths, AreNotConfusedByTheSignForANumber) {
  auto of_program = steps("a", "");
  of_program.insert("a#");
  const auto paths = collapsed_paths(of_program);
  EXPECT_EQ(paths.at("a1"), "a#");
  EXPECT_EQ(paths.at("a#"), "a#");
}

}  // namespace
}  // namespace rooflinectl::range_paths_test
