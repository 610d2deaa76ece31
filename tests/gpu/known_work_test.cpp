// SPDX-License-Identifier: Apache-2.0 The counts that the kernels of known work must have, and the verdict on
// counters. Needs no GPU.
#include "kernels/known_work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "collector/steps/steps.h"

namespace rooflinectl {
namespace {

using kernels::KnownCount;
using kernels::KnownWork;
using kernels::KnownWorkSite;

constexpr KnownWorkSite kSite{.sm_count = 132, .l2_bytes = 60'000'000};

const KnownWork& work(std::string_view id) {
  const auto& all = kernels::all_known_work();
  return *std::find_if(all.begin(), all.end(), [&](const KnownWork& w) { return w.id == id; });
}

Counters counters(const std::map<std::string_view, double>& values) {
  Counters made;
  for (const auto& [key, value] : values) made.emplace(key, CounterValue::measured(value));
  return made;
}

std::map<std::string, Verdict> verdicts(std::string_view id, const Counters& counted,
                                        const Counters& counted_without = {}) {
  std::map<std::string, Verdict> verdicts;
  for (const Agreement& agreement : agreements(work(id), kSite, counted, counted_without)) {
    EXPECT_EQ(agreement.subject, id);
    verdicts[agreement.quantity] = agreement.verdict();
  }
  return verdicts;
}

TEST(KnownWork, CoversEveryKindOfCounter) {
  std::set<std::string_view> quantities;
  std::set<std::string> ids;
  for (const KnownWork& w : kernels::all_known_work()) {
    EXPECT_TRUE(ids.insert(w.id).second) << w.id << " occurs twice";
    EXPECT_NE(w.launch, nullptr) << w.id;
    for (const KnownCount& count : w.counts(kSite)) {
      EXPECT_GT(count.expected, 0) << w.id;
      quantities.insert(count.quantity);
    }
  }
  using namespace counter;
  EXPECT_THAT(quantities, testing::IsSupersetOf({kFadd,
                                                 kFmul,
                                                 kFfma,
                                                 kDadd,
                                                 kDmul,
                                                 kDfma,
                                                 kHadd,
                                                 kHmul,
                                                 kHfma,
                                                 kIntegerOps,
                                                 kDramReadBytes,
                                                 kDramWriteBytes,
                                                 kL2Bytes,
                                                 kL1Bytes,
                                                 kSharedBytes,
                                                 kSharedLoadWavefronts,
                                                 kSharedStoreWavefronts,
                                                 kWarpExecutionEfficiency,
                                                 kWarpNonpredExecutionEfficiency,
                                                 kGlobalLoadSectorEfficiency}));
}

TEST(KnownWork, OperationsFollowFromTheLaunchAndAreExact) {
  constexpr double kOperations = 132.0 * 256 * 256;  // blocks, threads, instructions
  const std::string fadd{counter::kFadd};
  const auto verdict = [&](double with, double without) {
    return verdicts("f32_add", counters({{counter::kFadd, with}}), counters({{counter::kFadd, without}}))
        .at(fadd);
  };
  EXPECT_EQ(verdict(kOperations, 0), Verdict::agrees);
  EXPECT_EQ(verdict(kOperations + 7, 7), Verdict::agrees) << "what both launches do is subtracted";
  EXPECT_EQ(verdict(kOperations + 1, 0), Verdict::differs);
  EXPECT_EQ(verdict(kOperations - 1, 0), Verdict::differs);
  EXPECT_EQ(verdicts("f32_add", {}, counters({{counter::kFadd, 0}})).at(fadd), Verdict::unavailable);
  EXPECT_EQ(verdicts("f32_add", counters({{counter::kFadd, kOperations}})).at(fadd), Verdict::unavailable);
}

TEST(KnownWork, ReadsAreKnownToTwoPercent) {
  constexpr double kBytes = 1ULL << 30;
  const auto verdict = [&](double factor) {
    return verdicts("dram_read", counters({{counter::kDramReadBytes, factor * kBytes}}))
        .at(std::string(counter::kDramReadBytes));
  };
  EXPECT_EQ(verdict(1.019), Verdict::agrees);
  EXPECT_EQ(verdict(0.979), Verdict::differs);
  EXPECT_EQ(verdict(0.5), Verdict::differs) << "half of the reads are missing, without an error";
}

TEST(KnownWork, OfWritesOneL2MayBeMissing) {
  constexpr double kBytes = 1ULL << 30;
  const auto written = [&](double bytes) {
    return verdicts("dram_write", counters({{counter::kDramWriteBytes, bytes}}))
        .at(std::string(counter::kDramWriteBytes));
  };
  EXPECT_EQ(written(0.981 * kBytes - 60e6), Verdict::agrees);
  EXPECT_EQ(written(0.979 * kBytes - 60e6), Verdict::differs);
  const auto copied = [&](double read, double write) {
    return verdicts("dram_copy",
                    counters({{counter::kDramReadBytes, read}, {counter::kDramWriteBytes, write}}))
        .at("dram_bytes");
  };
  EXPECT_EQ(copied(kBytes, kBytes - 60e6), Verdict::agrees);
  EXPECT_EQ(copied(kBytes, 0), Verdict::differs);
  EXPECT_EQ(verdicts("dram_copy", counters({{counter::kDramReadBytes, kBytes}})).at("dram_bytes"),
            Verdict::unavailable);
}

TEST(KnownWork, PredicationShowsInOneOfTwoEfficiencies) {
  const auto expected = [](std::string_view id) {
    std::vector<double> values;
    for (const KnownCount& count : work(id).counts(kSite)) values.push_back(count.expected);
    return values;
  };
  EXPECT_THAT(expected("half_masked_branch"), testing::ElementsAre(0.5, 0.5));
  EXPECT_THAT(expected("half_masked_predicate"), testing::ElementsAre(1, 0.5));
}

TEST(KnownWork, AConflictMultipliesWavefrontsAndNothingElse) {
  const auto free = work("shared_no_conflict").counts(kSite);
  const auto conflict = work("shared_8_way_conflict").counts(kSite);
  ASSERT_EQ(free.size(), conflict.size());
  for (std::size_t i = 0; i < free.size(); ++i) {
    const bool is_wavefronts = free[i].unit == ComparedUnit::wavefronts;
    EXPECT_EQ(conflict[i].expected, (is_wavefronts ? 8 : 1) * free[i].expected) << free[i].quantity;
  }
}

TEST(KnownWork, BothPassesMustCountTheSameInstructions) {
  const auto launch = [](double hardware, double instrumentation) {
    return counters(
        {{counter::kWarpInstructions, hardware}, {counter::kWarpInstructionsSass, instrumentation}});
  };
  EXPECT_EQ(agreement_of_passes({launch(5, 5), launch(7, 7)}).verdict(), Verdict::agrees);
  EXPECT_EQ(agreement_of_passes({launch(5, 5), launch(7, 8)}).verdict(), Verdict::differs);
  EXPECT_EQ(agreement_of_passes({launch(5, 5), {}}).verdict(), Verdict::unavailable);
}

}  // namespace
}  // namespace rooflinectl
