// SPDX-License-Identifier: Apache-2.0
#include "injection/ranges/range_names.h"

#include <algorithm>
#include <utility>

#include "core/text/written_number.h"

namespace rooflinectl::injection {

namespace {

/// The name in pieces, words and numbers by turns, words first.
std::vector<std::string_view> pieces_of(std::string_view name) {
  std::vector<std::string_view> pieces;
  while (!name.empty()) {
    const bool is_number = pieces.size() % 2 == 1;
    const auto* const end =
        std::ranges::find_if(name, [&](char character) { return is_digit(character) != is_number; });
    pieces.push_back(name.substr(0, static_cast<std::size_t>(end - name.begin())));
    name.remove_prefix(pieces.back().size());
  }
  return pieces;
}

/// Ends before a byte that continues a character.
std::string_view shortened(std::string_view name) {
  if (name.size() <= RangeNames::kLongestName) return name;
  std::size_t end = RangeNames::kLongestName;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0U) == 0x80U) --end;
  return name.substr(0, end);
}

}  // namespace

std::string RangeNames::folded(std::string_view name) {
  name = shortened(name);
  const auto pieces = pieces_of(name);
  std::string form;
  for (std::size_t i = 0; i < pieces.size(); ++i) form += i % 2 == 1 ? std::string_view("\0", 1) : pieces[i];
  auto known = numbers_.find(form);
  if (known == numbers_.end()) {
    if (numbers_.size() >= kMostNames) {
      has_left_out_ = true;
      return std::string(kOther);
    }
    known = numbers_.emplace(std::move(form), pieces.size() / 2).first;
  }
  std::string folded;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (i % 2 == 0) {
      folded += pieces[i];
      continue;
    }
    Numbers& numbers = known->second[i / 2];
    if (numbers.size() < kMostNumbers) numbers.emplace(pieces[i]);
    folded += numbers.contains(pieces[i]) ? pieces[i] : std::string_view("#");
  }
  return folded;
}

}  // namespace rooflinectl::injection
