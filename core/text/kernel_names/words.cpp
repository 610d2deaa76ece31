// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cctype>

#include "core/text/kernel_names/kernel_names.h"
#include "core/text/printable.h"
#include "core/text/written_number.h"

namespace rooflinectl::kernel_names {

namespace {

/// What generated names do not need to be told apart, left out where they are too long.
std::string without_filler(std::string_view name) {
  for (const std::string_view rest : {"_execute_", "_warpgroupsize", "_warpsize", "_object_at_"}) {
    name = name.substr(0, name.find(rest));
  }
  std::string result(name);
  for (const std::string_view filler : {"tensorop_", "optimized_", "kernel_cutlass_kernel_"}) {
    const std::size_t at = result.find(filler);
    if (at != std::string::npos) result.erase(at, filler.size());
  }
  return result;
}

}  // namespace

bool contains(std::string_view text, std::string_view what) {
  return text.find(what) != std::string_view::npos;
}

std::string_view without_prefix(std::string_view text, std::string_view prefix) {
  return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

std::string_view without_endings(std::string_view text, std::span<const std::string_view> endings) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const std::string_view ending : endings) {
      if (text.ends_with(ending) && text.size() >= ending.size() + 3) {
        text.remove_suffix(ending.size());
        changed = true;
      }
    }
  }
  return text;
}

std::string_view without_underscores(std::string_view text) {
  const std::size_t first = text.find_first_not_of('_');
  return first == std::string_view::npos ? text : text.substr(first);
}

std::string kernel_base(std::string_view text) {
  constexpr auto kEndings = std::to_array<std::string_view>(
      {"_kernel_manual_unroll", "_cuda_kernel", "_kernel_cuda", "CUDAKernel", "_kernel", "Kernel"});
  return std::string(without_endings(without_underscores(text), kEndings));
}

std::string function_words(std::string_view text) {
  constexpr auto kEndings = std::to_array<std::string_view>(
      {"CUDAKernelImpl", "CUDAKernel", "KernelImpl", "_impl", "_cuda", "_kernel", "Kernel", "_cuda_out"});
  text = without_endings(without_prefix(without_underscores(text), "launch_"), kEndings);
  std::string words;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool begins_word = std::isupper(c) != 0 && i > 0 && is_of_identifier(text[i - 1]) &&
                             text[i - 1] != '_' && std::isupper(static_cast<unsigned char>(text[i - 1])) == 0;
    if (begins_word || c == '_') words += ' ';
    if (c != '_') words += static_cast<char>(std::tolower(c));
  }
  return words;
}

std::string functor_word(std::string_view text) {
  constexpr std::array kEndings =
      std::to_array<std::string_view>({"MathFunctor", "Functor", "_functor", "Ops"});
  for (const std::string_view prefix : {"CUDAFunctor_", "CUDAFunctorOnSelf_", "CUDAFunctorOnOther_"}) {
    text = without_prefix(text, prefix);
  }
  std::string word(without_endings(text, kEndings));
  const auto is_upper = [](char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; };
  const bool is_one_word = std::none_of(word.begin() + (word.empty() ? 0 : 1), word.end(), is_upper);
  if (is_one_word && !word.empty())
    word[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(word[0])));
  return word;
}

std::string cut_middle(std::string_view text, std::size_t longest) {
  if (count_characters(text) <= longest) return std::string(text);
  const std::u32string characters = decode_utf8(without_filler(text));
  if (characters.size() <= longest) return encode_utf8(characters);
  const std::size_t end = characters.size();
  std::size_t tail = longest / 2;
  const std::size_t tail_word = characters.find(U'_', end - tail);
  if (tail_word != std::u32string::npos && end - tail_word >= tail / 2) tail = end - tail_word;
  std::size_t head = longest - 1 - tail;
  const std::size_t head_word = characters.rfind(U'_', head);
  if (head_word != std::u32string::npos && head_word >= head * 3 / 4) head = head_word;
  return encode_utf8(characters.substr(0, head)) + std::string(kCut) +
         encode_utf8(characters.substr(end - tail));
}

}  // namespace rooflinectl::kernel_names
