// SPDX-License-Identifier: Apache-2.0
#include "runner/profiling/points/range_paths.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace rooflinectl {

namespace {

constexpr std::string_view kDigits = "0123456789";

/// A path in pieces, words and numbers by turns, words first.
std::vector<std::string_view> pieces_of(std::string_view path) {
  std::vector<std::string_view> pieces;
  while (!path.empty()) {
    const bool is_number = pieces.size() % 2 == 1;
    const std::size_t end = is_number ? path.find_first_not_of(kDigits) : path.find_first_of(kDigits);
    pieces.push_back(path.substr(0, end));
    path.remove_prefix(pieces.back().size());
  }
  return pieces;
}

/// What paths have in common that differ in their numbers only.
std::string form_of(const std::vector<std::string_view>& pieces) {
  std::string form;
  for (std::size_t i = 0; i < pieces.size(); ++i) form += i % 2 == 1 ? std::string_view("\0", 1) : pieces[i];
  return form;
}

}  // namespace

std::map<std::string, std::string> collapsed_paths(const std::set<std::string>& paths) {
  using Values = std::vector<std::set<std::string_view>>;  // by piece
  std::map<std::string, Values> values_of_form;
  for (const std::string& path : paths) {
    const auto pieces = pieces_of(path);
    Values& values = values_of_form[form_of(pieces)];
    values.resize(pieces.size());
    for (std::size_t i = 0; i < pieces.size(); ++i) values[i].insert(pieces[i]);
  }
  std::map<std::string, std::string> result;
  for (const std::string& path : paths) {
    const auto pieces = pieces_of(path);
    const Values& values = values_of_form[form_of(pieces)];
    std::string& collapsed = result[path];
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      collapsed += values[i].size() >= kManyPaths ? std::string_view("#") : pieces[i];
    }
  }
  return result;
}

}  // namespace rooflinectl
