// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace rooflinectl {

/// The most values of a list.
inline constexpr std::size_t kMostListValues = 100'000;

using ListValue = std::variant<double, std::string>;

/// The values of a list as files for auto-tuners write it, in Python: `[1, 2, 4]`, `(1, 2)`, `range(1, 9)`,
/// `[32 * i for i in range(1, 33) if i % 2 == 0]`, `['float', 'double']`, `[True, False]`, the sum of such,
/// and what `list( )` makes of them. Numbers are expressions of core/text/expression.h, without `^`.
/// Throws ExpressionError.
std::vector<ListValue> python_list(std::string_view text);

}  // namespace rooflinectl
