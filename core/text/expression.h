// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rooflinectl {

/// What is wrong with an expression.
class ExpressionError : public std::runtime_error {
 public:
  ExpressionError(std::size_t place, const std::string& what, std::string unknown_name = {})
      : std::runtime_error(what), place_(place), unknown_name_(std::move(unknown_name)) {}

  /// Bytes of the text before the mistake.
  std::size_t place() const { return place_; }
  /// The name without a value, if that is the mistake.
  const std::string& unknown_name() const { return unknown_name_; }

 private:
  std::size_t place_;
  std::string unknown_name_;
};

/// Arithmetic as plans write it: `4 * n`, `ceil_div(n, block)`, `2^28`, `n * sizeof(dtype)`.
///
/// Numbers (`256`, `1.5`, `1e-3`, `32Ki`, `1M`), names, `( )`, from the strongest to the weakest: `**` or `^`
/// (power, from the right), the sign, `* / // %`, `+ -`, comparisons (1 or 0), `not`, `and`, `or`; and the
/// functions `min(a, b, …)`, `max(a, b, …)`, `ceil_div(a, b)` and `sizeof(name)`. Everything is computed in
/// double precision, in which integers are exact up to 2^53; `/` is not rounded, `//` is rounded down.
/// Operators mean what they mean in Python: `1 <= a < b` compares twice, and `and` and `or` are one of their
/// operands, the second of which may not be computed.
class Expression {
 public:
  /// The value of a name; nothing if there is none. `sizeof(dtype)` asks for `sizeof dtype`.
  using Lookup = std::function<std::optional<double>(std::string_view name)>;

  /// Throws ExpressionError.
  explicit Expression(std::string_view text);

  /// Throws ExpressionError for a name without a value, and if the result is not finite.
  double value(const Lookup& lookup) const;

  /// The names that it has, as `Lookup` is asked for them.
  std::set<std::string> names() const;

 private:
  friend class ExpressionParser;

  enum class Kind {
    number,
    name,
    negate,
    binary,
    compare,  ///< as many neighbours among the last values as it has comparisons
    logic_not,
    logic_and,  ///< goes on behind the second operand if the first one is 0
    logic_or    ///< likewise if it is not 0
  };
  /// In reverse Polish notation: the operands come before.
  struct Step {
    Kind kind = Kind::number;
    double number = 0;
    std::string name;
    std::size_t place = 0;
    double (*operation)(double, double) = nullptr;  ///< of a binary one
    std::vector<double (*)(double, double)> comparisons = {};
    std::size_t next = 0;  ///< the step behind the second operand
  };

  static bool holds(const Step& comparison, std::vector<double>& stack);

  std::vector<Step> steps_;
};

}  // namespace rooflinectl
