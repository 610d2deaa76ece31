// SPDX-License-Identifier: Apache-2.0
#include "injection/launches/loaded_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "tests/support/fake_cubin.h"

namespace rooflinectl::injection::loaded_code_test {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::Optional;
using testing::Pair;
using testing::Pointee;
using testing::SizeIs;

std::optional<std::vector<TensorInstruction>> kinds_of(LoadedCode& code, std::string_view symbol) {
  const auto known = code.of(symbol);
  return known ? std::optional(known->tensor_instructions) : std::nullopt;
}

auto is(TensorOpcode opcode) {
  return Field(&TensorInstruction::opcode, opcode);
}

TEST(LoadedCode, KnowsTheTensorInstructionsOfEachFunction) {
  LoadedCode code;
  {
    const std::string cubin = fake_cubin({{"product", {kHmma, kHmma}}, {"sum", {kNop}}});
    code.add(cubin);
  }
  EXPECT_THAT(kinds_of(code, "product"), Optional(ElementsAre(is(TensorOpcode::hmma))));
  EXPECT_THAT(kinds_of(code, "sum"), Optional(IsEmpty()));
  EXPECT_EQ(kinds_of(code, "other"), std::nullopt);
}

/// With a section of lines in place of the code of a function whose name is as long.
std::string with_lines(std::string cubin) {
  return cubin.replace(cubin.find(".text.lines"), 11, ".debug_line");
}

TEST(LoadedCode, KeepsCubinsThatTellTheirLinesIfTheyAreWanted) {
  const std::string without = fake_cubin({{"sum", {kNop}}});
  const std::string with = with_lines(fake_cubin({{"sum", {kNop}}, {"lines", {kNop}}}));
  LoadedCode code;
  code.add(with);
  EXPECT_THAT(code.with_lines(), IsEmpty());
  code.keep_lines();
  code.add(without);
  code.add(with);
  code.add(with);
  EXPECT_THAT(code.with_lines(), ElementsAre(Pair(code_digest(with), Pointee(with))));
}

TEST(LoadedCode, KeepsCubinsOfOneLengthInCopiesOfDifferentLengths) {
  LoadedCode code;
  code.keep_lines();
  std::set<std::size_t> lengths;
  for (const InstructionWord instruction : {kNop, kHmma, kImma})
    code.add(with_lines(fake_cubin({{"sum", {instruction}}, {"lines", {kNop}}})));
  for (const auto& [digest, cubin] : code.with_lines()) lengths.insert(cubin->size());
  EXPECT_THAT(lengths, SizeIs(3));
}

TEST(LoadedCode, KeepsNoMoreOfThemThanThereIsRoomFor) {
  LoadedCode code;
  code.keep_lines();
  std::string large = with_lines(fake_cubin({{"sum", {kNop}}, {"lines", {kNop}}}));
  large.resize(LoadedCode::kMostCopiedBytes / 2 + 1);
  code.add(large);
  large.back() = 'x';
  code.add(large);
  EXPECT_THAT(code.with_lines(), SizeIs(1));
}

TEST(CodeDigest, IsOfAllBytes) {
  std::string code(1001, 'x');
  const std::uint64_t digest = code_digest(code);
  EXPECT_NE(code_digest(code.substr(0, 1000)), digest);
  for (const std::size_t at : {0, 500, 999, 1000}) {
    std::string other = code;
    other[at] = 'y';
    EXPECT_NE(code_digest(other), digest) << at;
  }
}

TEST(LoadedCode, FunctionsWithOneSymbolAreNotToldApart) {
  LoadedCode code;
  code.add(fake_cubin({{"triton_mm", {kHmma}}}));
  code.add(fake_cubin({{"triton_mm", {kImma}}}));
  code.add(fake_cubin({{"triton_mm", {kHmma}}}));
  EXPECT_THAT(kinds_of(code, "triton_mm"),
              Optional(ElementsAre(is(TensorOpcode::hmma), is(TensorOpcode::imma))));
}

TEST(LoadedCode, KnowsWhetherAnyFunctionOfASymbolDoesHalfArithmetic) {
  LoadedCode code;
  code.add(fake_cubin({{"cast", {kHadd2ToF32, kNop}}, {"either", {kHadd2ToF32}}}));
  EXPECT_FALSE(code.of("cast")->has_half_arithmetic);
  EXPECT_FALSE(code.of("either")->has_half_arithmetic);
  code.add(fake_cubin({{"either", {kHadd2Word}}}));
  EXPECT_TRUE(code.of("either")->has_half_arithmetic);
}

TEST(LoadedCode, WhatCannotBeDecodedIsUnknown) {
  LoadedCode code;
  code.add("no cubin");
  code.add(fake_cubin({{"product", {kHmma}}}, 130));
  EXPECT_EQ(kinds_of(code, "product"), std::nullopt);
}

TEST(LoadedCode, KeepsABoundedNumberOfFunctions) {
  LoadedCode code;
  constexpr std::size_t kAtOnce = 20'000;
  for (std::size_t first = 0; first < LoadedCode::kMostFunctions; first += kAtOnce) {
    std::vector<FakeFunction> functions;
    for (std::size_t i = first; i < first + kAtOnce; ++i) functions.push_back({std::to_string(i), {kNop}});
    code.add(fake_cubin(functions));
  }
  code.add(fake_cubin({{"late", {kHmma}}, {"0", {kHmma}}}));
  EXPECT_EQ(code.of("late"), std::nullopt);
}

}  // namespace
}  // namespace rooflinectl::injection::loaded_code_test
