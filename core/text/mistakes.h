// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace rooflinectl {

/// A place in the file; lines and columns start at 1. Columns count bytes, as yaml-cpp does.
struct Position {
  int line = 1;
  int column = 1;

  bool operator<(const Position& other) const {
    return std::tie(line, column) < std::tie(other.line, other.column);
  }
};

/// The mistakes found so far, in the order of the file.
class Mistakes {
 public:
  /// `text`: the file's, which must outlive this.
  Mistakes(std::string_view file_name, std::string_view text) : file_name_(file_name), text_(text) {}

  /// Throws all of them if there are too many to be read.
  void add(Position position, std::string text);

  /// Throws Error(usage) with every mistake, one per line: `<file_name>:<line>:<column>: <what is wrong>`.
  /// These columns count characters, as editors do.
  void throw_if_any() const;

  /// `<file_name>:<line>:<column>`, likewise.
  std::string place(Position position) const;

 private:
  std::string file_name_;
  std::string_view text_;
  std::set<std::pair<Position, std::string>> found_;
  std::size_t reported_ = 0;
};

/// `; did you mean 'cold'?`, or the valid names where none is close and they are few.
std::string suggestion(std::string_view text, const std::vector<std::string>& valid);

/// A text of the file as a message shows it: on one line and not too long.
std::string in_quotes(std::string_view text);

}  // namespace rooflinectl
