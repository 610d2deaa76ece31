// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdio>
#include <string_view>

#include "core/error.h"

namespace rooflinectl {

/// Standard output and standard error. Everything that the program prints goes through here: it is made
/// printable (`core/text/printable.h`), and what cannot be written is lost without stopping anything. The
/// exit code shows it.
namespace terminal {

/// To be called first. Lets a broken pipe and a file size limit be errors of the writes in question, not
/// signals that kill, and keeps files that are opened later from becoming a standard stream that was closed.
void prepare();

void write(std::FILE* stream, std::string_view text);

template <typename... T>
void print(std::FILE* stream, fmt::format_string<T...> format, T&&... values) {
  write(stream, fmt::format(format, std::forward<T>(values)...));
}

template <typename... T>
void print(fmt::format_string<T...> format, T&&... values) {
  write(stdout, fmt::format(format, std::forward<T>(values)...));
}

void flush(std::FILE* stream);

/// Prints what went wrong, and what to do about it, on standard error. Returns its exit code.
int print_error(const Error& error);

/// The exit code of a program that would exit with `exit_code`: that of the environment instead of 0 if
/// output was lost. Prints why standard output was lost, unless its reader went away.
int end(int exit_code);

}  // namespace terminal

/// Width in columns that a table written to `stream` may have: that of the terminal; where it is not one,
/// nothing has to be cut.
int columns_of(std::FILE* stream);

/// How much a command prints besides its result.
enum class Verbosity {
  quiet,  ///< only what went wrong
  normal,
  verbose,  ///< also what the collector logs
};

/// Lines on `stream` that are rewritten in place, where it is a terminal.
class LiveTable {
 public:
  explicit LiveTable(std::FILE* stream);

  bool is_terminal() const { return is_terminal_; }
  /// `text`, in place of the last one. Each line is cut to the width of the terminal.
  void show(std::string_view text);
  /// What was shown stays; the next text comes below it.
  void keep() { lines_ = 0; }

 private:
  std::FILE* stream_;
  bool is_terminal_;
  std::size_t lines_ = 0;
};

/// What a long run shows on `stream`: a status that is rewritten in place on a terminal, and lines that stay.
class ProgressDisplay {
 public:
  explicit ProgressDisplay(std::FILE* stream);
  ~ProgressDisplay() { clear(); }
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

  bool is_terminal() const { return is_terminal_; }
  /// The current activity, in place of the last status. Shown only on terminals.
  void status(std::string_view text);
  void line(std::string_view text);
  void clear();

 private:
  std::FILE* stream_;
  bool is_terminal_;
  bool has_status_ = false;
};

}  // namespace rooflinectl
