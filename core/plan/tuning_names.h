// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/plan/kernels_section.h"

namespace rooflinectl {

/// The identifier at a place of a text; empty if there is none.
std::string_view identifier_at(std::string_view text, std::size_t place);

/// What expressions of a tuning file can name besides its parameters.
struct TuningNames {
  std::map<std::string, std::string> constants;  ///< numbers of `BenchmarkConfig`
  std::vector<std::string> problem_size;         ///< of each dimension, an expression over the axes

  /// `text` with numbers in place of constants, of `ProblemSize[0]`, and of `max(parameter)`, the largest
  /// value of an axis. Throws ExpressionError.
  std::string translated(std::string_view text, const std::vector<yaml::KernelAxis>& axes) const;
};

}  // namespace rooflinectl
