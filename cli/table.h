// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace rooflinectl {

/// A plain table: a line of headings, left-aligned columns two spaces apart.
class Table {
 public:
  explicit Table(const std::vector<std::string>& headings) { add(headings); }

  /// A row of as many cells as there are headings.
  void add(const std::vector<std::string>& cells);

  /// All rows, each with `indent` before it and a newline after it.
  std::string text(const std::string& indent = {}) const;

 private:
  std::vector<std::vector<std::u32string>> rows_;
};

}  // namespace rooflinectl
