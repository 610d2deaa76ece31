// SPDX-License-Identifier: Apache-2.0
#include "injection/source_lines/sampled_code.h"

#include <gmock/gmock.h>

namespace rooflinectl::injection::sampled_code_test {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

std::optional<SourceLine> line_of(const CodePlace& place) {
  if (place.function == "library" || place.offset == 4096) return std::nullopt;
  return SourceLine{.file = "add.cu", .line = static_cast<int>(place.offset / 32) + 1};
}

TEST(SampledCode, AddsTheInstructionsOfALine) {
  const SampledCode sampled = {{{1, "add", 0}, {{"selected", 50}, {"wait", 5}}},
                               {{1, "add", 16}, {{"selected", 20}, {"long_scoreboard", 10}}},
                               {{1, "add", 32}, {{"long_scoreboard", 100}}},
                               {{1, "add", 64}, {{"selected", 1}}}};
  const auto kernels = sampled_kernels(sampled, 3, line_of);
  ASSERT_THAT(kernels, SizeIs(1));
  const record::SampledKernel expected = {
      .device = 3,
      .symbol = "add",
      .sampled = {.samples = 186,
                  .lines = {{"add.cu", 2, "", 100, "long_scoreboard", 100},
                            {"add.cu", 1, "", 85, "selected", 70},
                            {"add.cu", 3, "", 1, "selected", 1}}}};
  EXPECT_EQ(kernels[0], expected);
}

TEST(SampledCode, KeepsTheLinesWithTheMostSamples) {
  SampledCode sampled;
  for (std::uint64_t i = 0; i < 100; ++i) sampled[{1, "add", 32 * i}] = {{"wait", 100 + i}};
  const auto kernels = sampled_kernels(sampled, 0, line_of);
  ASSERT_THAT(kernels, SizeIs(1));
  EXPECT_EQ(kernels[0].sampled.samples, 14950);
  ASSERT_THAT(kernels[0].sampled.lines, SizeIs(kMostRecordedLines));
  EXPECT_EQ(kernels[0].sampled.lines.front().line, 100);
  EXPECT_EQ(kernels[0].sampled.lines.back().line, 51);
}

TEST(SampledCode, LeavesOutFunctionsWithoutLines) {
  EXPECT_THAT(sampled_kernels({{{2, "library", 0}, {{"wait", 100}}}}, 0, line_of), IsEmpty());
}

TEST(SampledCode, CountsInstructionsWithoutALine) {
  const SampledCode sampled = {{{1, "add", 0}, {{"wait", 1}}}, {{1, "add", 4096}, {{"wait", 2}}}};
  const auto kernels = sampled_kernels(sampled, 0, line_of);
  ASSERT_THAT(kernels, SizeIs(1));
  EXPECT_EQ(kernels[0].sampled.samples, 3);
  ASSERT_THAT(kernels[0].sampled.lines, SizeIs(1));
  EXPECT_EQ(kernels[0].sampled.lines[0].samples, 1);
}

TEST(SampledCode, LeavesOutFunctionsWithOneNameInSeveralCubins) {
  const SampledCode sampled = {
      {{1, "add", 0}, {{"wait", 1}}}, {{2, "add", 0}, {{"wait", 2}}}, {{2, "multiply", 0}, {{"wait", 3}}}};
  const auto kernels = sampled_kernels(sampled, 0, line_of);
  ASSERT_THAT(kernels, SizeIs(1));
  EXPECT_EQ(kernels[0].symbol, "multiply");
}

}  // namespace
}  // namespace rooflinectl::injection::sampled_code_test
