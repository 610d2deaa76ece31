// SPDX-License-Identifier: Apache-2.0
#include "core/plan/plan_yaml.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"

namespace rooflinectl::plan_yaml_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

VariantInfo variant(const std::string& id, std::vector<Dtype> dtypes, std::vector<int> block_sizes,
                    std::optional<int> elements_per_thread = std::nullopt) {
  VariantInfo info;
  info.id = id;
  info.dtypes = std::move(dtypes);
  info.block_sizes = std::move(block_sizes);
  info.default_block_size = info.block_sizes.empty() ? 0 : 256;
  info.default_elements_per_thread = elements_per_thread;
  return info;
}

PrimitiveInfo primitive(const std::string& id, const std::string& family) {
  PrimitiveInfo info;
  info.id = id;
  info.family = family;
  return info;
}

const Catalogue& catalogue() {
  static const Catalogue kCatalogue = {
      {variant("reduce_v0_global", {Dtype::f32}, {128, 256, 512}),
       variant("reduce_v3_sequential", {Dtype::f32}, {256}),
       variant("sum_atomic", {Dtype::f32, Dtype::f16}, {256}),
       variant("sum_warp_shuffle", {Dtype::f32, Dtype::f16}, {128, 256}, 8)},
      {"dram_copy", "dram_read", "f32_add", "f32_fma"},
      {primitive("shuffle_down_i32", "shuffle"), primitive("shuffle_up_i32", "shuffle"),
       primitive("vote_any", "vote")}};
  return kCatalogue;
}

Plan parse(std::string_view text) {
  return parse_plan(text, "plan.yaml", catalogue());
}

/// The diagnostics for a plan that must be refused, one per line.
std::vector<std::string> mistakes_in(std::string_view text, const Catalogue& known = catalogue()) {
  try {
    parse_plan(text, "plan.yaml", known);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    std::vector<std::string> lines;
    std::istringstream stream(error.what());
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }
  return {};
}

/// A plan of one experiment `e`, given the lines of its body.
std::string plan_of(const std::vector<std::string>& body) {
  std::string text = "name: test\nexperiments:\n  e:\n";
  for (const std::string& line : body) text += "    " + line + "\n";
  return text;
}

std::vector<std::string> point_names(const Plan& plan) {
  std::vector<std::string> names;
  for (const PointId& point : all_points(plan)) names.push_back(range_name(point));
  return names;
}

TEST(PlanYaml, ReadsASmallPlan) {
  const Plan plan = parse(
      "name: first\n"
      "ceilings: [f32_fma, dram_read]\n"
      "experiments:\n"
      "  one:\n"
      "    title: The first\n"
      "    variants: sum_atomic\n"
      "    sizes: 2^20\n"
      "    timing: {target: 1 %, time_limit: 500 ms}\n"
      "    counters: none\n");
  EXPECT_EQ(plan.name, "first");
  EXPECT_THAT(plan.ceilings, ElementsAre("f32_fma", "dram_read"));
  ASSERT_THAT(plan.experiments, SizeIs(1));
  EXPECT_EQ(plan.experiments[0].title, "The first");
  EXPECT_EQ(plan.experiments[0].counters, CounterSet::none);
  EXPECT_DOUBLE_EQ(plan.experiments[0].timing.relative_half_width, 0.01);
  EXPECT_DOUBLE_EQ(plan.experiments[0].timing.time_limit_s, 0.5);
  EXPECT_THAT(point_names(plan), ElementsAre("one.sum_atomic.f32.n1048576.b256.cold"));
  EXPECT_THAT(plan.text, HasSubstr("title: The first"));
}

TEST(PlanYaml, CeilingsCanBeGlobs) {
  const auto ceilings = [](const std::string& listed) {
    return parse("ceilings: " + listed + "\n" + plan_of({"variants: sum_atomic", "sizes: 1"})).ceilings;
  };
  EXPECT_THAT(ceilings("dram_*"), ElementsAre("dram_copy", "dram_read"));
  EXPECT_THAT(ceilings("[f32_add, '*a*']"), ElementsAre("f32_add", "dram_copy", "dram_read", "f32_fma"));
}

TEST(PlanYaml, CeilingsAreAllUnlessListed) {
  EXPECT_EQ(parse(plan_of({"variants: sum_atomic", "sizes: 1"})).ceilings, catalogue().ceilings);
  EXPECT_EQ(parse("ceilings: all\n" + plan_of({"variants: sum_atomic", "sizes: 1"})).ceilings,
            catalogue().ceilings);
}

TEST(PlanYaml, PointsGoThroughSizesThenDtypesThenCacheStatesThenVariants) {
  const Plan plan = parse(plan_of({"variants: [sum_warp_shuffle, sum_atomic]", "sizes: [4, 2]",
                                   "dtypes: [f32, f16]", "cache: [cold, warm]"}));
  const std::vector<std::string> names = point_names(plan);
  ASSERT_THAT(names, SizeIs(16));
  EXPECT_EQ(names[0], "e.sum_warp_shuffle.f32.n4.b256.e8.cold");
  EXPECT_EQ(names[1], "e.sum_atomic.f32.n4.b256.cold");
  EXPECT_EQ(names[2], "e.sum_warp_shuffle.f32.n4.b256.e8.warm");
  EXPECT_EQ(names[4], "e.sum_warp_shuffle.f16.n4.b256.e8.cold");
  EXPECT_EQ(names[8], "e.sum_warp_shuffle.f32.n2.b256.e8.cold");
}

TEST(PlanYaml, DefaultsHoldUnlessAnExperimentOverridesThem) {
  const Plan plan = parse(
      "name: n\n"
      "defaults: {dtypes: f16, cache: warm, sizes: 1Ki, counters: none, timing: {target: 2 %}}\n"
      "experiments:\n"
      "  a: {variants: sum_atomic}\n"
      "  b: {variants: sum_atomic, sizes: 2Ki, dtypes: f32, cache: cold, counters: basic, timing: "
      "{time_limit: 1 s}}\n");
  EXPECT_THAT(point_names(plan),
              ElementsAre("a.sum_atomic.f16.n1024.b256.warm", "b.sum_atomic.f32.n2048.b256.cold"));
  EXPECT_EQ(plan.experiments[0].counters, CounterSet::none);
  EXPECT_EQ(plan.experiments[1].counters, CounterSet::basic);
  EXPECT_DOUBLE_EQ(plan.experiments[1].timing.relative_half_width, 0.02);
  EXPECT_DOUBLE_EQ(plan.experiments[1].timing.time_limit_s, 1);
}

TEST(PlanYaml, EnergyIsMeasuredWhereItIsAskedFor) {
  const Plan plan = parse(
      "name: p\ndefaults: {sizes: 1Ki, energy: true}\nexperiments:\n"
      "  metered: {variants: sum_atomic}\n  plain: {variants: sum_atomic, energy: false}\n");
  EXPECT_TRUE(plan.experiments.at(0).energy);
  EXPECT_FALSE(plan.experiments.at(1).energy);
  EXPECT_THAT(mistakes_in("name: p\nexperiments: {e: {sizes: 1Ki, variants: sum_atomic, energy: yes}}\n"),
              ElementsAre(HasSubstr("'yes' is neither true nor false")));
}

TEST(PlanYaml, SizesAsPeopleWriteThem) {
  const Plan plan =
      parse(plan_of({"variants: sum_atomic", "sizes: [2^28, 32Mi, 1Ki, 1Gi, 1000000, 0, 2^40]"}));
  std::vector<std::uint64_t> sizes;
  for (const PointId& point : all_points(plan)) sizes.push_back(*size_of(point));
  EXPECT_THAT(sizes, ElementsAre(268435456, 33554432, 1024, 1073741824, 1000000, 0, std::uint64_t{1} << 40));
}

TEST(PlanYaml, NonsenseSizesAreRefused) {
  for (const char* size : {"-1", "2^41", "2^64", "2^", "2^-1", "1.5", "99999999999999999999", "1099511627777",
                           "Ki", "0x10", "''", "1 Mi", "2048Gi", "~", "1.00001k", "2e12"}) {
    EXPECT_THAT(mistakes_in(plan_of({"variants: sum_atomic", std::string("sizes: [") + size + "]"})),
                SizeIs(1))
        << size;
  }
}

// ---- globs and names

TEST(PlanYaml, GlobsExpandInCatalogueOrder) {
  EXPECT_THAT(point_names(parse(plan_of({"variants: '*_*o*'", "sizes: 1"}))),
              ElementsAre("e.reduce_v0_global.f32.n1.b256.cold", "e.sum_atomic.f32.n1.b256.cold"));
  EXPECT_THAT(parse(plan_of({"variants: all", "sizes: 1"})).experiments[0].points, SizeIs(4));
  EXPECT_THAT(parse(plan_of({"variants: reduce_v?_*", "sizes: 1"})).experiments[0].points, SizeIs(2));
}

TEST(PlanYaml, ANameIsMoreSpecificThanAGlob) {
  EXPECT_THAT(
      point_names(parse(plan_of(
          {"variants:", "  - sum_*", "  - sum_warp_shuffle: {elements_per_thread: [1, 128]}", "sizes: 1"}))),
      ElementsAre("e.sum_atomic.f32.n1.b256.cold", "e.sum_warp_shuffle.f32.n1.b256.e1.cold",
                  "e.sum_warp_shuffle.f32.n1.b256.e128.cold"));
}

TEST(PlanYaml, OverlappingGlobsGiveAPointOnce) {
  EXPECT_THAT(parse(plan_of({"variants: [sum_*, all]", "sizes: 1"})).experiments[0].points, SizeIs(4));
}

// ---- what variants take

TEST(PlanYaml, BlockSizesApplyToVariantsThatHaveAChoice) {
  EXPECT_THAT(point_names(parse(plan_of({"variants: reduce_*", "sizes: 1", "block: [128, 512]"}))),
              ElementsAre("e.reduce_v0_global.f32.n1.b128.cold", "e.reduce_v0_global.f32.n1.b512.cold",
                          "e.reduce_v3_sequential.f32.n1.b256.cold"));
}

/// With a variant over several GPUs.
Catalogue catalogue_of_several() {
  Catalogue known = catalogue();
  known.variants.push_back(variant("sum_multi_best", {Dtype::f32}, {256}));
  known.variants.back().several_gpus = true;
  return known;
}

std::vector<std::string> names_over_gpus(const std::vector<std::string>& body) {
  return point_names(parse_plan(plan_of(body), "plan.yaml", catalogue_of_several()));
}

TEST(PlanYaml, GpusApplyToVariantsOfSeveral) {
  EXPECT_THAT(names_over_gpus({"variants: [sum_atomic, sum_multi_best]", "sizes: 8", "gpus: [1, 4]"}),
              ElementsAre("e.sum_atomic.f32.n8.b256.cold", "e.sum_multi_best.f32.n8.b256.cold.gpus1",
                          "e.sum_multi_best.f32.n8.b256.cold.gpus4"));
  EXPECT_THAT(names_over_gpus({"variants: sum_multi_best", "sizes: 8"}),
              ElementsAre("e.sum_multi_best.f32.n8.b256.cold.gpus2"));
  EXPECT_THAT(names_over_gpus({"variants: [sum_multi_best: {gpus: 3}]", "sizes: 8", "gpus: 2"}),
              ElementsAre("e.sum_multi_best.f32.n8.b256.cold.gpus3"));
}

TEST(PlanYaml, SizesPerGpuAreMultiplied) {
  EXPECT_THAT(names_over_gpus({"variants: [sum_atomic, sum_multi_best]", "sizes_per_gpu: 8", "gpus: [1, 4]"}),
              ElementsAre("e.sum_atomic.f32.n8.b256.cold", "e.sum_multi_best.f32.n8.b256.cold.gpus1",
                          "e.sum_multi_best.f32.n32.b256.cold.gpus4"));
}

TEST(PlanYaml, AGlobStandsForVariantsOfSeveralGpusOnlyWhereTheyAreAskedFor) {
  EXPECT_THAT(names_over_gpus({"variants: sum_*", "sizes: 8", "dtypes: f32"}), SizeIs(2));
  EXPECT_THAT(names_over_gpus({"variants: sum_*", "sizes: 8", "dtypes: f32", "gpus: 2"}), SizeIs(3));
}

TEST(PlanYaml, ElementsPerThreadApplyToVariantsThatTakeThem) {
  EXPECT_THAT(point_names(parse(plan_of({"variants: sum_*", "sizes: 1", "elements_per_thread: 4"}))),
              ElementsAre("e.sum_atomic.f32.n1.b256.cold", "e.sum_warp_shuffle.f32.n1.b256.e4.cold"));
}

TEST(PlanYaml, SettingsThatNoVariantTakesAreRefused) {
  EXPECT_THAT(mistakes_in(plan_of({"variants: sum_atomic", "sizes: 1", "elements_per_thread: 4"})),
              ElementsAre("plan.yaml:6:26: no variant of this experiment supports 'elements_per_thread': "
                          "their kernels fix it"));
  EXPECT_THAT(mistakes_in(plan_of({"variants: all", "sizes: 1", "block: [128, 192]"})),
              ElementsAre("plan.yaml:6:18: no variant of this experiment supports 192 threads per block; "
                          "supported: 128, 256, 512"));
  EXPECT_THAT(
      mistakes_in(plan_of({"variants: [sum_atomic: {block: 64}]", "sizes: 1"})),
      ElementsAre(
          "plan.yaml:4:36: no variant of this experiment supports 64 threads per block; supported: 256"));
  EXPECT_THAT(
      mistakes_in(plan_of({"variants: [reduce_v0_global, sum_warp_shuffle]", "sizes: 1", "block: 512"})),
      ElementsAre(
          "plan.yaml:4:34: 'sum_warp_shuffle' does not support 512 threads per block; supported: 128, 256"));
  EXPECT_THAT(mistakes_in(plan_of({"variants: all", "sizes: 1", "block: [0, -1, 1.5, x]"})), SizeIs(4));
}

TEST(PlanYaml, ADtypeIsRequiredOfNamesAndSkippedForGlobs) {
  EXPECT_THAT(
      mistakes_in(plan_of({"variants: [sum_atomic, reduce_v0_global]", "sizes: 1", "dtypes: [f32, f16]"})),
      ElementsAre("plan.yaml:4:28: 'reduce_v0_global' does not support f16, only f32"));
  EXPECT_THAT(point_names(parse(plan_of({"variants: all", "sizes: 1", "dtypes: f16"}))),
              ElementsAre("e.sum_atomic.f16.n1.b256.cold", "e.sum_warp_shuffle.f16.n1.b256.e8.cold"));
  EXPECT_THAT(mistakes_in(plan_of({"variants: reduce_*", "sizes: 1", "dtypes: [f32, f16]"})),
              ElementsAre("plan.yaml:6:19: no variant of this experiment supports f16"));
}

TEST(PlanYaml, ACatalogueOfIdsTakesDtypesAndBlocksOnTrust) {
  const Catalogue ids = {{variant("sum_atomic", {}, {}), variant("sum_warp_shuffle", {}, {})}, {}};
  const std::string text = plan_of({"variants: [sum_atomic, sum_warp_shuffle: {elements_per_thread: 2}]",
                                    "sizes: 1", "dtypes: bf16", "block: 64"});
  EXPECT_THAT(point_names(parse_plan(text, "plan.yaml", ids)),
              ElementsAre("e.sum_atomic.bf16.n1.b64.cold", "e.sum_warp_shuffle.bf16.n1.b64.e2.cold"));
  EXPECT_THAT(mistakes_in(plan_of({"variants: sum_atomix", "sizes: 1"}), ids), SizeIs(1));
}

// ---- mistakes

TEST(PlanYaml, ReportsAllMistakesAtOnceInTheOrderOfTheFile) {
  EXPECT_THAT(
      mistakes_in("name: my plan\n"
                  "ceilings: [dram_reed]\n"
                  "defaults: {cache: hold, dtyps: f32}\n"
                  "experiments:\n"
                  "  ladder:\n"
                  "    variants: [reduce_v3_seqential, reducee_*]\n"
                  "    sizes: 2^99\n"
                  "    dtypes: [fp32]\n"
                  "    counters: basci\n"
                  "  no/slash:\n"
                  "    sizes: 1\n"),
      ElementsAre(
          "plan.yaml:1:7: the name of the plan 'my plan' must consist of 1 to 64 letters, digits, '_' and "
          "'-'",
          "plan.yaml:2:12: unknown ceiling 'dram_reed'; did you mean 'dram_read'?",
          "plan.yaml:3:19: unknown cache state 'hold'; did you mean 'cold'?",
          "plan.yaml:3:25: unknown key 'dtyps'; did you mean 'dtypes'?",
          "plan.yaml:6:16: unknown variant 'reduce_v3_seqential'; did you mean 'reduce_v3_sequential'?",
          "plan.yaml:6:37: no variant matches 'reducee_*'; did you mean 'reduce_v0_global'?",
          "plan.yaml:7:12: '2^99' is not a number of elements, such as 2^28, 32Mi, 1M or 1000000 (maximum "
          "2^40)",
          "plan.yaml:8:14: unknown dtype 'fp32'; did you mean 'f32'?",
          "plan.yaml:9:15: unknown counter set 'basci'; did you mean 'basic'?",
          "plan.yaml:10:3: the experiment 'no/slash' has no 'variants'",
          "plan.yaml:10:3: the name of the experiment 'no/slash' must consist of 1 to 64 letters, digits, "
          "'_' and '-'"));
}

TEST(PlanYaml, MissingParts) {
  EXPECT_THAT(mistakes_in("ceilings: all\n"), ElementsAre("plan.yaml:1:1: the plan has no 'experiments'",
                                                          "plan.yaml:1:1: the plan has no 'name'"));
  EXPECT_THAT(mistakes_in("name: x\nexperiments:\n"),
              ElementsAre("plan.yaml:2:1: 'experiments' has no value"));
  EXPECT_THAT(mistakes_in("name: x\nexperiments: {}\n"),
              ElementsAre("plan.yaml:2:1: the plan has no experiments"));
  EXPECT_THAT(mistakes_in("name: x\nexperiments:\n  e:\n"),
              ElementsAre("plan.yaml:3:3: the experiment 'e' must be a map of `key: value`, not nothing"));
  EXPECT_THAT(mistakes_in(plan_of({"variants: []", "sizes: []"})),
              ElementsAre("plan.yaml:4:15: 'variants' is empty", "plan.yaml:5:12: 'sizes' is empty"));
  EXPECT_THAT(mistakes_in(plan_of({"variants:", "sizes:"})),
              ElementsAre("plan.yaml:4:5: 'variants' has no value", "plan.yaml:5:5: 'sizes' has no value"));
}

TEST(PlanYaml, NothingIsGivenTwice) {
  EXPECT_THAT(mistakes_in("name: x\nname: y\n" + plan_of({"variants: all", "sizes: 1"}).substr(11)),
              ElementsAre("plan.yaml:2:1: 'name' is listed twice"));
  EXPECT_THAT(mistakes_in(plan_of({"variants: all", "sizes: 1"}) + "  e:\n    variants: all\n    sizes: 2\n"),
              ElementsAre("plan.yaml:6:3: 'e' is listed twice"));
  EXPECT_THAT(
      mistakes_in(plan_of({"variants: [sum_atomic, sum_atomic]", "sizes: [1Ki, 1024]"})),
      ElementsAre("plan.yaml:4:28: 'sum_atomic' is listed twice", "plan.yaml:5:18: '1024' is listed twice"));
  EXPECT_THAT(
      mistakes_in(plan_of({"variants: [all, sum_*]", "sizes: 1"})),
      ElementsAre(
          "plan.yaml:4:21: 'sum_*' adds nothing: the list already has every variant that it matches"));
}

TEST(PlanYaml, TheWrongKindOfValue) {
  EXPECT_THAT(mistakes_in("- a\n- b\n"),
              ElementsAre("plan.yaml:1:1: a plan must be a map of `key: value`, not a list"));
  EXPECT_THAT(mistakes_in("just words\n"),
              ElementsAre("plan.yaml:1:1: a plan must be a map of `key: value`, not a single value"));
  EXPECT_THAT(
      mistakes_in(plan_of({"variants: [[sum_atomic]]", "sizes: {a: 1}", "timing: fast"})),
      ElementsAre("plan.yaml:4:16: a variant with its own settings must be a map of `key: value`, not a list",
                  "plan.yaml:5:12: expected a single value, not a map",
                  "plan.yaml:6:13: 'timing' must be a map of `key: value`, not a single value"));
  EXPECT_THAT(mistakes_in(plan_of({"variants: all", "sizes: 1", "timing: {target: 0.005, time_limit: 2}"})),
              SizeIs(2));
  EXPECT_THAT(mistakes_in(plan_of({"variants: all", "sizes: 1", "timing: {target: 0 %, time_limit: 0 s}"})),
              SizeIs(2));
  EXPECT_THAT(
      mistakes_in(plan_of({"variants: all", "sizes: 1", "timing: {target: nan %, time_limit: inf s}"})),
      SizeIs(2));
}

TEST(PlanYaml, WhatIsNotYaml) {
  EXPECT_THAT(mistakes_in(""), ElementsAre("plan.yaml:1:1: the file is empty"));
  EXPECT_THAT(mistakes_in("# only a comment\n"), ElementsAre("plan.yaml:1:1: the file is empty"));
  EXPECT_THAT(mistakes_in("name: [a\n"), ElementsAre(HasSubstr("not valid YAML: ")));
  EXPECT_THAT(mistakes_in("name: x\nexperiments:\n\te:\n"),
              ElementsAre("plan.yaml:3:1: a tab in the indentation; YAML requires spaces"));
  EXPECT_THAT(mistakes_in(plan_of({"variants: *_shuffle"})), ElementsAre(HasSubstr("needs quotes")));
  EXPECT_THAT(mistakes_in("name: a\n---\nname: b\n"),
              ElementsAre("plan.yaml:2:1: a second YAML document; a plan is a single one"));
  EXPECT_THAT(mistakes_in("name: \xff\n"), ElementsAre("plan.yaml:1:7: not UTF-8 text"));
  EXPECT_THAT(mistakes_in(std::string("name: a\nx\0y", 11)),
              ElementsAre("plan.yaml:2:2: a control character"));
}

TEST(PlanYaml, ColumnsCountCharacters) {
  EXPECT_THAT(mistakes_in("name: \"µé\xff\"\n"), ElementsAre("plan.yaml:1:10: not UTF-8 text"));
  const std::string mistakes = "# é\n{name: x, \"é\": 1, \"日本\": 1, experiments: 1}\n";
  EXPECT_THAT(mistakes_in(mistakes),
              ElementsAre(StartsWith("plan.yaml:2:11: unknown key"),
                          StartsWith("plan.yaml:2:19: unknown key"), StartsWith("plan.yaml:2:41: ")));
  EXPECT_THAT(mistakes_in("\xef\xbb\xbfname: \"é\"\nexperiments: 1\n"),
              ElementsAre(StartsWith("plan.yaml:1:7: the name of the plan"), StartsWith("plan.yaml:2:14: ")));
}

// ---- hostile files

TEST(PlanYaml, BillionLaughsAreRefusedQuickly) {
  std::string text = "name: x\na: &a [sum_atomic, sum_atomic]\n";
  for (char c = 'b'; c <= 'z'; ++c) {
    const std::string before(1, static_cast<char>(c - 1));
    text += std::string(1, c) + ": &" + c + " [*" + before + ", *" + before + "]\n";
  }
  text += "experiments: {e: {variants: *z, sizes: *z}}\n";
  EXPECT_THAT(mistakes_in(text),
              ElementsAre(HasSubstr("the plan has more than 1000000 values, aliases included")));
}

TEST(PlanYaml, OneLongListThatManyEntriesRepeatIsRefusedQuickly) {
  std::string text = "name: x\nexperiments:\n  a: &a {variants: all, sizes: [1";
  for (int i = 2; i < 3'000; ++i) text += fmt::format(", {}", i);
  text += "]}\n";
  for (int i = 0; i < 3'000; ++i) text += fmt::format("  e{}: *a\n", i);
  EXPECT_THAT(mistakes_in(text), ElementsAre(HasSubstr("aliases included")));
}

TEST(PlanYaml, StrayPunctuationIsRefused) {
  for (const char* const text : {", a", "]", "}", "name: a\n]", "# x\n, bf16, i32\n  cache: cold\n"}) {
    EXPECT_THAT(mistakes_in(text), testing::Not(IsEmpty())) << text;
  }
}

TEST(PlanYaml, AnAliasOfItselfIsRefused) {
  EXPECT_THAT(mistakes_in("name: &a [*a]"), ElementsAre(HasSubstr("nested deeper than 100 levels")));
}

TEST(PlanYaml, ATabAfterManyLinesIsFoundQuickly) {
  EXPECT_THAT(mistakes_in(std::string(1 << 19, '\n') + "a: [\n\tb"),
              ElementsAre(HasSubstr(":524290:1: a tab")))
      << "which takes minutes if every line looks for it";
}

TEST(PlanYaml, DeepNestingIsRefused) {
  EXPECT_THAT(mistakes_in("name: " + std::string(100'000, '[')), SizeIs(1));
  EXPECT_THAT(mistakes_in("name: " + std::string(100'000, '{')), SizeIs(1));
  std::string questions;
  for (int i = 0; i < 50'000; ++i) questions += "? ";
  EXPECT_THAT(mistakes_in(questions), SizeIs(1));
}

TEST(PlanYaml, TheNumberOfPointsIsBounded) {
  std::string sizes = "sizes: [0";
  for (int i = 1; i < 30'000; ++i) sizes += fmt::format(",{}", i);
  EXPECT_THAT(mistakes_in(plan_of({"variants: all", sizes + "]"})),
              ElementsAre("plan.yaml:3:3: the plan has more than 100000 points"));
}

TEST(PlanYaml, TheSizeOfTheFileAndTheNumberOfMistakesAreBounded) {
  EXPECT_THAT(mistakes_in(std::string(2 << 20, '#')),
              ElementsAre("plan.yaml:1:1: the file is larger than 1 MiB"));
  std::string variants = "variants: [x0";
  for (int i = 1; i < 5'000; ++i) variants += fmt::format(",x{}", i);
  EXPECT_THAT(mistakes_in(plan_of({variants + "]", "sizes: 1"})), SizeIs(1000));
}

TEST(PlanYaml, PrimitivesAreIdsGlobsFamiliesOrAllInTheOrderOfTheCatalogue) {
  const auto primitives = [](const std::string& list) {
    return parse("name: p\nprimitives: " + list + "\n").primitives;
  };
  EXPECT_THAT(primitives("all"), ElementsAre("shuffle_down_i32", "shuffle_up_i32", "vote_any"));
  EXPECT_THAT(primitives("[vote_any, shuffle]"),
              ElementsAre("shuffle_down_i32", "shuffle_up_i32", "vote_any"));
  EXPECT_THAT(primitives("shuffle_u*"), ElementsAre("shuffle_up_i32"));
  EXPECT_THAT(parse("name: p\nexperiments: {e: {variants: sum_atomic, sizes: 8}}\n").primitives, IsEmpty());
}

TEST(PlanYaml, AnUnknownPrimitiveIsNamedWithTheNearestOne) {
  EXPECT_THAT(mistakes_in("name: p\nprimitives: [shufle]\n"),
              ElementsAre(HasSubstr("plan.yaml:2:14: unknown primitive 'shufle'; did you mean 'shuffle'?")));
}

TEST(PlanYaml, WithoutPrimitivesAPlanNeedsExperiments) {
  EXPECT_THAT(mistakes_in("name: p\n"), ElementsAre(HasSubstr("the plan has no 'experiments'")));
}

TEST(PlanApplication, IsAnExperimentWithOrWithoutVariants) {
  const Plan plan = parse(R"(
name: mine
experiments:
  step:
    application:
      command: [python3, -u, train.py, --steps, 20, -u]
      env: {OMP_NUM_THREADS: 4, EMPTY: ""}
      cwd: model
      kernels: gemm|conv
      nvtx: step *
      capture: nvtx:epoch
      samples: 5
  sums:
    variants: sum_atomic
    sizes: 2^20
)");
  ASSERT_THAT(plan.experiments, SizeIs(2));
  EXPECT_EQ(plan.experiments[0].application,
            (PlannedApplication{.command = {"python3", "-u", "train.py", "--steps", "20", "-u"},
                                .environment = {{"OMP_NUM_THREADS", "4"}, {"EMPTY", ""}},
                                .folder = "model",
                                .kernels = "gemm|conv",
                                .nvtx = "step *",
                                .capture = "nvtx:epoch",
                                .samples = 5}));
  EXPECT_THAT(plan.experiments[0].points, IsEmpty());
  EXPECT_EQ(experiment_with_application(plan), &plan.experiments[0]);
  EXPECT_EQ(plan.experiments[1].application, std::nullopt);

  const Plan both = parse(
      "name: mine\nexperiments:\n  a: {variants: sum_atomic, sizes: 2^20, application: {command: "
      "./solver}}\n");
  EXPECT_THAT(both.experiments[0].points, SizeIs(1));
  EXPECT_THAT(both.experiments[0].application->command, ElementsAre("./solver"));
}

TEST(PlanApplication, MistakesAreNamedAtTheirPlace) {
  const auto mistakes_of = [](std::string_view application) {
    return mistakes_in(fmt::format("name: mine\nexperiments:\n  a:\n    application: {}\n", application));
  };
  EXPECT_THAT(mistakes_of("{}"), ElementsAre(HasSubstr("command")));
  EXPECT_THAT(mistakes_of("{command: python3 train.py}"),
              ElementsAre(HasSubstr("plan.yaml:4:28: 'command' is a list of words")));
  EXPECT_THAT(mistakes_of("{command: []}"), ElementsAre(HasSubstr("'command' names no program")));
  EXPECT_THAT(mistakes_of("{command: a, capture: nvtx}"),
              ElementsAre(HasSubstr("'nvtx' is not one of all, cuda-profiler and nvtx:NAME")));
  EXPECT_THAT(mistakes_of("{command: a, kernels: '('}"),
              ElementsAre(HasSubstr("is not a regular expression")));
  EXPECT_THAT(mistakes_of("{command: a, samples: 0}"), ElementsAre(HasSubstr("a positive integer, not '0'")));
  EXPECT_THAT(mistakes_of("{command: a, env: {'A=B': c}}"),
              ElementsAre(HasSubstr("'A=B' is not a variable name")));
  EXPECT_THAT(mistakes_of("{command: a, kernel: b}"), ElementsAre(HasSubstr("kernels")));
}

TEST(PlanApplication, OfTwoExperimentsAreOneTooMany) {
  EXPECT_THAT(mistakes_in("name: mine\nexperiments:\n  a: {application: {command: x}}\n  b: {application: "
                          "{command: y}}\n"),
              ElementsAre(HasSubstr("plan.yaml:4:3: another experiment has an application already")));
}

}  // namespace
}  // namespace rooflinectl::plan_yaml_test
