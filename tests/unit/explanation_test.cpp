// SPDX-License-Identifier: Apache-2.0
#include "analysis/explanation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>

#include "core/files.h"
#include "core/run.h"

namespace rooflinectl {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Ids = std::vector<std::string_view>;

Ids ids_of(const std::vector<Finding>& findings) {
  Ids ids;
  for (const Finding& finding : findings) ids.push_back(finding.rule);
  return ids;
}

// ---- the recording of an H200 ----

Run recording() {
  const auto path =
      std::filesystem::path(ROOFLINECTL_SOURCE_FOLDER) / "recordings" / "reductions-h200" / "run.json";
  return run_from_json(read_file(path), path.string());
}

/// Each point's findings, one line per point: `ladder V0: issue-bound, …`.
std::vector<std::string> all_findings(const Run& run) {
  std::vector<std::string> lines;
  const Analysis analysis = analyse(run);
  for (const ExperimentAnalysis& experiment : analysis.experiments) {
    for (const RooflinePoint& point : experiment.points) {
      lines.push_back(fmt::format("{} {}: {}", experiment.name, point.label,
                                  fmt::join(ids_of(explain(run, point).findings), ", ")));
    }
  }
  return lines;
}

TEST(Explanation, OfTheRecordingFindsWhatIsKnownOfEachVersionAndNothingElse) {
  EXPECT_THAT(
      all_findings(recording()),
      ElementsAre(
          "ladder V0: issue-bound, branch-divergence, uncoalesced-loads, uncoalesced-stores, "
          "excess-traffic",
          "ladder V1: issue-bound, predication", "ladder V2: issue-bound, predication, bank-conflicts",
          "ladder V3: issue-bound, predication", "ladder V4: issue-bound, predication",
          "ladder V5: bytes-in-flight, redundant-operations",
          "ladder V6: bytes-in-flight, redundant-operations",
          "ladder V6 manual: bytes-in-flight, redundant-operations", "ladder V7: memory-bound",
          "ladder V8: memory-bound", "ladder atomic: ", "ladder smem tree: predication",
          "ladder warp shuffle: redundant-operations", "ladder block shuffle: redundant-operations",
          "seeds_ladder V0: issue-bound, branch-divergence, uncoalesced-loads, uncoalesced-stores, "
          "excess-traffic",
          "seeds_ladder V1: issue-bound, predication",
          "seeds_ladder V2: issue-bound, predication, bank-conflicts",
          "seeds_ladder V3: issue-bound, predication", "seeds_ladder V4: issue-bound, predication",
          "seeds_ladder V5: bytes-in-flight, redundant-operations",
          "seeds_ladder V6: bytes-in-flight, redundant-operations",
          "seeds_ladder V6 manual: bytes-in-flight, redundant-operations", "seeds_ladder V7: memory-bound",
          "seeds_ladder V8: memory-bound", "seeds_sum atomic f32: ", "seeds_sum smem tree f32: predication",
          "seeds_sum warp shuffle e1 f32: redundant-operations",
          "seeds_sum warp shuffle e8 f32: redundant-operations",
          "seeds_sum warp shuffle e128 f32: few-blocks", "seeds_sum block shuffle f32: redundant-operations",
          "seeds_sum atomic f16: ", "seeds_sum smem tree f16: predication",
          "seeds_sum warp shuffle e1 f16: redundant-operations",
          "seeds_sum warp shuffle e8 f16: redundant-operations",
          "seeds_sum warp shuffle e128 f16: few-blocks",
          "seeds_sum block shuffle f16: redundant-operations"));
}

TEST(Explanation, OfAStepNamesWhatMovedAndWhichRulesNoLongerHold) {
  const auto run = recording();
  const Analysis analysis = analyse(run);
  const LadderStep& v2_to_v3 = analysis.experiments[0].steps[2];
  ASSERT_EQ(v2_to_v3.to->label, "V3");
  const StepExplanation explanation = explain(run, v2_to_v3);
  EXPECT_EQ(explanation.changes[0].text, "bank conflicts went away");
  EXPECT_EQ(explanation.changes[0].move.name, "shared wavefronts per instruction");
  EXPECT_THAT(explanation.gone, ElementsAre("bank-conflicts"));
  EXPECT_THAT(explanation.came, IsEmpty());
}

TEST(Explanation, EveryDerivedQuantityHasAMeaningWhenItMoves) {
  std::set<std::string_view> known;
  for (const MoveRule& rule : move_rules()) known.insert(rule.quantity);
  for (const Measurement& measurement : recording().measurements) {
    for (const DerivedQuantity& quantity : derived_quantities(measurement)) {
      EXPECT_TRUE(known.contains(quantity.name)) << quantity.name;
    }
  }
}

}  // namespace
}  // namespace rooflinectl
