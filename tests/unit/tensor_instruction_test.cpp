// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "core/machine_code/machine_code.h"

namespace rooflinectl::tensor_instruction_test {
namespace {

std::string text(const TensorInstruction& kind) {
  std::string written(to_string(kind.opcode));
  if (kind.is_sparse) written += " sparse";
  for (const std::uint32_t size : {kind.m, kind.n, kind.k}) written += " " + std::to_string(size);
  written += " " + std::string(to_string(kind.type)) + " to " + std::string(to_string(kind.accumulator));
  return written + (kind.operations ? ": " + std::to_string(*kind.operations) : "");
}

std::string decoded(int architecture, std::uint64_t low, std::uint64_t high) {
  const auto kind = tensor_instruction(architecture, {low, high});
  return kind ? text(*kind) : "none";
}

// Modifiers as nvcc 13.0 sets them, with bits of the scheduler.

TEST(TensorInstruction, OfWarpsIsThatOfItsModifiers) {
  EXPECT_EQ(decoded(80, 0x000000080404723c, 0x004fde000000180c), "HMMA 16 8 16 f16 to f32: 4096");
  EXPECT_EQ(decoded(80, 0x000000080404723c, 0x004fde000004180c), "HMMA 16 8 16 bf16 to f32: 4096");
  EXPECT_EQ(decoded(80, 0x000000080404723c, 0x004fde000000080a), "HMMA 16 8 16 f16 to f16: 4096");
  EXPECT_EQ(decoded(80, 0x000000000404723c, 0x004fde0000001008), "HMMA 16 8 8 f16 to f32: 2048");
  EXPECT_EQ(decoded(90, 0x000000000404723c, 0x004fde0000085008), "HMMA 16 8 4 tf32 to f32: 1024");
  EXPECT_EQ(decoded(90, 0x000000080404723c, 0x004fde000008100c), "HMMA 16 8 8 tf32 to f32: 2048");
  EXPECT_EQ(decoded(80, 0x0000000005007237, 0x004fde0000005406), "IMMA 8 8 16 i8 to i32: 2048");
  EXPECT_EQ(decoded(90, 0x0000000804047237, 0x004fde0000405c0c), "IMMA 16 8 32 i8 to i32: 8192");
  EXPECT_EQ(decoded(80, 0x0000000804047237, 0x004fde000078540c), "IMMA 16 8 64 i4 to i32: 16384");
  EXPECT_EQ(decoded(80, 0x000000060404723f, 0x004fde0000000008), "DMMA 8 8 4 f64 to f64: 512");
  EXPECT_EQ(decoded(90, 0x800000201008723f, 0x004fde0000003908), "DMMA 16 8 16 f64 to f64: 4096")
      << "with all sources negated";
  EXPECT_EQ(decoded(80, 0x000000080404723d, 0x004fde000001540c), "BMMA 16 8 256 b1 to i32: 65536");
}

TEST(TensorInstruction, OfTuringTakesSteps) {
  EXPECT_EQ(decoded(75, 0x0000000402087236, 0x004fde0000005408), "HMMA 8 8 4 f16 to f32: 512");
  EXPECT_EQ(decoded(75, 0x0000000402087236, 0x004fde0000008408), "HMMA 8 8 4 f16 to f16: 1024");
  EXPECT_EQ(decoded(120, 0x0000000402087236, 0x004fde0000010408), "none") << "another instruction";
}

TEST(TensorInstruction, OfWarpgroupsIsExecutedByFourWarps) {
  EXPECT_EQ(decoded(90, 0x00e00000041879f0, 0x004fde000b801818), "HGMMA 64 64 16 bf16 to f32: 32768");
  EXPECT_EQ(decoded(90, 0x60e00000041879f0, 0x004fde000c701818), "HGMMA 64 64 16 bf16 to f32: 32768");
  EXPECT_EQ(decoded(90, 0x03e0000438987df0, 0x004fde000b800818), "HGMMA 64 256 16 f16 to f32: 131072");
  EXPECT_EQ(decoded(90, 0x04e00000041879f0, 0x004fde000b802818), "HGMMA 64 64 8 tf32 to f32: 16384");
  EXPECT_EQ(decoded(90, 0x01e00000041879f3, 0x004fde000b803818), "QGMMA 64 128 32 f8 to f32: 131072");
  EXPECT_EQ(decoded(90, 0x01e00000041879f1, 0x004fde000b841018), "IGMMA 64 64 32 i8 to i32: 65536");
  EXPECT_EQ(decoded(90, 0x00a00000041879f2, 0x004fde000b814018), "BGMMA 64 64 256 b1 to i32: 524288");
}

TEST(TensorInstruction, OfSparseMatricesHasNoKnownOperations) {
  EXPECT_EQ(decoded(80, 0x000000080404723c, 0x004fde0000045a0c), "HMMA sparse 16 8 32 bf16 to f32");
  EXPECT_EQ(decoded(80, 0x0000000804047237, 0x004fde000060550c), "IMMA sparse 16 8 64 i8 to i32");
  EXPECT_EQ(decoded(90, 0x08e03800041879f0, 0x004fde000b801a18), "HGMMA sparse 64 64 32 bf16 to f32");
  EXPECT_EQ(decoded(90, 0x05e05800041879f3, 0x004fde000b802a18), "QGMMA sparse 64 128 64 f8 to f32");
}

TEST(TensorInstruction, OfSmallFloatsKnowsWhetherAllHaveEightBits) {
  EXPECT_EQ(decoded(89, 0x000000080404727a, 0x004fde000000ac0c), "QMMA 16 8 32 f8 to f32: 8192");
  EXPECT_EQ(decoded(120, 0x000000080404727a, 0x004fde0000006c0c), "QMMA 16 8 32 f8 to f32: 8192");
  EXPECT_EQ(decoded(120, 0x000000080404727a, 0x004fde000028ec0c), "QMMA 16 8 32 f8f6f4 to f32: 8192");
  EXPECT_EQ(decoded(120, 0x70b000080404747a, 0x004fde0000007e0c), "QMMA 16 8 32 f8 to f32: 8192");
  EXPECT_EQ(decoded(120, 0x70b000080404747f, 0x004fde0000083e0c), "OMMA 16 8 64 f4 to f32: 16384");
}

TEST(TensorInstruction, OfAnSmHasItsShapeElsewhere) {
  EXPECT_EQ(decoded(100, 0x00ff040806ff75ea, 0x000fe2000800000a), "UTCHMMA 0 0 0 unknown to unknown");
  EXPECT_EQ(decoded(100, 0x00ff040806ff75ea, 0x000fe2000820010a), "UTCIMMA 0 0 0 i8 to i32");
  EXPECT_EQ(decoded(100, 0x00ff040806ff75ea, 0x000fe2000800030a), "UTCQMMA 0 0 0 f8f6f4 to unknown");
  EXPECT_EQ(decoded(103, 0xc00c040806ff75ea, 0x000fe2000800000a), "UTCOMMA 0 0 0 f4 to f32");
}

TEST(TensorInstruction, WithAnUnknownModifierIsOnlyItsOpcode) {
  for (unsigned place = 72; place < 105; ++place) {
    const auto high = 0x0000000000041800 | std::uint64_t{1} << (place - 64U);
    const auto kind = tensor_instruction(80, {0x000000080404723c, high});
    ASSERT_TRUE(kind);
    const bool is_known =
        place == 73 || place == 75 || place == 76 || place == 78 || place == 82;  // one of f16 and bf16
    EXPECT_EQ(kind->m != 0, is_known) << "bit " << place;
  }
  EXPECT_EQ(decoded(80, 0x000000080404723c, 0x00000000000c1800), "HMMA 0 0 0 unknown to unknown");
  EXPECT_EQ(decoded(80, 0x000000080404783c, 0x0000000000001800), "HMMA 0 0 0 unknown to unknown")
      << "with a constant in place of a register";
}

TEST(TensorInstruction, IsNoneOfOtherInstructionsAndArchitectures) {
  EXPECT_EQ(decoded(90, 0x0000000000007918, 0x000fc00000000000), "none") << "NOP";
  EXPECT_EQ(decoded(80, 0x00e00000041879f0, 0x004fde000b801818), "none") << "HGMMA on sm_80";
  EXPECT_EQ(decoded(99, 0x000000080404723c, 0x004fde000000180c), "none") << "HMMA on sm_99";
  EXPECT_TRUE(tensor_opcodes(99).none());
  EXPECT_TRUE(tensor_opcodes(80)[0x03c]);
  EXPECT_FALSE(tensor_opcodes(80)[0x1f0]);
}

}  // namespace
}  // namespace rooflinectl::tensor_instruction_test
