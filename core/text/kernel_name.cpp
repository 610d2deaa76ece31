// SPDX-License-Identifier: Apache-2.0
#include "core/text/kernel_name.h"

#include <fmt/format.h>

// Otherwise libiberty.h declares a basename() that contradicts <cstring>'s.
#define HAVE_DECL_BASENAME 1
#include <libiberty/demangle.h>

#include <algorithm>
#include <csetjmp>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/text/kernel_names/kernel_names.h"
#include "core/text/printable.h"
#include "core/text/written_number.h"

namespace rooflinectl {

using namespace kernel_names;

namespace {

// The demangler's stack grows with the mangled name, and its output can grow exponentially with it.
constexpr std::size_t kLongestSymbol = 16384;
constexpr std::size_t kLongestDemangled = 262144;

constexpr std::size_t kLongestShortName = 60;

std::string compose(const Description& description, std::size_t longest) {
  std::size_t used = count_characters(description.base) + 2;
  if (description.details.empty() || used + count_characters(description.details[0]) + 3 > longest) {
    return cut_middle(description.base, longest);
  }
  std::string list;
  for (std::size_t i = 0; i < description.details.size(); ++i) {
    const std::string& detail = description.details[i];
    const bool is_last = i + 1 == description.details.size();
    const std::size_t needed = (i == 0 ? 0 : 2) + count_characters(detail);
    // Room for what stands for the rest.
    if (used + needed + (is_last ? 0 : 3) > longest) {
      list += ", " + std::string(kCut);
      break;
    }
    list += (i == 0 ? "" : ", ") + detail;
    used += needed;
  }
  return description.base + "<" + list + ">";
}

std::string shorten(std::string_view demangled, std::size_t longest) {
  const std::string text = printable(demangled);
  // Generated names (Triton, nvjet, XLA, cuDNN) are not C++.
  if (text.find_first_of("<(:") == std::string::npos) return cut_middle(text, longest);
  const Description description = describe(parse_cpp_name(text));
  return description.base.empty() ? cut_middle(text, longest) : compose(description, longest);
}

/// The identifiers and numbers of a name, except the numbers of lambdas; its parts between `_` if it is a
/// single identifier.
std::vector<std::string_view> words_of(std::string_view name) {
  const bool is_single = std::ranges::all_of(name, is_of_identifier);
  const auto is_word = [is_single](char c) { return is_of_identifier(c) && !(is_single && c == '_'); };
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < name.size();) {
    std::size_t end = at;
    while (end < name.size() && is_word(name[end])) ++end;
    if (end > at && (at == 0 || name[at - 1] != '#')) words.push_back(name.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

/// Where names with the same number of words differ: the first place at which all do, else the first at which
/// some do.
std::optional<std::size_t> telling_place(const std::vector<std::vector<std::string_view>>& names) {
  std::optional<std::size_t> first;
  for (std::size_t at = 0; at < names[0].size(); ++at) {
    std::set<std::string_view> seen;
    for (const auto& words : names) {
      if (words.size() != names[0].size()) return std::nullopt;
      seen.insert(words[at]);
    }
    if (seen.size() == names.size()) return at;
    if (seen.size() > 1 && !first) first = at;
  }
  return first;
}

/// A word of a name, in our words.
std::string told(std::string_view word, std::string_view short_name) {
  CppName type;
  type.text = word;
  std::string result = scalar(type);
  if (!result.empty()) return result;
  if (is_digit(word[0])) return std::string(word.substr(0, word.find_first_of("uUlL")));
  result = kernel_base(word);
  // `vectorized_elementwise` behind `elementwise<…>`.
  const std::string base = fmt::format("_{}", short_name.substr(0, short_name.find('<')));
  if ("_" + result == base) return {};
  if (result.ends_with(base)) result.resize(result.size() - base.size());
  return cut_middle(result, kLongestShortName * 2 / 5);
}

/// For each of `names`, which are different, the word that tells it from the others: the one at their
/// `telling_place`, else the first identifier, or number, that no other has. Empty where there is none.
Words telling_words(const std::vector<std::string>& names, std::string_view short_name) {
  constexpr std::size_t kMostCompared = 1000;
  if (names.size() > kMostCompared) return Words(names.size());
  std::vector<std::vector<std::string_view>> words;
  std::map<std::string_view, std::size_t> holders;
  for (const std::string& name : names) {
    words.push_back(words_of(name));
    for (const std::string_view word : std::set<std::string_view>(words.back().begin(), words.back().end())) {
      ++holders[word];
    }
  }
  const std::optional<std::size_t> place = telling_place(words);
  Words telling;
  for (const std::vector<std::string_view>& own : words) {
    const auto is_unique = [&](std::string_view word) { return holders.at(word) == 1; };
    const auto tells = [&](std::string_view word) { return is_unique(word) && !is_digit(word[0]); };
    auto word = place ? own.begin() + static_cast<std::ptrdiff_t>(*place) : std::ranges::find_if(own, tells);
    if (word == own.end()) word = std::ranges::find_if(own, is_unique);
    telling.push_back(word == own.end() ? std::string() : told(*word, short_name));
  }
  return telling;
}

/// `name` with `suffix` behind it, within the length of a short name.
std::string with_suffix(std::string_view name, const std::string& suffix) {
  return shorten(name, kLongestShortName - count_characters(suffix)) + suffix;
}

/// Appends what `symbol` is in C++ to `name`. False, with a part of it in `name`, if it is no C++ symbol or
/// longer than `kLongestDemangled`.
bool append_demangled(const std::string& symbol, std::string& name) {
  struct Output {
    std::string& name;
    std::jmp_buf is_full;
  } output{name, {}};
  // The library, which is C and keeps everything on its stack, has no other way to be stopped.
  if (setjmp(output.is_full) != 0) return false;
  const auto append = [](const char* text, std::size_t size, void* context) {
    auto& [so_far, is_full] = *static_cast<Output*>(context);
    if (so_far.size() + size > kLongestDemangled) std::longjmp(is_full, 1);
    so_far.append(text, size);
  };
  // Not abi::__cxa_demangle, which refuses names longer than 1,024 characters, as CUTLASS's are.
  constexpr int kOptions = DMGL_PARAMS | DMGL_ANSI | DMGL_NO_RECURSE_LIMIT;
  return cplus_demangle_v3_callback(symbol.c_str(), kOptions, append, &output) != 0;
}

}  // namespace

std::string demangle(std::string_view symbol) {
  if (!symbol.starts_with("_Z") || symbol.size() > kLongestSymbol ||
      contains(symbol, std::string_view("\0", 1))) {
    return std::string(symbol);
  }
  std::string name;
  return append_demangled(std::string(symbol), name) ? name : std::string(symbol);
}

std::string short_kernel_name(std::string_view demangled) {
  return shorten(demangled, kLongestShortName);
}

std::vector<std::string> distinct_short_names(const std::vector<std::string>& demangled) {
  // Each name once, in the order of their first appearance, so that numbers do not depend on how often one
  // occurs.
  std::map<std::string_view, std::string> chosen;
  std::map<std::string, std::vector<std::string>> alike;
  std::vector<std::string> order;
  for (const std::string& name : demangled) {
    if (!chosen.emplace(name, std::string()).second) continue;
    std::string short_name = short_kernel_name(name);
    std::vector<std::string>& group = alike[short_name];
    group.push_back(name);
    if (group.size() == 1) order.push_back(std::move(short_name));
  }
  std::set<std::string> taken;
  for (const std::string& short_name : order) {
    if (alike.at(short_name).size() == 1) {
      chosen[alike.at(short_name)[0]] = short_name;
      taken.insert(short_name);
    }
  }
  for (const std::string& short_name : order) {
    const std::vector<std::string>& group = alike.at(short_name);
    if (group.size() == 1) continue;
    const Words telling = telling_words(group, short_name);
    std::map<std::string, std::size_t> numbers;
    for (std::size_t i = 0; i < group.size(); ++i) {
      const std::string word = telling[i].empty() ? "" : fmt::format(" [{}]", telling[i]);
      std::string distinct = with_suffix(group[i], word);
      std::size_t& number = numbers.emplace(word, 1).first->second;
      while (!taken.insert(distinct).second) {
        distinct = with_suffix(group[i], fmt::format("{} #{}", word, ++number));
      }
      chosen[group[i]] = distinct;
    }
  }
  std::vector<std::string> names;
  names.reserve(demangled.size());
  for (const std::string& name : demangled) names.push_back(chosen.at(name));
  return names;
}

}  // namespace rooflinectl
