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
  use.add(Pass::operations, with(counter::kHfma, hfma));
  EXPECT_EQ(use.next(Pass::operations), std::nullopt);
  Counters tensor = with(counter::kTensorPipeInstructions, instructions);
  tensor.emplace(counter::kTensorBf16Ops, CounterValue::measured(warpgroup_operations));
  use.add(Pass::tensor, tensor);
  return use.next(Pass::tensor);
}

/// Of the instructions in the tensor pipe in one launch, how many were packed arithmetic.
std::optional<double> packed(const TensorUse& use, Counters counters) {
  use.tell_packed(Pass::tensor, counters);
  return value_of(counters, counter::kTensorPipeHfma2);
}

TEST(TensorUse, NothingIsNeededWhereTheTensorPipeWasIdle) {
  TensorUse use;
  EXPECT_EQ(after_tensor_pass(use, 0, 0), std::nullopt);
}

// As counted on an H100: 1056 blocks of 256 threads, an HFMA2.MMA each.
TEST(TensorUse, PackedMultiplyAddsAreNoMatrixProducts) {
  TensorUse use;
  EXPECT_EQ(after_tensor_pass(use, 270'336, 8'448), std::nullopt);
  EXPECT_EQ(packed(use, with(counter::kTensorPipeInstructions, 8'448)), 8'448);
}

// As of cuFFT on an H200: every second launch of a kernel has them.
TEST(TensorUse, LaunchesThatDifferArePackedOnTheirMean) {
  TensorUse use;
  for (const double hfma : {0.0, 5'242'880.0}) use.add(Pass::operations, with(counter::kHfma, hfma));
  for (const double instructions : {163'840.0, 0.0}) {
    use.add(Pass::tensor, with(counter::kTensorPipeInstructions, instructions));
  }
  EXPECT_EQ(use.next(Pass::tensor), std::nullopt);
  EXPECT_EQ(packed(use, with(counter::kTensorPipeInstructions, 163'840)), 163'840);
}

TEST(TensorUse, WhatWasNotCountedIsNotTakenForNothing) {
  TensorUse use;
  const Counters tensor = {{std::string(counter::kTensorPipeInstructions), CounterValue::unavailable("?")}};
  use.add(Pass::tensor, tensor);
  EXPECT_EQ(use.next(Pass::tensor), std::nullopt);
  EXPECT_EQ(packed(use, tensor), std::nullopt);
}

TEST(TensorUse, WarpgroupsAreEnough) {
  TensorUse use;
  EXPECT_EQ(after_tensor_pass(use, 0, 5'643'264, 277'368'274'944), std::nullopt);
}

TEST(TensorUse, TypesAreTriedUntilOneExplainsTheInstructions) {
  TensorUse use;
  EXPECT_EQ(after_tensor_pass(use, 0, 1000), Pass::tensor_bf16);
  use.add(Pass::tensor_bf16, with(counter::kTensorBf16Ops, 0));
  EXPECT_EQ(use.next(Pass::tensor_bf16), Pass::tensor_f16);
  use.add(Pass::tensor_f16, with(counter::kTensorF16Ops, 4'096'000));
  EXPECT_EQ(use.next(Pass::tensor_f16), std::nullopt);
}

TEST(TensorUse, AMixOfTypesIsCountedToItsEnd) {
  TensorUse use;
  after_tensor_pass(use, 0, 1000);
  use.add(Pass::tensor_bf16, with(counter::kTensorBf16Ops, 700 * 4096.0));
  EXPECT_EQ(use.next(Pass::tensor_bf16), Pass::tensor_f16);
  use.add(Pass::tensor_f64, with(counter::kTensorF64Ops, 0));
  EXPECT_EQ(use.next(Pass::tensor_f64), Pass::pipes) << "which has the INT8 of warpgroups";
  use.add(Pass::pipes, with(counter::kTensorI8Ops, 0));
  EXPECT_EQ(use.next(Pass::pipes), std::nullopt) << "there is no other";
}

}  // namespace
}  // namespace rooflinectl::injection
