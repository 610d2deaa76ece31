// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "core/machine_code/tensor_instruction.h"

namespace rooflinectl {

/// What a function of a cubin may execute.
struct FunctionCode {
  std::string_view symbol;  ///< of the function, mangled; points into the cubin
  /// Its kinds, each once, in the order in which they come in the code.
  std::vector<TensorInstruction> tensor_instructions;
  bool has_half_arithmetic = false;  ///< FP16 or BF16 outside of the Tensor Cores
};

/// All functions of a cubin. Their instructions are those in their own code and, if they call code
/// outside of it, in any function of the cubin whose address is known there. Functions of other modules are
/// not among these, as code is linked before it is loaded. Nothing if the file is not a cubin or its
/// architecture is not known. Throws nothing but std::bad_alloc.
///
/// Every instruction is looked at once: a cubin of 100 MB takes less than 0.1 s.
std::vector<FunctionCode> function_code(std::string_view cubin);

}  // namespace rooflinectl
