// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "analysis/compare/comparison.h"
#include "tests/support/program_run.h"

namespace rooflinectl::waterfall_test {
namespace {

using testing::HasSubstr;

void scale_time(Measurement& measurement, double factor) {
  for (double* time_s : {&measurement.time->median_s, &measurement.time->ci_low_s,
                         &measurement.time->ci_high_s, &measurement.launches->total_s}) {
    *time_s *= factor;
  }
}

auto of_kernel(std::string_view name) {
  return [name](const Measurement& measurement) { return measurement.point.subject == name; };
}

/// The AdamW kernel is twice as fast, the embedding is gone, the copy has another shape, `fused` is new.
struct Compared {
  Compared() {
    auto after = constructed::program_run();
    auto& groups = after.measurements;
    scale_time(*std::find_if(groups.begin(), groups.end(), of_kernel(constructed::kAdamName)), 0.5);
    std::erase_if(groups, of_kernel(constructed::kEmbeddingName));
    auto& copy = *std::find_if(groups.begin(), groups.end(), of_kernel(constructed::kCopyName));
    copy.point.axes.set("grid", std::uint64_t{77});
    scale_time(copy, 2);
    Measurement fused = copy;
    fused.point.subject = "fused(float*)";
    groups.push_back(fused);
    bases.emplace_back("before", constructed::program_run());
    now.emplace("after", std::move(after));
    comparison = compare(bases, *now);
  }

  std::vector<AnalysedRun> bases;
  std::optional<AnalysedRun> now;
  RunComparison comparison;
};

const WaterfallStep& step(const Waterfall& waterfall, KernelChange kind) {
  const auto found = std::find_if(waterfall.steps.begin(), waterfall.steps.end(),
                                  [&](const WaterfallStep& one) { return one.kind == kind; });
  if (found == waterfall.steps.end()) throw std::logic_error("no such step");
  return *found;
}

TEST(Waterfall, AddsUpToWhatTheProgramWonOrLost) {
  const Compared compared;
  for (const std::size_t most : {1U, 3U, 100U}) {
    const auto all = waterfalls(compared.comparison, most);
    ASSERT_EQ(all.size(), 1U);
    const TimeChange& whole = *all[0].program->whole.time;
    double sum_s = 0;
    for (const WaterfallStep& one : all[0].steps) sum_s += one.change_s;
    EXPECT_NEAR(sum_s, whole.to.median_s - whole.from.median_s, 1e-9);
    EXPECT_LE(all[0].steps.size(), most + 1);
  }
}

TEST(Waterfall, NamesKernelsThatOnlyOneRunHas) {
  const Compared compared;
  const Waterfall waterfall = waterfalls(compared.comparison, 100)[0];
  EXPECT_THAT(waterfall.steps[0].label, HasSubstr("FusedAdam")) << "the largest first";
  EXPECT_EQ(waterfall.steps[0].kind, KernelChange::changed);
  EXPECT_NEAR(waterfall.steps[0].change_s, -0.5 * 24 * 1100e-6, 1e-9);
  EXPECT_THAT(step(waterfall, KernelChange::introduced).label, HasSubstr("fused"));
  EXPECT_NEAR(step(waterfall, KernelChange::introduced).change_s, 24 * 184e-6, 1e-9);
  EXPECT_THAT(step(waterfall, KernelChange::eliminated).label, HasSubstr("indexSelect"));
  EXPECT_LT(step(waterfall, KernelChange::eliminated).change_s, 0);
}

TEST(Waterfall, DoesNotCallAKernelNewThatHasAnotherShape) {
  const Compared compared;
  const Waterfall waterfall = waterfalls(compared.comparison, 100)[0];
  const WaterfallStep& copy = step(waterfall, KernelChange::reshaped);
  EXPECT_EQ(copy.groups, 2U);
  EXPECT_NEAR(copy.change_s, 24 * 92e-6, 1e-9);
}

TEST(Waterfall, SaysWhichGroupsOfAKernelOnlyOneRunHas) {
  std::vector<AnalysedRun> bases;
  bases.emplace_back("before", constructed::program_run());
  auto after = constructed::program_run();
  std::erase_if(after.measurements, [](const Measurement& measurement) {
    return measurement.point.subject == constructed::kLayerNormName &&
           measurement.point.axes.text("path") == "step/forward/block";
  });
  const AnalysedRun now("after", std::move(after));
  const RunComparison comparison = compare(bases, now);
  const Waterfall waterfall = waterfalls(comparison, 100)[0];
  EXPECT_EQ(waterfall.steps[0].kind, KernelChange::only_before) << "the kernel is still there";
  EXPECT_EQ(waterfall.steps.size(), 2U) << "what did not change is in the rest";
  EXPECT_EQ(waterfall.steps[1].change_s, 0);
}

TEST(Waterfall, FoldsWhatIsSmall) {
  const Compared compared;
  const Waterfall waterfall = waterfalls(compared.comparison, 1)[0];
  ASSERT_EQ(waterfall.steps.size(), 2U);
  EXPECT_EQ(waterfall.steps[1].kind, KernelChange::rest);
  EXPECT_GT(waterfall.steps[1].groups, 5U);
}

}  // namespace
}  // namespace rooflinectl::waterfall_test
