// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace rooflinectl {

/// Width in columns that a table written to `stream` may have: that of the terminal, or 120 where it is none.
int columns_of(std::FILE* stream);

/// How much a command tells beside its result.
enum class Verbosity {
  quiet,  ///< only what went wrong
  normal,
  verbose,  ///< also what the collector logs
};

/// What a long run shows on `stream`: a status that is rewritten in place on a terminal, and lines that stay.
class ProgressDisplay {
 public:
  explicit ProgressDisplay(std::FILE* stream);
  ~ProgressDisplay() { clear(); }
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

  bool is_terminal() const { return is_terminal_; }
  /// What goes on now, in place of the last status. Shown on terminals only.
  void status(std::string_view text);
  void line(std::string_view text);
  void clear();

 private:
  std::FILE* stream_;
  bool is_terminal_;
  bool has_status_ = false;
};

}  // namespace rooflinectl
