// SPDX-License-Identifier: Apache-2.0
#include "core/counters/decoded_tensor.h"

#include <algorithm>

#include "core/counters/counters.h"

namespace rooflinectl {

namespace {

/// Empty for a type whose operations are not counted.
std::string_view counter_of(TensorElement type) {
  switch (type) {
    case TensorElement::f16:
      return counter::kTensorF16Ops;
    case TensorElement::bf16:
      return counter::kTensorBf16Ops;
    case TensorElement::tf32:
      return counter::kTensorTf32Ops;
    case TensorElement::f8:
      return counter::kTensorF8Ops;
    case TensorElement::i8:
      return counter::kTensorI8Ops;
    case TensorElement::f64:
      return counter::kTensorF64Ops;
    default:
      return {};
  }
}

}  // namespace

std::optional<DecodedTensor> decoded_tensor(const std::vector<TensorInstruction>& instructions) {
  if (instructions.empty()) return std::nullopt;
  const TensorInstruction& first = instructions.front();
  const auto all = [&](auto is_same) {
    return std::all_of(instructions.begin(), instructions.end(), is_same);
  };
  const std::string_view counter = counter_of(first.type);
  if (counter.empty() || !all([&](const TensorInstruction& other) { return other.type == first.type; })) {
    return std::nullopt;
  }
  DecodedTensor decoded = {.counter = counter, .operations = std::nullopt};
  if (all([&](const TensorInstruction& other) { return other.operations == first.operations; })) {
    decoded.operations = first.operations;
  }
  return decoded;
}

}  // namespace rooflinectl
