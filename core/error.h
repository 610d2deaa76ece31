// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace rooflinectl {

/// What went wrong, in the terms of the documented exit codes.
enum class ErrorKind {
  measurement = 1,  ///< something measured failed or could not be verified
  usage = 2,        ///< the command line or a file given to it is wrong
  environment = 3,  ///< no GPU, no permission, a missing library, an output that cannot be written
  gate = 4,         ///< a gate found a regression
};

/// The one exception type of the tool: what happened (`what()`), and what the user can do about it
/// (`hint()`). `main` catches it once and exits with `exit_code()`.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message, std::string hint = {})
      : std::runtime_error(message), kind_(kind), hint_(std::move(hint)) {}

  ErrorKind kind() const { return kind_; }
  int exit_code() const { return static_cast<int>(kind_); }
  const std::string& hint() const { return hint_; }

 private:
  ErrorKind kind_;
  std::string hint_;
};

}  // namespace rooflinectl
