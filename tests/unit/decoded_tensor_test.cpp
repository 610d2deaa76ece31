// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include "core/counters/counters.h"

namespace rooflinectl::decoded_tensor_test {
namespace {

TensorInstruction of(TensorElement type, std::optional<std::uint32_t> operations) {
  return {.type = type, .operations = operations};
}

TEST(DecodedTensor, IsKnownOfFunctionsWithOneType) {
  using Decoded = std::optional<DecodedTensor>;
  EXPECT_EQ(decoded_tensor({of(TensorElement::bf16, 4096)}), Decoded({{counter::kTensorBf16Ops}, 4096}));
  EXPECT_EQ(decoded_tensor({of(TensorElement::f8, 8192), of(TensorElement::f8, 8192)}),
            Decoded({{counter::kTensorF8Ops}, 8192}));
  EXPECT_EQ(decoded_tensor({of(TensorElement::f64, 512), of(TensorElement::f64, 4096)}),
            Decoded({{counter::kTensorF64Ops}, std::nullopt}))
      << "but not how many operations an instruction has";
  EXPECT_EQ(decoded_tensor({of(TensorElement::i8, std::nullopt)}),
            Decoded({{counter::kTensorI8Ops}, std::nullopt}));
}

TEST(DecodedTensor, HasEachTypeOfAMix) {
  const auto mix = decoded_tensor(
      {of(TensorElement::f16, 4096), of(TensorElement::bf16, 4096), of(TensorElement::f16, 4096)});
  ASSERT_TRUE(mix);
  EXPECT_EQ(mix->counters, (std::vector{counter::kTensorF16Ops, counter::kTensorBf16Ops}));
  EXPECT_FALSE(mix->operations) << "which of them were executed is not known";
}

TEST(DecodedTensor, IsUnknownOfOthers) {
  EXPECT_FALSE(decoded_tensor({}));
  EXPECT_FALSE(decoded_tensor({of(TensorElement::f16, 4096), of(TensorElement::unknown, std::nullopt)}));
  EXPECT_FALSE(decoded_tensor({of(TensorElement::i4, 16384)})) << "no counter counts these";
}

}  // namespace
}  // namespace rooflinectl::decoded_tensor_test
