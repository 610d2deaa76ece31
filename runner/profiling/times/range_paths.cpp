// SPDX-License-Identifier: Apache-2.0
#include "runner/profiling/times/range_paths.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace rooflinectl {

namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kDigitsAndSign = "0123456789#";
constexpr std::string_view kSign = "#";  // stands for any number

/// A path in pieces, words and numbers by turns, words first.
std::vector<std::string_view> pieces_of(std::string_view path) {
  std::vector<std::string_view> pieces;
  while (!path.empty()) {
    const bool is_number = pieces.size() % 2 == 1;
    const bool is_sign = is_number && path.starts_with(kSign);
    const std::size_t end = is_sign     ? kSign.size()
                            : is_number ? path.find_first_not_of(kDigits)
                                        : path.find_first_of(kDigitsAndSign);
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

/// Paths that differ in their numbers only.
struct Form {
  std::vector<std::set<std::string_view>> values;  // by piece
  std::size_t numbered = 0;                        // paths without a sign

  bool varies(std::size_t piece) const {
    const auto& here = values[piece];
    return here.size() >= kManyNumbers || (numbered >= kManyNumbers - 1 && here.contains(kSign));
  }
};

}  // namespace

std::map<std::string, std::string> collapsed_paths(const std::set<std::string>& paths) {
  std::map<std::string, Form> forms;
  for (const std::string& path : paths) {
    const auto pieces = pieces_of(path);
    Form& form = forms[form_of(pieces)];
    form.values.resize(pieces.size());
    for (std::size_t i = 0; i < pieces.size(); ++i) form.values[i].insert(pieces[i]);
    if (path.find(kSign) == std::string::npos) ++form.numbered;
  }
  std::map<std::string, std::string> result;
  for (const std::string& path : paths) {
    const auto pieces = pieces_of(path);
    const Form& form = forms[form_of(pieces)];
    std::string& collapsed = result[path];
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      collapsed += form.varies(i) ? kSign : pieces[i];
    }
  }
  return result;
}

}  // namespace rooflinectl
