// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace rooflinectl::kernel_names {

struct CppName;

/// What stands between two `::` of a name.
struct NamePart {
  /// `reduce_kernel`, `operator()`, `(anonymous namespace)`, `{lambda(float)#1}`.
  std::string_view text;
  std::vector<CppName> template_arguments;
  /// Those of a lambda; functions' parameters are not read.
  std::vector<CppName> parameters;
  bool is_anonymous = false;
  bool is_lambda = false;
  /// Whether a parameter list follows.
  bool is_call = false;
};

/// A function, a type or a constant as a demangler prints it. All texts are views into the one that was
/// parsed.
struct CppName {
  std::string_view text;
  /// Without what stands before the last word (the type that a function returns) and behind it (`const*`).
  /// Empty for constants and for what is not understood.
  std::vector<NamePart> parts;
};

/// The parts of `text`, in the spelling of c++filt (`{lambda(int)#1}`), nsys and ncu (`[lambda(int) (instance
/// 1)]`, `(int)4`, `<unnamed>`), nvprof (`int=4`) or LLVM (`'lambda'(int)`). Any text is allowed; takes
/// linear time. Arguments nested deeper than 40 levels have no parts.
CppName parse_cpp_name(std::string_view text);

}  // namespace rooflinectl::kernel_names
