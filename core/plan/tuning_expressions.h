// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <variant>
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

/// The most values of a list.
inline constexpr std::size_t kMostListValues = 100'000;

using ListValue = std::variant<double, std::string>;

/// The values of a list as files for auto-tuners write it, in Python: `[1, 2, 4]`, `(1, 2)`, `range(1, 9)`,
/// `[32 * i for i in range(1, 33) if i % 2 == 0]`, `['float', 'double']`, `[True, False]`, the sum of such,
/// and what `list( )` makes of them. Numbers are expressions of core/text/expression.h, without `^`.
/// Throws ExpressionError.
std::vector<ListValue> python_list(std::string_view text);

}  // namespace rooflinectl
