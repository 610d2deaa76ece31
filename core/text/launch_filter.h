// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace rooflinectl {

/// Selects launches of a profiled program by their kernel and the NVTX ranges around them: in the program,
/// where they are chosen to be counted, and afterwards, where they become points. Member functions may be
/// called from any thread.
class LaunchFilter {
 public:
  /// `kernel`: a POSIX extended regular expression that is searched for in the symbol, as the module has it
  /// (`_ZN2at6native…`): names of functions and classes occur in it literally. `nvtx`: a glob. Empty ones
  /// select everything. Throws Error(usage) if `kernel` is not a regular expression.
  LaunchFilter(const std::string& kernel, std::string nvtx);
  ~LaunchFilter();
  LaunchFilter(const LaunchFilter&) = delete;
  LaunchFilter& operator=(const LaunchFilter&) = delete;

  bool selects_kernel(const std::string& symbol) const;
  /// `path`: names of ranges, from the outermost, joined by `/`. The glob matches all of it or one of the
  /// names.
  bool selects_path(std::string_view path) const;

 private:
  struct Expression;
  std::unique_ptr<Expression> kernel_;  // nothing where all are selected
  std::string nvtx_;
};

}  // namespace rooflinectl
