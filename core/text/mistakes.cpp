// SPDX-License-Identifier: Apache-2.0
#include "core/text/mistakes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "core/text/names.h"
#include "core/text/printable.h"

namespace rooflinectl {

namespace {

constexpr std::size_t kMaxMistakes = 1000;
constexpr std::size_t kMaxQuotedBytes = 60;
constexpr std::size_t kFewNames = 12;

}  // namespace

void Mistakes::add(Position position, std::string text) {
  found_.emplace(position, std::move(text));
  if (++reported_ == kMaxMistakes) throw_if_any();
}

void Mistakes::throw_if_any() const {
  if (found_.empty()) return;
  std::string message;
  for (const auto& [position, text] : found_) {
    if (!message.empty()) message += '\n';
    message += fmt::format("{}: {}", place(position), text);
  }
  throw Error(ErrorKind::usage, message,
              "nothing was measured; `rooflinectl list` shows what a plan can name");
}

std::string Mistakes::place(Position position) const {
  std::string_view rest = text_;  // from the start of the line
  for (int line = 1; line < position.line; ++line) take_field(rest, '\n');
  const std::size_t column =
      count_characters(rest.substr(0, static_cast<std::size_t>(position.column) - 1)) + 1;
  return fmt::format("{}:{}:{}", file_name_, position.line, column);
}

std::string suggestion(std::string_view text, const std::vector<std::string>& valid) {
  if (const auto nearest = nearest_name(text, valid)) return fmt::format("; did you mean '{}'?", *nearest);
  if (valid.size() <= kFewNames) return fmt::format("; valid: {}", fmt::join(valid, ", "));
  return {};
}

std::string in_quotes(std::string_view text) {
  std::string shown(text.substr(0, kMaxQuotedBytes));
  const auto cuts_character = [&] {
    return shown.size() < text.size() && (static_cast<unsigned char>(text[shown.size()]) & 0xC0U) == 0x80U;
  };
  while (!shown.empty() && cuts_character()) shown.pop_back();
  return fmt::format("'{}{}'", printable(shown), shown.size() < text.size() ? "…" : "");
}

}  // namespace rooflinectl
