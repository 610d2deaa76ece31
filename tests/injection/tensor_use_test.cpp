// SPDX-License-Identifier: Apache-2.0
#include "collector/injection/tensor_use.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace rooflinectl::injection {
namespace {

Counters with(std::string_view key, double value) {
  return {{std::string(key), CounterValue::measured(value)}};
}

/// After the operations pass saw so many packed multiply-adds of threads, and the tensor pass so many
/// instructions in the tensor pipe.
std::optional<Pass> after_tensor_pass(TensorUse& use, double hfma, double instructions,
                                      double warpgroup_operations = 0) {
  Counters operations = with(counter::kHfma, hfma);
  EXPECT_EQ(use.understand(Pass::operations, operations), std::nullopt);
  Counters tensor = with(counter::kTensorPipeInstructions, instructions);
  tensor.emplace(counter::kTensorBf16Ops, CounterValue::measured(warpgroup_operations));
  return use.understand(Pass::tensor, tensor);
}

TEST(TensorUse, NothingIsNeededWhereTheTensorPipeWasIdle) {
  TensorUse use;
  EXPECT_EQ(after_tensor_pass(use, 0, 0), std::nullopt);
}

// As counted on an H100: 1056 blocks of 256 threads, an HFMA2.MMA each.
TEST(TensorUse, PackedMultiplyAddsAreNoMatrixProducts) {
  TensorUse use;
  Counters operations = with(counter::kHfma, 270'336);
  use.understand(Pass::operations, operations);
  Counters tensor = with(counter::kTensorPipeInstructions, 8'448);
  EXPECT_EQ(use.understand(Pass::tensor, tensor), std::nullopt);
  EXPECT_EQ(value_of(tensor, counter::kTensorPipeHfma2), 8'448);
}

TEST(TensorUse, WhatWasNotCountedIsNotTakenForNothing) {
  TensorUse use;
  Counters tensor = {{std::string(counter::kTensorPipeInstructions), CounterValue::unavailable("?")}};
  EXPECT_EQ(use.understand(Pass::tensor, tensor), std::nullopt);
  EXPECT_FALSE(tensor.contains(counter::kTensorPipeHfma2));
}

TEST(TensorUse, WarpgroupsAreEnough) {
  TensorUse use;
  EXPECT_EQ(after_tensor_pass(use, 0, 5'643'264, 277'368'274'944), std::nullopt);
}

TEST(TensorUse, TypesAreTriedUntilOneExplainsTheInstructions) {
  TensorUse use;
  EXPECT_EQ(after_tensor_pass(use, 0, 1000), Pass::tensor_bf16);
  Counters bf16 = with(counter::kTensorBf16Ops, 0);
  EXPECT_EQ(use.understand(Pass::tensor_bf16, bf16), Pass::tensor_f16);
  Counters f16 = with(counter::kTensorF16Ops, 4'096'000);
  EXPECT_EQ(use.understand(Pass::tensor_f16, f16), std::nullopt);
}

TEST(TensorUse, AMixOfTypesIsCountedToItsEnd) {
  TensorUse use;
  after_tensor_pass(use, 0, 1000);
  Counters bf16 = with(counter::kTensorBf16Ops, 700 * 4096.0);
  EXPECT_EQ(use.understand(Pass::tensor_bf16, bf16), Pass::tensor_f16);
  Counters f64 = with(counter::kTensorF64Ops, 0);
  EXPECT_EQ(use.understand(Pass::tensor_f64, f64), std::nullopt) << "there is no other";
}

}  // namespace
}  // namespace rooflinectl::injection
