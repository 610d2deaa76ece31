// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/machine_code/tensor_instruction.h"

namespace rooflinectl {

/// What is known of a function's tensor instructions from its machine code.
struct DecodedTensor {
  std::vector<std::string_view> counters;  ///< of the operations of the types that it has: `tensor_bf16_ops`
  std::optional<double>
      operations;  ///< of each warp in each instruction; nothing if these or the types differ

  bool operator==(const DecodedTensor&) const = default;
};

/// Nothing if there are no instructions, or one of a type whose operations are not counted.
std::optional<DecodedTensor> decoded_tensor(const std::vector<TensorInstruction>& instructions);

}  // namespace rooflinectl
