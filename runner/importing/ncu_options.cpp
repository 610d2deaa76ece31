// SPDX-License-Identifier: Apache-2.0
#include "runner/importing/ncu_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <system_error>
#include <vector>

namespace rooflinectl {

namespace {

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    if (text.empty()) return words;
    words.push_back(text.substr(0, text.find(' ')));
    text.remove_prefix(words.back().size());
  }
}

/// The values of `--option VALUE` and `--option=VALUE`. Arguments of the program that ncu ran are words, too:
/// any that look like ncu's options come after ncu's own.
std::vector<std::string> values_of(const std::vector<std::string_view>& words, std::string_view option) {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == option && i + 1 < words.size()) values.emplace_back(words[i + 1]);
    if (word.starts_with(option) && word.substr(option.size()).starts_with('=')) {
      values.emplace_back(word.substr(option.size() + 1));
    }
  }
  return values;
}

std::string first_of(const std::vector<std::string>& values, const std::string& otherwise) {
  return values.empty() ? otherwise : values.front();
}

/// The clocks that ncu locks unless it is told otherwise; nothing where its version is not known.
/// Source: Nsight Compute CLI documentation, `--clock-control`.
std::string default_clock_control(std::string_view version) {
  constexpr int kFirstWithBoost = 2026;
  int year = 0;
  const auto [end, error] = std::from_chars(version.data(), version.data() + version.size(), year);
  if (error != std::errc()) return {};
  return year >= kFirstWithBoost ? "boost" : "base";
}

}  // namespace

void set_ncu_options(ImportedFile& file, std::string_view command_line) {
  if (command_line.empty()) return;
  const std::vector<std::string_view> words = words_of(command_line);
  file.replay = first_of(values_of(words, "--replay-mode"), "kernel");
  file.clock_control =
      first_of(values_of(words, "--clock-control"), default_clock_control(file.tool_version));
  file.cache_control = first_of(values_of(words, "--cache-control"), "all");
  for (const std::string& set : values_of(words, "--set")) file.sections.push_back("set " + set);
  for (const std::string& section : values_of(words, "--section")) {
    file.sections.push_back("section " + section);
  }
  if (!values_of(words, "--metrics").empty()) file.sections.emplace_back("chosen metrics");
  if (file.sections.empty()) file.sections.emplace_back("set basic");
}

}  // namespace rooflinectl
