// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
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

// Identifiers of kernels as words.

/// Stands for what was cut out.
inline constexpr std::string_view kCut = "…";

bool contains(std::string_view text, std::string_view what);

std::string_view without_prefix(std::string_view text, std::string_view prefix);

/// `text` without those of `endings` that it has, even several of them, as long as three letters remain.
std::string_view without_endings(std::string_view text, std::span<const std::string_view> endings);

/// Without underscores at the beginning.
std::string_view without_underscores(std::string_view text);

/// `vectorized_layer_norm_kernel` as `vectorized_layer_norm`.
std::string kernel_base(std::string_view text);

/// `GeluBackwardCUDAKernelImpl` as `gelu backward`, `direct_copy_kernel_cuda` as `direct copy`.
std::string function_words(std::string_view text);

/// `MulFunctor` as `mul`, `CUDAFunctor_add` as `add`, `FusedAdamMathFunctor` as `FusedAdam`.
std::string functor_word(std::string_view text);

/// `text` of at most `longest` characters: its beginning and its end, where generated names have their number
/// or tile, cut at a `_` if one is near.
std::string cut_middle(std::string_view text, std::size_t longest);

// What the template arguments of kernels are.

/// The numeric type that `name`, or what it points to, is; empty if it is not one. The types of PyTorch's
/// copies show only their size.
std::string scalar(const CppName& name);

/// Whether `name` is the type of an address.
bool is_pointer(const CppName& name);

/// Whether `name` is a constant of an enumeration, whose number tells nothing: `(cudnnKernelDataType_t)2`,
/// `padding_t=1`.
bool is_enumerator(const CppName& name);

/// A number, `true` or `false`, without its type; empty for others.
std::string literal(const CppName& name);

/// Namespaces that tell the reader of a kernel's name nothing.
bool is_silent(const NamePart& part);

/// Classes about how a kernel is tuned or where its data lie.
bool is_plumbing(const NamePart& part);

/// The last part with a name of its own, from `last` back; null if there is none.
const NamePart* named_part(const CppName& name, std::size_t last);

/// The last part with a name of its own; null if there is none.
const NamePart* named_part(const CppName& name);

/// The first `scalar` among `names`.
std::string first_scalar(const std::vector<CppName>& names);

/// What a generic kernel (PyTorch's elementwise and reduction kernels, CUB, Thrust) is instantiated with.
struct Operation {
  std::string name;
  /// What it works on; empty if its arguments do not tell.
  std::string type;
  /// Has no name of its own, but refines the one before it: `plus`, a lambda.
  bool is_detail = false;
};

/// The first operation among `arguments`, with the one that refines it: `BinaryOpListAlphaFunctor<…>,
/// plus<…>`.
std::optional<Operation> find_operation(const std::vector<CppName>& arguments);

using Words = std::vector<std::string>;

/// A kernel in words: `elementwise` and `add`, `bf16`.
struct Description {
  /// With the namespace that matters. Empty if the name is not understood.
  std::string base;
  /// At most 28 characters each.
  Words details;

  void add(std::string_view detail);
};

/// What `name`, the name of a kernel, amounts to.
Description describe(const CppName& name);

}  // namespace rooflinectl::kernel_names
