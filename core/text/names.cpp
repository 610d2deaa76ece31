// SPDX-License-Identifier: Apache-2.0
#include "core/text/names.h"

#include <fmt/format.h>
#include <fnmatch.h>
#include <regex.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/error.h"
#include "core/text/written_number.h"

namespace rooflinectl {

namespace {

// Nobody mistypes a longer name, and the distance takes quadratic time.
constexpr std::size_t kLongestName = 200;

/// Edits (insertion, deletion, substitution, swap of neighbours) that turn `pattern` into `name`, where a `*`
/// of the pattern absorbs any characters and a `?` any one. Optimal string alignment distance over three
/// rolling rows.
std::size_t edit_distance(std::string_view pattern, std::string_view name) {
  std::vector<std::size_t> before_last(name.size() + 1);
  std::vector<std::size_t> last(name.size() + 1);
  std::vector<std::size_t> row(name.size() + 1);
  for (std::size_t j = 0; j <= name.size(); ++j) last[j] = j;

  for (std::size_t i = 1; i <= pattern.size(); ++i) {
    const char letter = pattern[i - 1];
    const bool any = letter == '*';
    row[0] = last[0] + (any ? 0 : 1);
    for (std::size_t j = 1; j <= name.size(); ++j) {
      const bool same = any || letter == '?' || letter == name[j - 1];
      row[j] = std::min({last[j] + (any ? 0 : 1), row[j - 1] + (any ? 0 : 1), last[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && letter == name[j - 2] && pattern[i - 2] == name[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last.swap(last);
    last.swap(row);
  }
  return last[name.size()];
}

/// Whether one of them is the other with more behind it, as `block_size` is `block`.
bool is_continued(std::string_view a, std::string_view b) {
  constexpr std::size_t kLettersEnough = 3;
  return std::min(a.size(), b.size()) >= kLettersEnough && (a.starts_with(b) || b.starts_with(a));
}

}  // namespace

bool is_plain_name(std::string_view name) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  return !name.empty() && name.size() <= kMaxNameLength &&
         name.find_first_not_of(kAllowed) == std::string_view::npos;
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

std::string_view take_field(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string_view field = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return field;
}

bool natural_less(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      const auto digits = [](std::string_view text) {
        return text.substr(0,
                           static_cast<std::size_t>(std::ranges::find_if_not(text, is_digit) - text.begin()));
      };
      const std::string_view number_a = digits(a);
      const std::string_view number_b = digits(b);
      if (number_a.size() != number_b.size()) return number_a.size() < number_b.size();
      if (number_a != number_b) return number_a < number_b;
      a.remove_prefix(number_a.size());
      b.remove_prefix(number_b.size());
    } else {
      if (a.front() != b.front()) return a.front() < b.front();
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
  }
  return a.size() < b.size();
}

bool matches_glob(std::string_view glob, std::string_view name) {
  return fnmatch(std::string(glob).c_str(), std::string(name).c_str(), FNM_NOESCAPE) == 0;
}

bool is_misspelt(std::string_view text, std::string_view name) {
  constexpr std::size_t kMost = 2;
  if (text == name || text.size() > name.size() + kMost) return false;
  std::string lower(text);
  for (char& letter : lower) letter = to_lower(letter);
  return edit_distance(lower, name) <= kMost;
}

std::optional<std::string> nearest_name(std::string_view text, const std::vector<std::string>& names) {
  if (text.size() > kLongestName) return std::nullopt;
  std::optional<std::string> nearest;
  std::size_t fewest_edits = 0;
  for (const std::string& name : names) {
    const std::size_t edits = edit_distance(text, name);
    const std::size_t tolerated = std::max<std::size_t>(2, std::max(text.size(), name.size()) / 2);
    const bool is_near = (edits <= tolerated && edits < name.size()) || is_continued(text, name);
    if (is_near && (!nearest || edits < fewest_edits)) {
      nearest = name;
      fewest_edits = edits;
    }
  }
  return nearest;
}

// Not std::regex: it uses a stack frame per character, and a program's threads may have small stacks.
struct LaunchFilter::Expression {
  regex_t compiled;
};

namespace {

/// The same for one name.
std::string title_of(std::string_view name) {
  const std::size_t metadata = name.find(":#");
  if (metadata == 0 || metadata == std::string_view::npos || !name.ends_with('#')) return std::string(name);
  const std::string_view values = name.substr(metadata + 2, name.size() - metadata - 3);
  const std::size_t equals = values.find('=');
  if (equals == std::string_view::npos) return std::string(name);
  const std::string_view first = values.substr(equals + 1);
  return fmt::format("{} {}", name.substr(0, metadata), first.substr(0, first.find(',')));
}

}  // namespace

std::string range_title(std::string_view path) {
  std::string all;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    all += title_of(path.substr(begin, end - begin));
    if (end < path.size()) all += '/';
    begin = end + 1;
  }
  return all;
}

LaunchFilter::LaunchFilter(const std::string& kernel, std::string nvtx) : nvtx_(std::move(nvtx)) {
  if (kernel.empty()) return;
  auto expression = std::make_unique<Expression>();
  if (const int error = regcomp(&expression->compiled, kernel.c_str(), REG_EXTENDED | REG_NOSUB)) {
    std::array<char, 256> problem{};
    regerror(error, &expression->compiled, problem.data(), problem.size());
    throw Error(ErrorKind::usage, fmt::format("'{}' is not a regular expression: {}", kernel, problem.data()),
                "the syntax is that of grep -E");
  }
  kernel_ = std::move(expression);
}

LaunchFilter::~LaunchFilter() {
  if (kernel_) regfree(&kernel_->compiled);
}

bool LaunchFilter::selects_kernel(const std::string& symbol) const {
  return !kernel_ || regexec(&kernel_->compiled, symbol.c_str(), 0, nullptr, 0) == 0;
}

bool LaunchFilter::selects_path(std::string_view path) const {
  if (nvtx_.empty() || matches_glob(nvtx_, path)) return true;
  while (!path.empty()) {
    if (matches_glob(nvtx_, take_field(path, '/'))) return true;
  }
  return false;
}

}  // namespace rooflinectl
