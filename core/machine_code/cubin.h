// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/machine_code/tensor_instruction.h"

namespace rooflinectl {

/// The machine code of one section of a cubin: a kernel with what was compiled into it, or a function that
/// others call.
struct CodeSection {
  std::string_view symbol;  ///< mangled
  std::string_view code;
  /// Whether code of another section may call it, or its address is known to the program.
  bool is_referenced = false;
};

/// What a cubin, an ELF file, holds of machine code. Everything points into the cubin.
struct Cubin {
  int architecture = 0;  ///< 90 for sm_90
  std::vector<CodeSection> sections;
};

/// Nothing if it is not a cubin, is damaged, or has more sections or relocations than compilers make. Throws
/// nothing but std::bad_alloc; takes no more time than to read the file once.
std::optional<Cubin> read_cubin(std::string_view file);

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
