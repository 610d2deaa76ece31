// SPDX-License-Identifier: Apache-2.0
#include "injection/launches/tensor_use.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace rooflinectl::injection::tensor_use_test {
namespace {

Counters with(std::string_view key, double value) {
  return {{std::string(key), CounterValue::measured(value)}};
}

/// After a tensor pass that saw that many instructions in the tensor pipe, `packed` of them packed
/// multiply-adds.
std::optional<Pass> after_tensor_pass(TensorUse& use, double instructions, double packed = 0,
                                      double warpgroup_operations = 0) {
  Counters tensor = with(counter::kTensorPipeInstructions, instructions);
  tensor.merge(with(counter::kTensorPipeHfma2, packed));
  tensor.merge(with(counter::kTensorBf16Ops, warpgroup_operations));
  use.add(Pass::tensor, tensor);
  return use.next(Pass::tensor);
}

TEST(TensorUse, OtherPassesTellNothing) {
  TensorUse use;
  use.add(Pass::memory, {});
  EXPECT_EQ(use.next(Pass::memory), std::nullopt);
  after_tensor_pass(use, 1000);
  use.add(Pass::pipes, with(counter::kFmaPipeInstructions, 7));
  EXPECT_EQ(use.next(Pass::pipes), std::nullopt);
}

TEST(TensorUse, NothingIsNeededWhereTheTensorPipeWasIdle) {
  TensorUse use;
  EXPECT_EQ(after_tensor_pass(use, 0), std::nullopt);
}

TEST(TensorUse, PackedMultiplyAddsAreNoMatrixProducts) {
  TensorUse use;
  EXPECT_EQ(after_tensor_pass(use, 8'448, 8'448), std::nullopt);
}

TEST(TensorUse, WhatWasNotCountedIsNotTakenForNothing) {
  TensorUse use;
  use.add(Pass::tensor, {{std::string(counter::kTensorPipeInstructions), CounterValue::unavailable("?")}});
  EXPECT_EQ(use.next(Pass::tensor), std::nullopt);
}

TEST(TensorUse, WarpgroupsAreEnough) {
  TensorUse use;
  EXPECT_EQ(after_tensor_pass(use, 5'643'264, 0, 277'368'274'944), std::nullopt);
}

TEST(TensorUse, TypesAreTriedUntilOneExplainsTheInstructions) {
  TensorUse use;
  EXPECT_EQ(after_tensor_pass(use, 3000, 2000), Pass::tensor_bf16);
  use.add(Pass::tensor_bf16, with(counter::kTensorBf16Ops, 0));
  EXPECT_EQ(use.next(Pass::tensor_bf16), Pass::tensor_f16);
  use.add(Pass::tensor_f16, with(counter::kTensorF16Ops, 4'096'000));
  EXPECT_EQ(use.next(Pass::tensor_f16), std::nullopt);
}

// As in cuFFT on an H200: every second launch of a kernel differs.
TEST(TensorUse, LaunchesThatDifferAreExplainedByTheirMean) {
  TensorUse use;
  after_tensor_pass(use, 2000);
  EXPECT_EQ(after_tensor_pass(use, 0), Pass::tensor_bf16);
  for (const double operations : {0.0, 2000 * 4096.0}) {
    use.add(Pass::tensor_bf16, with(counter::kTensorBf16Ops, operations));
  }
  EXPECT_EQ(use.next(Pass::tensor_bf16), std::nullopt);
}

TEST(TensorUse, NothingIsNeededWhereTheCodeTellsTheOperationsOfAnInstruction) {
  TensorUse use(DecodedTensor{.counters = {counter::kTensorI8Ops}, .operations = 8192});
  EXPECT_EQ(after_tensor_pass(use, 1000), std::nullopt);
}

TEST(TensorUse, OnlyTheTypeThatTheCodeHasIsCounted) {
  TensorUse use(DecodedTensor{.counters = {counter::kTensorI8Ops}, .operations = std::nullopt});
  EXPECT_EQ(after_tensor_pass(use, 1000), Pass::tensor_i8);
  use.add(Pass::tensor_i8, with(counter::kTensorI8Ops, 5'000'000));
  EXPECT_EQ(use.next(Pass::tensor_i8), std::nullopt);
}

TEST(TensorUse, AllTypesThatTheCodeHasAreCounted) {
  TensorUse use(DecodedTensor{.counters = {counter::kTensorTf32Ops, counter::kTensorBf16Ops}});
  EXPECT_EQ(after_tensor_pass(use, 2000), Pass::tensor_bf16);
  use.add(Pass::tensor_bf16, with(counter::kTensorBf16Ops, 1000 * 4096.0));
  EXPECT_EQ(use.next(Pass::tensor_bf16), Pass::tensor_tf32)
      << "2048 operations an instruction are none of bf16";
  use.add(Pass::tensor_tf32, with(counter::kTensorTf32Ops, 1000 * 2048.0));
  EXPECT_EQ(use.next(Pass::tensor_tf32), std::nullopt);
}

TEST(TensorUse, ATypeWithoutAPassOfItsOwnIsNotCounted) {
  TensorUse use(DecodedTensor{.counters = {counter::kTensorF8Ops}, .operations = std::nullopt});
  EXPECT_EQ(after_tensor_pass(use, 1000), std::nullopt);
}

TEST(TensorUse, AMixOfTypesIsCountedToItsEnd) {
  TensorUse use;
  after_tensor_pass(use, 1000);
  use.add(Pass::tensor_bf16, with(counter::kTensorBf16Ops, 700 * 4096.0));
  EXPECT_EQ(use.next(Pass::tensor_bf16), Pass::tensor_f16);
  use.add(Pass::tensor_f64, with(counter::kTensorF64Ops, 0));
  EXPECT_EQ(use.next(Pass::tensor_f64), std::nullopt) << "there is no other";
}

}  // namespace
}  // namespace rooflinectl::injection::tensor_use_test
