// SPDX-License-Identifier: Apache-2.0
#include "core/text/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/text/mistakes.h"
#include "core/text/written_number.h"

namespace rooflinectl {

namespace {

constexpr std::size_t kMaxLength = 1000;
constexpr int kMaxDepth = 50;

bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// 1024 for `Ki`, 1e6 for `M`; nothing if there is no such unit.
std::optional<double> unit_named(std::string_view name) {
  constexpr double kKilo = 1000;
  constexpr double kKibi = 1024;
  if (name == "k" || name == "K") return kKilo;
  if (name == "M") return kKilo * kKilo;
  if (name == "G") return kKilo * kKilo * kKilo;
  if (name == "Ki") return kKibi;
  if (name == "Mi") return kKibi * kKibi;
  if (name == "Gi") return kKibi * kKibi * kKibi;
  return std::nullopt;
}

}  // namespace

/// Recursive descent, one function per level of precedence.
class ExpressionParser {
 public:
  explicit ExpressionParser(std::string_view text) : text_(text) {
    if (text.size() > kMaxLength) fail(fmt::format("an expression of more than {} characters", kMaxLength));
  }

  std::vector<Expression::Step> parse() {
    disjunction();
    skip_blanks();
    if (place_ < text_.size()) fail(fmt::format("unexpected {}", in_quotes(text_.substr(place_))));
    return std::move(steps_);
  }

 private:
  using Operation = Expression::Operation;

  [[noreturn]] void fail(const std::string& what) const { throw ExpressionError(place_, what); }

  void skip_blanks() {
    while (place_ < text_.size() && (text_[place_] == ' ' || text_[place_] == '\t')) ++place_;
  }

  bool accept(std::string_view symbol) {
    skip_blanks();
    if (!text_.substr(place_).starts_with(symbol)) return false;
    place_ += symbol.size();
    return true;
  }

  bool accept_word(std::string_view name) {
    skip_blanks();
    const std::size_t place = place_;
    if (word() == name) return true;
    place_ = place;
    return false;
  }

  void add(Operation operation, std::size_t place) { steps_.push_back({operation, 0, {}, place}); }

  void deeper() {
    if (++depth_ > kMaxDepth) fail("an expression that is nested too deeply");
  }

  void disjunction() {
    deeper();
    conjunction();
    while (accept_word("or")) {
      const std::size_t step = steps_.size();
      add(Operation::logic_or, place_);
      conjunction();
      steps_[step].next = steps_.size();
    }
    --depth_;
  }

  void conjunction() {
    negation();
    while (accept_word("and")) {
      const std::size_t step = steps_.size();
      add(Operation::logic_and, place_);
      negation();
      steps_[step].next = steps_.size();
    }
  }

  void negation() {
    skip_blanks();
    const std::size_t place = place_;
    if (!accept_word("not")) {
      comparison();
      return;
    }
    deeper();
    negation();
    --depth_;
    add(Operation::logic_not, place);
  }

  void comparison() {
    sum();
    skip_blanks();
    Expression::Step step;
    step.operation = Operation::compare;
    step.place = place_;
    while (const auto compared = accept_comparison()) {
      step.comparisons.push_back(*compared);
      sum();
    }
    if (!step.comparisons.empty()) steps_.push_back(std::move(step));
  }

  std::optional<Operation> accept_comparison() {
    if (accept("==")) return Operation::equal;
    if (accept("!=")) return Operation::not_equal;
    if (accept("<=")) return Operation::less_or_equal;
    if (accept(">=")) return Operation::greater_or_equal;
    if (accept("<")) return Operation::less;
    if (accept(">")) return Operation::greater;
    return std::nullopt;
  }

  void sum() {
    product();
    for (skip_blanks();; skip_blanks()) {
      const std::size_t place = place_;
      const bool is_sum = accept("+");
      if (!is_sum && !accept("-")) break;
      product();
      add(is_sum ? Operation::add : Operation::subtract, place);
    }
  }

  void product() {
    signed_power();
    for (skip_blanks();; skip_blanks()) {
      const std::size_t place = place_;
      const auto operation = accept_factor();
      if (!operation) return;
      signed_power();
      add(*operation, place);
    }
  }

  std::optional<Operation> accept_factor() {
    if (accept("*")) return Operation::multiply;
    if (accept("//")) return Operation::floor_divide;
    if (accept("/")) return Operation::divide;
    if (accept("%")) return Operation::remainder;
    return std::nullopt;
  }

  void signed_power() {
    skip_blanks();
    const std::size_t place = place_;
    deeper();
    if (accept("-")) {
      signed_power();
      add(Operation::negate, place);
    } else {
      power();
    }
    --depth_;
  }

  void power() {
    operand();
    skip_blanks();
    const std::size_t place = place_;
    if (!accept("**") && !accept("^")) return;
    signed_power();
    add(Operation::power, place);
  }

  void operand() {
    skip_blanks();
    if (place_ == text_.size()) fail(text_.empty() ? "an empty expression" : "the expression ends too early");
    if (accept("(")) {
      disjunction();
      close();
    } else if (is_digit(text_[place_]) || text_[place_] == '.') {
      number();
    } else if (begins_name(text_[place_])) {
      name_or_function();
    } else {
      fail(fmt::format("unexpected {}", in_quotes(text_.substr(place_))));
    }
  }

  void close() {
    if (accept(")")) return;
    // YAML ends a text without quotes at a comma between braces.
    fail(place_ == text_.size()
             ? "a ')' is missing; between { } or [ ], an expression with a comma needs quotes"
             : "a ')' is missing");
  }

  void number() {
    Expression::Step step;
    step.place = place_;
    const char* const begin = text_.data() + place_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), step.number);
    if (error != std::errc()) fail(fmt::format("{} is not a number", in_quotes(text_.substr(place_))));
    place_ += static_cast<std::size_t>(end - begin);
    if (place_ < text_.size() && begins_name(text_[place_])) {
      const std::size_t place = place_;
      const auto unit = unit_named(word());
      place_ = unit ? place_ : place;
      if (!unit) fail(fmt::format("unexpected {} behind a number", in_quotes(text_.substr(place))));
      step.number *= *unit;
    }
    steps_.push_back(std::move(step));
  }

  std::string_view word() {
    const std::size_t begin = place_;
    while (place_ < text_.size() && (begins_name(text_[place_]) || is_digit(text_[place_]))) ++place_;
    return text_.substr(begin, place_ - begin);
  }

  void name_or_function() {
    const std::size_t place = place_;
    const std::string name(word());
    if (!accept("(")) {
      steps_.push_back({Operation::name, 0, name, place});
    } else if (name == "sizeof") {
      skip_blanks();
      steps_.push_back({Operation::name, 0, fmt::format("sizeof {}", word()), place});
      close();
    } else {
      call(name, place);
    }
  }

  void call(const std::string& name, std::size_t place) {
    const auto operation = name == "min"        ? std::optional(Operation::min)
                           : name == "max"      ? std::optional(Operation::max)
                           : name == "ceil_div" ? std::optional(Operation::ceil_div)
                                                : std::nullopt;
    if (!operation) {
      place_ = place;
      fail(fmt::format("unknown function {}{}", in_quotes(name),
                       suggestion(name, {"min", "max", "ceil_div", "sizeof"})));
    }
    disjunction();
    int operands = 1;
    for (; accept(","); ++operands) {
      disjunction();
      add(*operation, place);
    }
    close();
    const bool takes_so_many = operation == Operation::ceil_div ? operands == 2 : operands >= 2;
    if (takes_so_many) return;
    place_ = place;
    fail(fmt::format("{} takes {} values", name, operation == Operation::ceil_div ? "two" : "two or more"));
  }

  std::string_view text_;
  std::size_t place_ = 0;
  int depth_ = 0;
  std::vector<Expression::Step> steps_;
};

Expression::Expression(std::string_view text) : steps_(ExpressionParser(text).parse()) {}

double Expression::applied(Operation operation, double a, double b) {
  switch (operation) {
    case Operation::add:
      return a + b;
    case Operation::subtract:
      return a - b;
    case Operation::multiply:
      return a * b;
    case Operation::divide:
      return a / b;
    case Operation::floor_divide:
      return std::floor(a / b);
    case Operation::remainder:
      return std::fmod(a, b);
    case Operation::power:
      return std::pow(a, b);
    case Operation::ceil_div:
      return std::ceil(a / b);
    case Operation::min:
      return std::min(a, b);
    case Operation::max:
      return std::max(a, b);
    case Operation::equal:
      return a == b ? 1 : 0;
    case Operation::not_equal:
      return a != b ? 1 : 0;
    case Operation::less:
      return a < b ? 1 : 0;
    case Operation::less_or_equal:
      return a <= b ? 1 : 0;
    case Operation::greater:
      return a > b ? 1 : 0;
    case Operation::greater_or_equal:
      return a >= b ? 1 : 0;
    case Operation::number:
    case Operation::name:
    case Operation::negate:
    case Operation::compare:
    case Operation::logic_not:
    case Operation::logic_and:
    case Operation::logic_or:
      break;
  }
  return 0;
}

bool Expression::holds(const Step& comparison, std::vector<double>& stack) {
  const std::size_t first = stack.size() - comparison.comparisons.size() - 1;
  bool all = true;
  for (std::size_t i = 0; i < comparison.comparisons.size(); ++i) {
    all = all && applied(comparison.comparisons[i], stack[first + i], stack[first + i + 1]) != 0;
  }
  stack.resize(first);
  return all;
}

std::set<std::string> Expression::names() const {
  std::set<std::string> names;
  for (const Step& step : steps_) {
    if (step.operation == Operation::name) names.insert(step.name);
  }
  return names;
}

double Expression::value(const Lookup& lookup) const {
  std::vector<double> stack;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    if (step.operation == Operation::number) {
      stack.push_back(step.number);
    } else if (step.operation == Operation::name) {
      const auto value = lookup(step.name);
      if (!value)
        throw ExpressionError(step.place, fmt::format("unknown name {}", in_quotes(step.name)), step.name);
      stack.push_back(*value);
    } else if (step.operation == Operation::negate) {
      stack.back() = -stack.back();
    } else if (step.operation == Operation::logic_not) {
      stack.back() = stack.back() == 0 ? 1 : 0;
    } else if (step.operation == Operation::compare) {
      const bool all_hold = holds(step, stack);
      stack.push_back(all_hold ? 1 : 0);
    } else if (step.operation == Operation::logic_and || step.operation == Operation::logic_or) {
      const bool is_decided = (stack.back() != 0) == (step.operation == Operation::logic_or);
      if (is_decided) {
        i = step.next - 1;
      } else {
        stack.pop_back();
      }
      continue;
    } else {
      const double b = stack.back();
      stack.pop_back();
      stack.back() = applied(step.operation, stack.back(), b);
    }
    if (!std::isfinite(stack.back())) {
      throw ExpressionError(step.place, "the result is not a finite number (a division by zero?)");
    }
  }
  return stack.back();
}

}  // namespace rooflinectl
