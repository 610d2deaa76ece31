// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

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

}  // namespace rooflinectl
