// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/plan/kernel_call.h"
#include "core/plan/plan_yaml.h"
#include "core/plan/tuning_expressions.h"
#include "core/text/expression.h"

namespace rooflinectl::tuning_file_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// ---- lists ----

std::string list(std::string_view text) {
  std::string values;
  try {
    for (const ListValue& value : python_list(text)) {
      values += std::visit([](const auto& of_list) { return fmt::format("{} ", of_list); }, value);
    }
  } catch (const ExpressionError& error) {
    return fmt::format("{}: {}", error.place(), error.what());
  }
  return values.substr(0, values.empty() ? 0 : values.size() - 1);
}

TEST(PythonList, HoldsNumbersAndTexts) {
  EXPECT_EQ(list("[1, 2**4, (3 + 5) // 3,]"), "1 16 2");
  EXPECT_EQ(list(" ['float', \"double\"] "), "float double");
  EXPECT_EQ(list("(1, 2)"), "1 2");
  EXPECT_EQ(list("[True, False]"), "1 0");
  EXPECT_EQ(list("[]"), "");
  EXPECT_EQ(list("['a,b', 'c]']"), "a,b c]");
}

TEST(PythonList, CountsThroughRanges) {
  EXPECT_EQ(list("range(3)"), "0 1 2");
  EXPECT_EQ(list("list(range(1, 4))"), "1 2 3");
  EXPECT_EQ(list("range(3, 10 + 1, 4)"), "3 7");
  EXPECT_EQ(list("range(3, 0, -1)"), "3 2 1");
  EXPECT_EQ(list("range(3, 3)"), "");
}

TEST(PythonList, ComputesEachElementOfALoop) {
  EXPECT_EQ(list("[128 + 64*i for i in range(3)]"), "128 192 256");
  EXPECT_EQ(list("[2**i for i in range(0, 6)]"), "1 2 4 8 16 32");
  EXPECT_EQ(list("[k for k in [1, 2, 3, 4] if k % 2 == 0 or k == 1]"), "1 2 4");
  EXPECT_EQ(list("[1, 2] + list(range(32, 64+1, 32)) + [2 * i for i in range(1, 3)]"), "1 2 32 64 2 4");
}

TEST(PythonList, NamesMistakesAndTheirPlaces) {
  EXPECT_EQ(list("16"), "0: '16' is no list, such as [1, 2, 4] or range(1, 9)");
  EXPECT_EQ(list("[1, 2 +]"), "7: the expression ends too early");
  EXPECT_EQ(list("[1, x]"), "4: unknown name 'x'");
  EXPECT_EQ(list("[1, 2"), "0: a bracket that is not closed");
  EXPECT_EQ(list("[1, 'a]"), "4: a quote that is not closed");
  EXPECT_EQ(list("[1][2]"), "3: a list is followed by '+' only");
  EXPECT_EQ(list("[i*j for i in range(2) for j in range(2)]"), "8: a second 'for'");
  EXPECT_EQ(list("[2^i for i in range(2)]"), "2: a power is '**' in Python");
  EXPECT_EQ(list("range(0, 1e9)"), "6: more than 100000 values");
  EXPECT_EQ(list("range(1, 2, 0)"),
            "6: range takes one to three whole numbers, the last of which, the step, is not 0");
  EXPECT_EQ(list("1]"), "1: a ']' too many");
  EXPECT_EQ(list(std::string(100, '(')), "0: a bracket that is not closed");
  EXPECT_EQ(list(std::string(100, '(') + "[1]" + std::string(100, ')')),
            "20: a list that is nested too deeply");
}

// ---- files ----

/// A file as Kernel Tuner writes it, with each of `changes` made.
std::string file(const std::vector<std::pair<std::string, std::string>>& changes = {}) {
  std::string text = R"json({
  "General": {"BenchmarkName": "blur", "OutputFormat": "JSON"},
  "ConfigurationSpace": {
    "TuningParameters": [
      {"Name": "radius", "Type": "int", "Values": "[1, 3]", "Default": 1},
      {"Name": "block_size_x", "Type": "int", "Values": "[2**i for i in range(5, 12)]", "Default": 64},
      {"Name": "tile", "Type": "int", "Values": "range(1, 4)", "Default": 1}
    ],
    "Conditions": [
      {"Expression": "64 <= block_size_x and tile != 2", "Parameters": ["block_size_x", "tile"]}
    ]
  },
  "KernelSpecification": {
    "Language": "CUDA",
    "CompilerOptions": ["-std=c++11", "--use_fast_math"],
    "KernelName": "blur_rows",
    "KernelFile": "blur.cu",
    "GlobalSizeType": "CUDA",
    "LocalSize": {"X": "block_size_x", "Y": "1", "Z": "1"},
    "GlobalSize": {"X": "(4096 // block_size_x) // tile", "Y": "2048", "Z": "1"},
    "SharedMemory": 0,
    "Stream": null,
    "Arguments": [
      {"Name": "image", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly", "FillType": "Random", "Size": "4096 * 2048 + 2 * max(radius)", "RandomSeed": 7, "FillValue": 1.0},
      {"Name": "sums", "Type": "half2", "MemoryType": "Vector", "AccessType": "ReadWrite", "FillType": "Constant", "Size": 4096, "FillValue": 0.5},
      {"Name": "result", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly", "FillType": "Constant", "Size": 8388608, "FillValue": 0.0, "Output": 1},
      {"Name": "n", "Type": "int32", "MemoryType": "Scalar", "AccessType": "ReadOnly", "FillValue": 8388608}
    ]
  }
}
)json";
  for (const auto& [before, after] : changes) {
    const std::size_t place = text.find(before);
    EXPECT_NE(place, std::string::npos) << before;
    if (place != std::string::npos) text.replace(place, before.size(), after);
  }
  return text;
}

Plan plan_of(const std::string& text) {
  Catalogue catalogue;
  catalogue.variants.emplace_back().id = "sum_atomic";
  return parse_tuning_file("blur", {"my/blur.json", text}, catalogue,
                           [](const std::string& path) { return "// " + path; });
}

std::vector<std::string> mistakes_in(const std::string& text) {
  try {
    plan_of(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    std::vector<std::string> lines;
    std::istringstream stream(error.what());
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }
  return {};
}

std::vector<std::string> mistakes_with(const std::string& before, const std::string& after) {
  return mistakes_in(file({{before, after}}));
}

KernelCall call_at(const Plan& plan, std::size_t point) {
  return call_of(plan.kernels[0], all_points(plan)[point].axes);
}

TEST(TuningFile, IsToldFromOtherJson) {
  EXPECT_TRUE(is_tuning_file(file()));
  EXPECT_FALSE(is_tuning_file(R"({"name": "mine", "experiments": {}})"));
}

TEST(TuningFile, IsAKernelWithItsParametersAsAxes) {
  const Plan plan = plan_of(file());
  ASSERT_THAT(plan.kernels, SizeIs(1));
  const FileKernel& kernel = plan.kernels[0];
  EXPECT_EQ(kernel.id, "blur_rows");
  EXPECT_EQ(kernel.source, "my/blur.cu");
  EXPECT_EQ(kernel.text, "// my/blur.cu");
  EXPECT_EQ(plan.name, "blur");
  EXPECT_EQ(plan.text, file());
  const KernelCall call = call_at(plan, 0);
  EXPECT_EQ(call.function, "blur_rows");
  EXPECT_THAT(call.options, ElementsAre("-Dradius=1", "-Dblock_size_x=64", "-Dtile=1", "--use_fast_math",
                                        "-Dkernel_tuner=1", "-Dblock_size_y=1", "-Dblock_size_z=1"));
  EXPECT_THAT(call.block, ElementsAre(64, 1, 1));
  EXPECT_THAT(call.grid, ElementsAre(64, 2048, 1));
  EXPECT_EQ(call.shared_bytes, 0);
}

TEST(TuningFile, LeavesOutCombinationsThatMissAConditionOrThatNoGpuLaunches) {
  const Plan plan = plan_of(file());
  std::vector<std::string> names;
  for (const PointId& point : all_points(plan)) names.push_back(range_name(point));
  ASSERT_THAT(names, SizeIs(2 * 5 * 2));
  EXPECT_EQ(names[0], "kernels.blur_rows.cold.radius1.block_size_x64.tile1");
  EXPECT_EQ(names[9], "kernels.blur_rows.cold.radius1.block_size_x1024.tile3");
}

TEST(TuningFile, DescribesArgumentsAsThePlanDoes) {
  const KernelCall call = call_at(plan_of(file()), 0);
  ASSERT_THAT(call.arguments, SizeIs(4));
  const CallArgument& image = call.arguments[0];
  EXPECT_EQ(image.kind, ArgumentKind::in);
  EXPECT_EQ(image.type, ArgumentType::f32);
  EXPECT_EQ(image.count, 4096 * 2048 + 6);
  EXPECT_EQ(image.fill, (Fill{FillKind::uniform, 0, 7}));
  const CallArgument& sums = call.arguments[1];
  EXPECT_EQ(sums.kind, ArgumentKind::inout);
  EXPECT_EQ(sums.type, ArgumentType::f16);
  EXPECT_EQ(sums.count, 2 * 4096);
  EXPECT_EQ(sums.fill, (Fill{FillKind::value, 0.5, 0}));
  EXPECT_EQ(call.arguments[2].kind, ArgumentKind::out);
  EXPECT_EQ(call.arguments[3].kind, ArgumentKind::scalar);
  EXPECT_EQ(call.arguments[3].fill.value, 8388608);
}

TEST(TuningFile, CountsThreadsWhenTheGlobalSizeIsThatOfOpenCl) {
  const Plan plan = plan_of(file({{R"("GlobalSizeType": "CUDA")", R"("GlobalSizeType": "OpenCL")"},
                                  {"(4096 // block_size_x) // tile", "4096"}}));
  EXPECT_THAT(call_at(plan, 0).grid, ElementsAre(64, 2048, 1));
  EXPECT_THAT(call_at(plan, 2).grid, ElementsAre(32, 2048, 1));
}

TEST(TuningFile, DividesTheProblemAsKernelTunerDoesIfItIsGiven) {
  const std::string stream = R"("Stream": null)";
  EXPECT_THAT(call_at(plan_of(file({{stream, R"("ProblemSize": [4097, 100])"}})), 0).grid,
              ElementsAre(65, 100, 1));
  EXPECT_THAT(call_at(plan_of(file({{stream, R"("ProblemSize": 4097)"}})), 0).grid, ElementsAre(65, 1, 1));
  EXPECT_THAT(call_at(plan_of(file({{stream, R"("ProblemSize": [4097, 100],
      "GridDivX": ["block_size_x", "tile"], "GridDivY": ["16"])"}})),
                      1)
                  .grid,
              ElementsAre(22, 7, 1));
}

TEST(TuningFile, KnowsProblemSizeAndConstantsInExpressions) {
  const Plan plan =
      plan_of(file({{R"("Stream": null)", R"("ProblemSize": [4096, "rows"])"},
                    {"4096 * 2048 + 2", "ProblemSize[0]*ProblemSize[1] + rows + 2"},
                    {R"("General")", R"("BenchmarkConfig": {"rows": 100, "name": "x"}, "General")"}}));
  EXPECT_EQ(call_at(plan, 0).arguments[0].count, 4096 * 100 + 100 + 6);
}

TEST(TuningFile, ComparesWithResultsInAFile) {
  const Plan plan = plan_of(file({{R"("Stream": null)", R"("ReferenceArguments": [
    {"Name": "expected", "TargetName": "result", "FillType": "BinaryRaw", "DataSource": "/data/result.bin",
     "ValidationMethod": "SideBySideComparison", "ValidationThreshold": 0.01}])"}}));
  const FileKernelReference& reference = plan.kernels[0].reference;
  EXPECT_THAT(reference.files, ElementsAre(std::pair("result", "/data/result.bin")));
  EXPECT_EQ(reference.absolute, 0.01);
  EXPECT_EQ(reference.relative, 0);
}

TEST(TuningFile, NamesWhatItCannotMeasureWithLineAndColumn) {
  EXPECT_THAT(mistakes_with(R"("Language": "CUDA")", R"("Language": "OpenCL")"),
              ElementsAre("my/blur.json:14:18: 'OpenCL': rooflinectl compiles CUDA only"));
  EXPECT_THAT(
      mistakes_with(R"("half2")", R"("custom")"),
      ElementsAre("my/blur.json:25:33: rooflinectl cannot fill arguments of other types than numbers"));
  EXPECT_THAT(mistakes_with(R"("FillType": "Random")", R"("FillType": "BinaryHDF")"),
              ElementsAre("my/blur.json:24:105: 'BinaryHDF': rooflinectl fills arguments with a constant or "
                          "with random numbers only"));
  EXPECT_THAT(mistakes_with(R"("RandomSeed": 7)", R"("MemType": "Constant")"),
              ElementsAre("my/blur.json:24:167: 'Constant': rooflinectl fills global memory only"));
  EXPECT_THAT(
      mistakes_with(R"("MemoryType": "Vector")", R"("MemoryType": "Symbol")"),
      ElementsAre("my/blur.json:24:57: 'Symbol': rooflinectl passes scalars and memory (Vector) only"));
  EXPECT_THAT(mistakes_with(R"("Stream": null)", R"("KernelTypeNames": ["float"])"),
              ElementsAre(::testing::StartsWith(
                  "my/blur.json:22:5: rooflinectl does not know the key 'KernelTypeNames'")));
  EXPECT_THAT(mistakes_with("[1, 3]", "[0.5, 1]"),
              ElementsAre("my/blur.json:5:52: 0.5 cannot be a value of an axis: whole numbers from 0 to 2^40 "
                          "can, and names of letters, digits, '_' and '-'"));
  EXPECT_THAT(mistakes_with(R"("Name": "tile")", R"("Name": "n")"),
              ::testing::Contains("my/blur.json:7:17: 'n' has a meaning of its own in reports: give the "
                                  "parameter another name"));
}

TEST(TuningFile, NamesMistakesInExpressionsAtTheirPlace) {
  EXPECT_THAT(mistakes_with("range(1, 4)", "range(1, x)"),
              ::testing::Contains("my/blur.json:7:59: unknown name 'x'"));
  EXPECT_THAT(mistakes_with("tile != 2", "tiles != 2"),
              ElementsAre("my/blur.json:10:23: unknown parameter 'tiles'; did you mean 'tile'?"));
  EXPECT_THAT(mistakes_with("tile != 2", "tile ^ 2"),
              ElementsAre("my/blur.json:10:51: a power is '**' in Python"));
  EXPECT_THAT(mistakes_with(R"({"X": "block_size_x")", R"({"X": "block_size_x +")"),
              ElementsAre("my/blur.json:19:39: the expression ends too early"));
  EXPECT_THAT(mistakes_with(R"("Size": 4096)", R"("Size": "4096 * tiles")"),
              ElementsAre(::testing::StartsWith("my/blur.json:25:")));
  EXPECT_THAT(mistakes_with("64 <= block_size_x", "5000 <= block_size_x"),
              ElementsAre("my/blur.json:3:3: no combination of values meets the conditions"));
}

TEST(TuningFile, NamesWhatIsMissing) {
  EXPECT_THAT(mistakes_in("{\"KernelSpecification\": {}}"), SizeIs(1));
  EXPECT_THAT(mistakes_with(R"("KernelName": "blur_rows",)", ""),
              ::testing::Contains("my/blur.json:13:3: 'KernelSpecification' has no 'KernelName'"));
  EXPECT_THAT(mistakes_with(R"("Size": 4096, )", ""),
              ElementsAre("my/blur.json:25:7: the memory has no 'Size'"));
  EXPECT_THAT(mistakes_with(R"("blur_rows")", R"("sum_atomic")"),
              ElementsAre("my/blur.json:16:20: 'sum_atomic' is the name of a built-in variant"));
}

TEST(TuningFile, RefusesMoreCombinationsThanItCouldMeasure) {
  const auto mistakes =
      mistakes_in(file({{"range(1, 4)", "range(1, 20000)"}, {"(4096 // block_size_x) // tile", "4096"}}));
  EXPECT_THAT(mistakes, ElementsAre("my/blur.json: more than 100000 combinations of parameters"));
  EXPECT_THAT(
      mistakes_in(file(
          {{"[1, 3]", "range(1, 5000)"}, {"range(1, 4)", "range(1, 20000)"}, {"tile != 2", "tile == 0"}})),
      ElementsAre("my/blur.json:3:3: more than 1000000 combinations of values to look at: list fewer"));
}

}  // namespace
}  // namespace rooflinectl::tuning_file_test
