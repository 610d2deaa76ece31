// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace rooflinectl {

/// A plain table: a line of headings, left-aligned columns two spaces apart.
class Table {
 public:
  explicit Table(std::vector<std::string> headings) : rows_{std::move(headings)} {}

  /// A row of as many cells as there are headings.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  /// All rows, each with `indent` before it and a newline after it.
  std::string text(const std::string& indent = {}) const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace rooflinectl
