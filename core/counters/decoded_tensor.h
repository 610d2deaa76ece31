// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/machine_code/tensor_instruction.h"

namespace rooflinectl {

/// What is known from its machine code of a function whose tensor instructions all work on one type.
struct DecodedTensor {
  std::string_view counter;          ///< the key of that type's operations: `tensor_bf16_ops`
  std::optional<double> operations;  ///< of each warp in each instruction; nothing if these differ

  bool operator==(const DecodedTensor&) const = default;
};

/// Nothing if there are no instructions, several types, or a type whose operations are not counted.
std::optional<DecodedTensor> decoded_tensor(const std::vector<TensorInstruction>& instructions);

}  // namespace rooflinectl
