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
  DecodedTensor decoded;
  for (const TensorInstruction& instruction : instructions) {
    const std::string_view counter = counter_of(instruction.type);
    if (counter.empty()) return std::nullopt;
    if (std::find(decoded.counters.begin(), decoded.counters.end(), counter) == decoded.counters.end())
      decoded.counters.push_back(counter);
  }
  const auto operations = instructions.front().operations;
  const bool are_alike = std::all_of(instructions.begin(), instructions.end(),
                                     [&](const auto& other) { return other.operations == operations; });
  if (are_alike && decoded.counters.size() == 1) decoded.operations = operations;
  return decoded;
}

}  // namespace rooflinectl
