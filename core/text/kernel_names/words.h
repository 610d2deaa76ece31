// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

/// Identifiers of kernels as words.
namespace rooflinectl::kernel_names {

/// Stands for what was cut out.
inline constexpr std::string_view kCut = "…";

/// Characters.
std::size_t length(std::string_view text);

bool contains(std::string_view text, std::string_view what);

/// Whether identifiers may have `c`.
bool is_identifier(char c);

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

}  // namespace rooflinectl::kernel_names
