// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/plan/kernel_call.h"
#include "core/plan/plan_yaml.h"

namespace rooflinectl::kernel_file_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// A description with this line in place of the one that begins alike, or as another one.
std::string source(const std::string& changed = "") {
  const std::vector<std::string> lines = {
      "function: scale<{dtype}, {block}>",
      "options: -DBLOCK={block}",
      "axes: {dtype: [f32, f16], n: [2^20, 2^28], block: 256}",
      "arguments:",
      "  x: {in: dtype, count: n, fill: integers, seed: 7}",
      "  y: {out: dtype, count: n}",
      "  a: {scalar: f32, value: 2}",
      "  n: {scalar: i32, value: n}",
      "launch: {grid: \"ceil_div(n, block)\", block: block, shared: 4 * block}",
      "work: {read: n * sizeof(dtype), written: n * sizeof(dtype), flops: n}",
  };
  std::string text = "// A kernel.\n";
  bool is_changed = changed.empty();
  for (const std::string& line : lines) {
    const std::string key = line.substr(0, line.find(':') + 1);
    const bool is_this = !changed.empty() && changed.starts_with(key);
    is_changed = is_changed || is_this;
    text += "// rooflinectl: " + (is_this ? changed : line) + "\n";
  }
  if (!is_changed) text += "// rooflinectl: " + changed + "\n";
  return text + "__global__ void scale();\n";
}

Plan plan_of(const std::vector<KernelFile>& files) {
  Catalogue catalogue;
  catalogue.variants.emplace_back().id = "sum_atomic";
  return parse_kernel_files("mine", files, catalogue);
}

std::vector<std::string> mistakes_in(const std::vector<KernelFile>& files) {
  try {
    plan_of(files);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    std::vector<std::string> lines;
    std::istringstream stream(error.what());
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }
  return {};
}

std::vector<std::string> mistakes_in(const std::string& text) {
  return mistakes_in(std::vector<KernelFile>{{"my/scale.cu", text}});
}

std::vector<std::string> point_names(const Plan& plan) {
  std::vector<std::string> names;
  for (const PointId& point : all_points(plan)) names.push_back(range_name(point));
  return names;
}

TEST(KernelFile, NamesAMisspeltComment) {
  const std::string good = source();
  const std::string bad =
      good + "// rooflinctl: title: x\n  //  Rooflinectl : title: x\n// roofline: 3 FLOP/B\n";
  EXPECT_THAT(mistakes_in(bad),
              ElementsAre("my/scale.cu:13:4: 'rooflinctl' begins no description: write `rooflinectl: …`",
                          "my/scale.cu:14:7: 'Rooflinectl ' begins no description: write `rooflinectl: …`"));
  EXPECT_TRUE(has_description("// rooflinctl: function: f\n"));
  EXPECT_FALSE(has_description("// roofline: function: f\n"));
}

TEST(KernelFile, RefusesValuesThatTheirTypeDoesNotHave) {
  const auto mistakes = [](const std::string& type, const std::string& value) {
    std::string text = source();
    const std::string line = "  a: {scalar: f32, value: 2}";
    text.replace(text.find(line), line.size(), "  a: {scalar: " + type + ", value: " + value + "}");
    return mistakes_in(text);
  };
  EXPECT_THAT(mistakes("i8", "128"),
              ElementsAre(::testing::StartsWith(
                  "my/scale.cu:8:42: '128' is 128, which i8 does not have: -128 to 127 (in ")));
  for (const auto& [type, value] :
       {std::pair("u8", "0 - 1"), std::pair("i32", "2.5"), std::pair("i32", "2^31"), std::pair("f16", "1e5"),
        std::pair("f32", "1e39"), std::pair("u64", "2^64"), std::pair("i64", "2^63")}) {
    EXPECT_THAT(mistakes(type, value), SizeIs(1)) << type << " " << value;
  }
  for (const auto& [type, value] :
       {std::pair("i8", "-128"), std::pair("u8", "255"), std::pair("i32", "2^31 - 1"),
        std::pair("u32", "2^31"), std::pair("f16", "65504"), std::pair("bf16", "1e38"),
        std::pair("f64", "1e300"), std::pair("u64", "2^63"), std::pair("i64", "2^62")}) {
    EXPECT_THAT(mistakes(type, value), IsEmpty()) << type << " " << value;
  }
}

TEST(KernelFile, AsksForQuotesAroundAComma) {
  EXPECT_THAT(
      mistakes_in(source("launch: {grid: ceil_div(n, block), block: block}")),
      ::testing::Contains("my/scale.cu:10:44: unknown key 'block)'; between { }, an expression with a "
                          "comma needs quotes"));
}

TEST(KernelFile, DescribesItsKernelInComments) {
  const Plan plan = plan_of({{"my/scale.cu", source("cache: [cold, warm]")}});
  EXPECT_EQ(plan.name, "mine");
  ASSERT_THAT(plan.kernels, SizeIs(1));
  EXPECT_EQ(plan.kernels[0].id, "scale");
  EXPECT_EQ(plan.kernels[0].source, "my/scale.cu");
  EXPECT_EQ(plan.kernels[0].text, plan.text);
  EXPECT_EQ(plan.kernels[0].title, "scale");
  ASSERT_THAT(all_points(plan), SizeIs(8));
  EXPECT_EQ(point_names(plan)[3], "kernels.scale.f32.n268435456.b256.warm");
}

TEST(KernelFile, ACallHasTheValuesOfAPoint) {
  const Plan plan = plan_of({{"my/scale.cu", source()}});
  const KernelCall call = call_of(plan.kernels[0], all_points(plan)[2].axes);
  EXPECT_EQ(call.function, "scale<__half, 256>");
  EXPECT_THAT(call.options, ElementsAre("-DBLOCK=256"));
  EXPECT_EQ(call.grid, (Dimensions{4096, 1, 1}));
  EXPECT_EQ(call.block, (Dimensions{256, 1, 1}));
  EXPECT_EQ(call.shared_bytes, 1024);
  ASSERT_THAT(call.arguments, SizeIs(4));
  EXPECT_EQ(call.arguments[0].type, ArgumentType::f16);
  EXPECT_EQ(call.arguments[0].bytes(), 2 << 20);
  EXPECT_EQ(call.arguments[0].fill, (Fill{FillKind::integers, 0, 7}));
  EXPECT_EQ(call.arguments[3].fill.value, 1 << 20);
  EXPECT_EQ(call.work.read_bytes, 2 << 20);
  EXPECT_EQ(call.work.operations.at(Dtype::f16).flops, 1 << 20);
}

TEST(KernelFile, FillsSuitTheTypeUnlessTheyAreDescribed) {
  const auto fill_of = [](const std::string& argument) {
    const Plan plan = plan_of({{"my/scale.cu", source("  x: {" + argument + ", count: n}")}});
    return call_of(plan.kernels[0], all_points(plan)[0].axes).arguments[0].fill.kind;
  };
  EXPECT_EQ(fill_of("in: f32"), FillKind::uniform);
  EXPECT_EQ(fill_of("inout: i32"), FillKind::integers);
  EXPECT_EQ(fill_of("in: u8, fill: index"), FillKind::index);
  EXPECT_EQ(fill_of("in: u8, fill: n - 1"), FillKind::value);
  EXPECT_THAT(
      mistakes_in(source("  x: {in: i32, count: n, fill: uniform}")),
      ElementsAre("my/scale.cu:6:48: 'uniform' are fractions, which i32 does not have; use 'integers' "
                  "(in kernels.scale.f32.n1048576.b256)"));
}

TEST(KernelFile, AToleranceIsANumberFromZeroOn) {
  for (const char* const number : {"nan", "-1", "1e31", "inf", "x"}) {
    EXPECT_THAT(mistakes_in(source(fmt::format("tolerance: {{relative: {}}}", number))),
                testing::Contains(testing::HasSubstr("is not a number from 0 to 1e30")))
        << number;
  }
}

TEST(KernelFile, VersionsStandSideBySideAtEqualAxes) {
  const std::string kernels =
      "// rooflinectl: kernels:\n"
      "// rooflinectl:   slow: {function: slow, axes: {n: [1, 2]}, launch: {grid: n, block: 32}}\n"
      "// rooflinectl:   fast: {function: fast, axes: {n: [1, 2]}, launch: {grid: n, block: 32}}\n";
  EXPECT_THAT(point_names(plan_of({{"v.cu", kernels}})),
              ElementsAre("kernels.slow.n1.cold", "kernels.fast.n1.cold", "kernels.slow.n2.cold",
                          "kernels.fast.n2.cold"));
}

TEST(KernelFile, MistakesAreNamedAtTheirPlaceInTheSource) {
  EXPECT_THAT(mistakes_in(source("functoin: x")),
              ElementsAre("my/scale.cu:12:17: unknown key 'functoin'; did you mean 'function'?"));
  EXPECT_THAT(mistakes_in(source("function: scale<{dtyp}>")),
              ElementsAre("my/scale.cu:2:34: unknown axis 'dtyp'; did you mean 'dtype'? (in "
                          "kernels.scale.f32.n1048576.b256)"));
  EXPECT_THAT(mistakes_in(source("launch: {grid: m / 2, block: block}")),
              ElementsAre("my/scale.cu:10:32: unknown name 'm'; valid: dtype, n, block (in "
                          "kernels.scale.f32.n1048576.b256)"));
  EXPECT_THAT(
      mistakes_in(source("launch: {grid: n / 3, block: block}")),
      ElementsAre("my/scale.cu:10:32: 'n / 3' is 349525.3333333333, not an integer from 1 to 2147483647 "
                  "(in kernels.scale.f32.n1048576.b256)"));
  EXPECT_THAT(mistakes_in(source("launch: {grid: 1, block: [64, 32]}")),
              ElementsAre("my/scale.cu:10:42: a block has at most 1024 threads, not 2048 (in "
                          "kernels.scale.f32.n1048576.b256)"));
  EXPECT_THAT(mistakes_in(source("work: {flops: n, type: f8}")),
              ElementsAre("my/scale.cu:11:40: operations are not counted in 'f8'; did you mean 'f64'? (in "
                          "kernels.scale.f32.n1048576.b256)"));
  EXPECT_THAT(
      mistakes_in(source("  y: {out: dtype, count: n, fill: 0}")),
      ElementsAre("my/scale.cu:7:45: an 'out' argument has no fill; one that is read first is 'inout'"));
  EXPECT_THAT(
      mistakes_in(source("  x: {count: n}")),
      ElementsAre("my/scale.cu:6:19: the argument 'x' needs one of 'in', 'out', 'inout' and 'scalar' with "
                  "its type"));
  EXPECT_THAT(mistakes_in(source("axes: {n: [1, 1], cache: cold}")),
              ElementsAre("my/scale.cu:4:31: '1' is listed twice",
                          "my/scale.cu:4:35: 'cache' cannot be an axis of a kernel"));
}

TEST(KernelFile, ReferencesAreChecked) {
  EXPECT_THAT(
      mistakes_in(source("reference: other")),
      ElementsAre("my/scale.cu:12:28: the reference 'other' is no other kernel of the plan or folder"));
  EXPECT_THAT(mistakes_in(source("reference: {x: x.npy}")),
              ElementsAre("my/scale.cu:12:29: 'x' is no 'out' or 'inout' argument of the kernel"));
  std::string other = "// rooflinectl: {function: other, launch: {grid: 1, block: 1}}\n";
  EXPECT_THAT(mistakes_in({{"other.cu", other}, {"scale.cu", source("reference: other")}}),
              ElementsAre("scale.cu:12:28: the reference 'other' has no 'out' or 'inout' argument 'y'"));
  const std::string same =
      "// rooflinectl: {function: f, arguments: {y: {out: f32, count: 1}}, launch: {grid: 1, block: 1}}\n";
  EXPECT_THAT(mistakes_in({{"other.cu", same}, {"scale.cu", source("reference: other")}}), IsEmpty());
  // With a result of its own, what it reads and writes may be a work space.
  const std::string work_space =
      source("reference: other").replace(source().find("x: {in:"), 7, "x: {inout:");
  EXPECT_THAT(mistakes_in({{"other.cu", same}, {"scale.cu", work_space}}), IsEmpty());
}

/// A kernel whose axes and cases are these.
std::string cases(const std::string& axes, const std::string& cases) {
  return "// rooflinectl: function: gemm<{tile}>\n"
         "// rooflinectl: axes: " +
         axes +
         "\n"
         "// rooflinectl: launch: {grid: \"m * n / tile\", block: 32}\n"
         "// rooflinectl: cases: " +
         cases + "\n";
}

TEST(KernelFile, CasesAreMeasuredInPlaceOfAllCombinations) {
  const Plan plan =
      plan_of({{"gemm.cu", cases("{tile: 16}", "[{m: 64, n: 32}, {n: 1024, m: 16, tile: 8}]")}});
  EXPECT_THAT(point_names(plan),
              ElementsAre("kernels.gemm.n32.cold.tile16.m64", "kernels.gemm.n1024.cold.tile8.m16"));
  EXPECT_EQ(call_of(plan.kernels[0], all_points(plan)[1].axes).function, "gemm<8>");
  EXPECT_EQ(call_of(plan.kernels[0], all_points(plan)[1].axes).grid[0], 16U * 1024 / 8);
}

TEST(KernelFile, NamesOfCasesAreAnAxis) {
  const Plan plan =
      plan_of({{"gemm.cu", cases("{tile: 16}", "{square: {m: 64, n: 64}, flat: {m: 1, n: 4096}}")}});
  ASSERT_THAT(all_points(plan), SizeIs(2));
  EXPECT_EQ(all_points(plan)[0].axes.text("case"), "square");
  EXPECT_EQ(all_points(plan)[1].axes.text("case"), "flat");
}

TEST(KernelFile, MistakesInCasesAreNamed) {
  const auto mistakes = [](const std::string& axes, const std::string& list) {
    return mistakes_in(std::vector<KernelFile>{{"gemm.cu", cases(axes, list)}});
  };
  EXPECT_THAT(mistakes("{tile: 16}", "[{m: 1, n: 64}, {m: 1}]"),
              ElementsAre("gemm.cu:4:40: the case has no 'n', which the first one has"));
  EXPECT_THAT(mistakes("{tile: 16}", "[{m: 1, n: 64}, {m: 1, n: 2, mm: 3}]"),
              ElementsAre("gemm.cu:4:53: unknown axis 'mm'; valid: m, n, tile"));
  EXPECT_THAT(mistakes("{tile: 16}", "[{m: 1, n: 64}, {n: 64, m: 1, tile: 16}]"),
              ElementsAre("gemm.cu:4:40: an earlier case has the same values"));
  EXPECT_THAT(mistakes("{tile: 16}", "{a: {m: 1, n: 64}, b: {m: 1, n: 64}}"),
              ElementsAre("gemm.cu:4:43: an earlier case has the same values"));
  EXPECT_THAT(
      mistakes("{tile: [8, 16]}", "[{m: 1, n: 64}]"),
      ElementsAre("gemm.cu:2:24: 'tile' has several values, and 'cases' are not multiplied: list it in "
                  "each case"));
  EXPECT_THAT(mistakes("{tile: 16}", "[{m: 1, n: 64}, {m: 1, n: [1, 2]}]"), SizeIs(1));
  EXPECT_THAT(mistakes("{tile: 16}", "[{m: 1, n: 64}, 7]"),
              ElementsAre("gemm.cu:4:40: a case is a map from axes to values, such as `{m: 1, n: 64}`"));
  EXPECT_THAT(
      mistakes("{tile: 16}", "[]"),
      ElementsAre("gemm.cu:4:17: 'cases' is a list of values, `[{m: 1, n: 64}, {m: 64, n: 64}]`, or a map "
                  "from names to such"));
  EXPECT_THAT(mistakes("{tile: 16}", "{a: {m: 1, n: 64, case: 7}}"),
              ElementsAre("gemm.cu:4:42: the axis 'case' has the names of cases"));
  EXPECT_THAT(mistakes("{tile: 16, case: 2}", "{a: {m: 1, n: 64}}"),
              ElementsAre("gemm.cu:2:34: the axis 'case' has the names of cases"));
}

TEST(KernelFile, AReferenceInCppIsAFunctionOrACall) {
  const Plan plan = plan_of(
      {{"scale.cu", source("reference: {cpp: scale.cpp, function: \"expected<{dtype}>(x, y, n)\"}")}});
  EXPECT_EQ(plan.kernels[0].reference.cpp, "scale.cpp");
  EXPECT_TRUE(is_computed(plan.kernels[0].reference));
  EXPECT_EQ(plan.kernels[0].places.at("reference.function"), "scale.cu:12:56");
  EXPECT_EQ(call_of(plan.kernels[0], all_points(plan)[0].axes).reference, "expected<float>(x, y, n)");
  EXPECT_THAT(mistakes_in(source("reference: {cpp: scale.cpp}")),
              ElementsAre("my/scale.cu:12:17: 'reference' has no 'function'"));
  EXPECT_THAT(mistakes_in(source("reference: {cpp: scale.cpp, function: \"expected(x, n)\"}")),
              ElementsAre("my/scale.cu:12:56: the call has no 'y', a result of the kernel"));
  EXPECT_THAT(mistakes_in(source("reference: {cpp: scale.cpp, function: \"expected(x, y\"}")),
              ElementsAre("my/scale.cu:12:56: the call does not end with ')'"));
  EXPECT_THAT(mistakes_in(source("reference: {cpp: scale.cpp, function: \"expected<{typ}>\"}")), SizeIs(1));
}

TEST(KernelFile, NamesAreUnique) {
  EXPECT_THAT(mistakes_in({{"a/scale.cu", source()}, {"b/scale.cu", source()}}),
              ElementsAre("b/scale.cu:2:17: another kernel is called 'scale' already"));
  EXPECT_THAT(mistakes_in({{"sum_atomic.cu", source()}}),
              ElementsAre("sum_atomic.cu:2:17: 'sum_atomic' is the name of a built-in variant"));
}

TEST(KernelFile, NeedsADescription) {
  EXPECT_THAT(mistakes_in("__global__ void scale();\n"),
              ElementsAre("my/scale.cu: nothing tells how to launch its kernel"));
  EXPECT_TRUE(has_description("  //rooflinectl: {}"));
  EXPECT_FALSE(has_description("// see rooflinectl: {}"));
}

constexpr const char* kPlan =
    "name: mine\n"
    "kernels:\n"
    "  scale:\n"
    "    source: sub/scale.cu\n"
    "    function: scale\n"
    "    launch: {grid: 1, block: 32}\n";

TEST(KernelFile, APlanCanNameIt) {
  std::vector<std::string> read;
  const auto read_source = [&](const std::string& path) {
    read.push_back(path);
    return std::string("text");
  };
  const Plan plan = parse_plan(kPlan, "plans/mine.yaml", {}, read_source);
  EXPECT_THAT(read, ElementsAre("plans/sub/scale.cu"));
  EXPECT_EQ(plan.kernels[0].text, "text");
  EXPECT_THAT(point_names(plan), ElementsAre("kernels.scale.cold"));
  const std::string experiment = "experiments:\n  e: {kernels: s*, cache: warm, launch: plain}\n";
  EXPECT_THAT(point_names(parse_plan(kPlan + experiment, "mine.yaml", {})),
              ElementsAre("e.scale.warm.plain"));
}

TEST(KernelFile, ASourceThatCannotBeReadIsAMistakeOfThePlan) {
  const auto read_source = [](const std::string& path) -> std::string {
    throw Error(ErrorKind::usage, path + ": cannot be read");
  };
  try {
    parse_plan(kPlan, "mine.yaml", {}, read_source);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "mine.yaml:4:13: sub/scale.cu: cannot be read");
  }
}

}  // namespace
}  // namespace rooflinectl::kernel_file_test
