// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/files/files.h"
#include "core/serial/run_file.h"
#include "core/text/printable.h"
#include "reports/formats/formats.h"
#include "reports/sentences/sentences.h"
#include "reports/text/csv.h"
#include "tests/support/generated_file.h"

namespace rooflinectl {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::filesystem::path kSource = ROOFLINECTL_SOURCE_FOLDER;

struct Recording {
  Run run = read_run(kSource / "recordings/reductions-h200/run.json.gz");
  Analysis analysis = analyse(run);
};

TEST(ExplanationText, NamesBoundEvidenceAndNextStep) {
  const Recording recorded;
  const std::string text = terminal_explanation(recorded.run, recorded.analysis, {.point = "V7"}, 100);
  EXPECT_THAT(text, HasSubstr("V7: DRAM-bound, 97.6 % of roofline; busiest level: DRAM 98 %\n"));
  EXPECT_THAT(text, HasSubstr("  dram-roof: DRAM runs close to its ceiling"));
  EXPECT_THAT(text, HasSubstr("    fraction of roofline: 97.6 %, DRAM utilisation: 97.6 %\n"));
  EXPECT_THAT(text, HasSubstr("    next: There is little left to gain"));
  // V6 is latency-bound, so what hides latency comes first.
  EXPECT_THAT(text, HasSubstr("V6 manual → V7: 1.95× faster\n  more bytes in flight: "));
  EXPECT_THAT(text, Not(HasSubstr("V6: ")));
}

TEST(ExplanationText, NamesThePointsThatAreMissing) {
  Recording recorded;
  recorded.run.measurements.erase(recorded.run.measurements.begin());
  recorded.analysis = analyse(recorded.run);
  EXPECT_THAT(terminal_explanation(recorded.run, recorded.analysis, {}, 100),
              HasSubstr("incomplete, 1 of 14 points missing: V0\n"));
  const auto json = nlohmann::json::parse(explanation_json(recorded.run, recorded.analysis, {}));
  EXPECT_EQ(json["experiments"][0]["missing"], nlohmann::json({"V0"}));
}

TEST(ExplanationText, FitsTheTerminal) {
  const Recording recorded;
  for (const std::size_t columns : {40, 100}) {
    std::istringstream lines(
        terminal_explanation(recorded.run, recorded.analysis, {.unjudged = true}, static_cast<int>(columns)));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(decode_utf8(line).size(), columns) << line;
  }
}

TEST(ExplanationText, SelectsByLabelVariantRangeAndGlob) {
  const Recording recorded;
  const RooflinePoint& point = recorded.analysis.experiments[0].points[3];
  for (const char* name : {"", "V3", "reduce_v3_sequential", "reduce_v3_*",
                           "ladder.reduce_v3_sequential.f32.n268435456.b256.cold"}) {
    EXPECT_TRUE(is_named(point, name)) << name;
  }
  EXPECT_FALSE(is_named(point, "V"));
  EXPECT_FALSE(is_named(point, "V33"));
}

TEST(ExplanationText, WhatWasNotMeasuredIsNamedOnRequest) {
  Recording recorded;
  for (Measurement& measurement : recorded.run.measurements) {
    measurement.resources = std::nullopt;
    measurement.counters.erase(std::string(counter::kBarrierStallWarpCycles));
  }
  const std::string brief = terminal_explanation(recorded.run, recorded.analysis, {.point = "V3"}, 100);
  EXPECT_THAT(brief, HasSubstr("could not be judged; --all shows why)"));
  const std::string full =
      terminal_explanation(recorded.run, recorded.analysis, {.point = "V3", .unjudged = true}, 100);
  EXPECT_THAT(full, HasSubstr("barrier-stalls: not judged; missing: warp cycles at barriers"));
}

TEST(ExplanationText, AsJsonHasNumbersInSiUnits) {
  const Recording recorded;
  const auto document =
      nlohmann::json::parse(explanation_json(recorded.run, recorded.analysis, {.point = "V7"}));
  const auto& experiment = document["experiments"][0];
  const auto& finding = experiment["points"][0]["findings"][0];
  EXPECT_EQ(experiment["points"][0]["range"], "ladder.reduce_v7_multi_add.f32.n268435456.b256.cold");
  EXPECT_EQ(finding["rule"], "dram-roof");
  EXPECT_EQ(finding["importance"], "bound");
  EXPECT_EQ(finding["evidence"][0]["unit"], "ratio");
  EXPECT_NEAR(finding["evidence"][0]["value"].get<double>(), 0.97, 0.02);
  EXPECT_EQ(experiment["steps"][0]["to"], "V7");
  EXPECT_FALSE(experiment["steps"][0]["changes"].empty());
}

/// The recording of a program with a Triton kernel, as if its lines had been sampled.
struct SampledRecording {
  static Run sampled_run() {
    Run run = read_run(kSource / "recordings/triton-attention-h200/run.json.gz");
    run.measurements.at(0).launches->sampled = SampledLines{
        .samples = 12345,
        .lines = {{.file = "/home/user/kernels/attention.py",
                   .line = 45,
                   .text = "qk = tl.dot(q, tl.load(k_block, boundary_check=(1,), padding_option='zero'))",
                   .samples = 7407,
                   .stall = "long_scoreboard",
                   .stalled = 4938},
                  {.file = "/home/user/kernels/attention.py",
                   .line = 52,
                   .text = "p = tl.math.exp2(qk - m[:, None])",
                   .samples = 2469}}};
    return run;
  }

  Run run = sampled_run();
  Analysis analysis = analyse(run);
};

TEST(ExplanationText, ListsSourceLinesBelowTheFindingsWhenThereAreSamples) {
  const SampledRecording sampled;
  const std::string text = terminal_explanation(sampled.run, sampled.analysis, {.point = "attention"}, 80);
  EXPECT_THAT(text, HasSubstr(R"(
  Where its warps were (12345 samples):
    samples  line, and what its warps did
     60.0 %  kernels/attention.py:45: 66.7 % waiting for global memory
             qk = tl.dot(q, tl.load(k_block, boundary_check=(1,),
             padding_option='zero'))
     20.0 %  kernels/attention.py:52: issuing
             p = tl.math.exp2(qk - m[:, None])
    Other lines, and code without a line, have 20.0 % of the samples.
)"));
  EXPECT_LT(text.rfind("next: "), text.find("Where its warps were"));
}

TEST(ExplanationText, SourceLinesFitTheTerminal) {
  const SampledRecording sampled;
  for (const std::size_t columns : {40, 100}) {
    std::istringstream lines(terminal_explanation(sampled.run, sampled.analysis, {.point = "attention"},
                                                  static_cast<int>(columns)));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(decode_utf8(line).size(), columns) << line;
  }
}

TEST(ExplanationText, HasNoSourceLinesWhenNoneWereSampled) {
  const Recording recorded;
  EXPECT_THAT(terminal_explanation(recorded.run, recorded.analysis, {}, 80),
              Not(HasSubstr("Where its warps were")));
}

TEST(ExplanationText, ListsSourceLinesOnceWhenPointsHaveOneKernel) {
  SampledRecording sampled;
  sampled.run.measurements.at(1).launches->sampled = sampled.run.measurements.at(0).launches->sampled;
  sampled.analysis = analyse(sampled.run);
  const std::string text = terminal_explanation(sampled.run, sampled.analysis, {}, 80);
  EXPECT_EQ(text.find("attention.py:45"), text.rfind("attention.py:45"));
  EXPECT_THAT(text, HasSubstr("Where its warps were (12345 samples): as for attention"));
}

TEST(ExplanationText, AsJsonHasSourceLinesWithSharesWhenThereAreSamples) {
  const SampledRecording sampled;
  const auto document =
      nlohmann::json::parse(explanation_json(sampled.run, sampled.analysis, {.point = "attention"}));
  const auto& lines = document["experiments"][0]["points"][0]["sampled"];
  EXPECT_EQ(lines["samples"], 12345);
  ASSERT_EQ(lines["lines"].size(), 2U);
  const auto& first = lines["lines"][0];
  EXPECT_EQ(first["share"], 0.6);
  EXPECT_EQ(first["file"], "/home/user/kernels/attention.py");
  EXPECT_EQ(first["line"], 45);
  EXPECT_THAT(first["source_text"].get<std::string>(), HasSubstr("tl.dot(q"));
  EXPECT_EQ(first["samples"], 7407);
  EXPECT_EQ(first["stall"], "long_scoreboard");
  EXPECT_EQ(first["stalled"], 4938);
  EXPECT_FALSE(lines["lines"][1].contains("stall"));
  const auto all = nlohmann::json::parse(explanation_json(sampled.run, sampled.analysis, {}));
  EXPECT_FALSE(all["experiments"][0]["points"][1].contains("sampled"));
}

// ---- docs/reference lists the rules and their quantities ----

/// `DRAM utilisation ≥ 60.0 %`
std::string condition_text(const Condition& condition) {
  const auto comparison = [&] {
    switch (condition.relation) {
      case Relation::at_least:
        return "≥";
      case Relation::at_most:
        return "≤";
      case Relation::less_than:
        return "<";
    }
    return "?";
  };
  return fmt::format("{} {} {}", condition.quantity->name, comparison(),
                     text_with_unit(condition.threshold, condition.quantity->unit));
}

/// All that has to hold for `rule` besides its verdict.
std::string conditions_text(const Rule& rule) {
  std::vector<std::string> conditions;
  for (const Condition& condition : rule.when) conditions.push_back(condition_text(condition));
  for (const Condition& condition : rule.only_if) conditions.push_back(condition_text(condition));
  if (rule.restates) conditions.push_back(fmt::format("not {}", words_for(*rule.restates).phrase));
  if (rule.is_for_programs) conditions.emplace_back("a kernel of a profiled program");
  if (rule.next_step.empty()) conditions.emplace_back("a library's kernel");
  if (rule.step_for_library.empty()) conditions.emplace_back("not a library's kernel");
  return fmt::format("{}", fmt::join(conditions, "; "));
}

TEST(ExplanationText, EveryRuleIsDocumented) {
  std::string text =
      "rule,kind,verdict,finding,conditions,next step,next step for a library's kernel,"
      "next step for its matrix products\n";
  for (const Rule& rule : rules()) {
    text += fmt::format("{},{},{},{},{},{},{},{}\n", rule.id, to_string(rule.importance),
                        rule.bound ? words_for(*rule.bound).phrase : "", csv::field(rule.text),
                        csv::field(conditions_text(rule)), csv::field(rule.next_step),
                        csv::field(rule.step_for_library), csv::field(rule.step_for_products));
  }
  expect_generated("docs/reference/rules.csv", text, "analysis/explain/rules.cpp");
}

TEST(ExplanationText, EveryQuantityIsDocumented) {
  std::map<std::string_view, const Quantity*> quantities;
  const auto add = [&](const Quantity* quantity) { quantities.emplace(quantity->name, quantity); };
  for (const Rule& rule : rules()) {
    for (const Condition& condition : rule.only_if) add(condition.quantity);
    for (const Condition& condition : rule.when) add(condition.quantity);
    for (const Quantity* quantity : rule.also) add(quantity);
  }
  const auto compared = compared_quantities();
  for (const Quantity* quantity : compared) add(quantity);
  std::string text = "quantity,formula,compared between versions\n";
  for (const auto& [name, quantity] : quantities) {
    const bool is_compared = std::find(compared.begin(), compared.end(), quantity) != compared.end();
    text += fmt::format("{},{},{}\n", csv::field(name), csv::field(quantity->formula),
                        is_compared ? "yes" : "no");
  }
  expect_generated("docs/reference/quantities.csv", text, "analysis/roofline/quantities");
}

}  // namespace
}  // namespace rooflinectl
