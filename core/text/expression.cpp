// SPDX-License-Identifier: Apache-2.0
#include "core/text/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>

#include "core/text/mistakes.h"
#include "core/text/written_number.h"

namespace rooflinectl {

namespace {

constexpr std::size_t kMaxLength = 1000;
constexpr int kMaxDepth = 50;

/// Behind a number, and what they multiply it by.
constexpr std::array<std::pair<std::string_view, double>, 7> kUnits = {
    {{"k", 1e3}, {"K", 1e3}, {"M", 1e6}, {"G", 1e9}, {"Ki", 1 << 10}, {"Mi", 1 << 20}, {"Gi", 1 << 30}}};

using Binary = double (*)(double a, double b);

struct Operator {
  std::string_view symbol;
  Binary operation = nullptr;
};

// Those of one precedence; a symbol comes after those that begin with it.
constexpr std::array kComparisons = {Operator{"==", [](double a, double b) { return a == b ? 1.0 : 0.0; }},
                                     Operator{"!=", [](double a, double b) { return a != b ? 1.0 : 0.0; }},
                                     Operator{"<=", [](double a, double b) { return a <= b ? 1.0 : 0.0; }},
                                     Operator{">=", [](double a, double b) { return a >= b ? 1.0 : 0.0; }},
                                     Operator{"<", [](double a, double b) { return a < b ? 1.0 : 0.0; }},
                                     Operator{">", [](double a, double b) { return a > b ? 1.0 : 0.0; }}};
constexpr std::array kSums = {Operator{"+", [](double a, double b) { return a + b; }},
                              Operator{"-", [](double a, double b) { return a - b; }}};
constexpr std::array kFactors = {Operator{"*", [](double a, double b) { return a * b; }},
                                 Operator{"//", [](double a, double b) { return std::floor(a / b); }},
                                 Operator{"/", [](double a, double b) { return a / b; }},
                                 Operator{"%", [](double a, double b) { return std::fmod(a, b); }}};
constexpr std::array kFunctions = {Operator{"min", [](double a, double b) { return std::min(a, b); }},
                                   Operator{"max", [](double a, double b) { return std::max(a, b); }},
                                   Operator{"ceil_div", [](double a, double b) { return std::ceil(a / b); }}};

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
  using Kind = Expression::Kind;
  using Level = void (ExpressionParser::*)();

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

  void add(Kind kind, std::size_t place, Binary operation = nullptr) {
    steps_.push_back({kind, 0, {}, place, operation});
  }

  Binary accept_any(std::span<const Operator> operators) {
    const auto found =
        std::ranges::find_if(operators, [&](const Operator& one) { return accept(one.symbol); });
    return found == operators.end() ? nullptr : found->operation;
  }

  /// Operands with operators between them, from the left.
  void chain(std::span<const Operator> operators, Level next) {
    (this->*next)();
    for (skip_blanks();; skip_blanks()) {
      const std::size_t place = place_;
      const Binary operation = accept_any(operators);
      if (operation == nullptr) return;
      (this->*next)();
      add(Kind::binary, place, operation);
    }
  }

  /// The same with a word between them, behind whose second operand it may go on.
  void chain(std::string_view name, Kind kind, Level next) {
    (this->*next)();
    while (accept_word(name)) {
      const std::size_t step = steps_.size();
      add(kind, place_);
      (this->*next)();
      steps_[step].next = steps_.size();
    }
  }

  void deeper() {
    if (++depth_ > kMaxDepth) fail("an expression that is nested too deeply");
  }

  void disjunction() {
    deeper();
    chain("or", Kind::logic_or, &ExpressionParser::conjunction);
    --depth_;
  }

  void conjunction() { chain("and", Kind::logic_and, &ExpressionParser::negation); }

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
    add(Kind::logic_not, place);
  }

  void comparison() {
    sum();
    skip_blanks();
    Expression::Step step;
    step.kind = Kind::compare;
    step.place = place_;
    while (const Binary compared = accept_any(kComparisons)) {
      step.comparisons.push_back(compared);
      sum();
    }
    if (!step.comparisons.empty()) steps_.push_back(std::move(step));
  }

  void sum() { chain(kSums, &ExpressionParser::product); }

  void product() { chain(kFactors, &ExpressionParser::signed_power); }

  void signed_power() {
    skip_blanks();
    const std::size_t place = place_;
    deeper();
    if (accept("-")) {
      signed_power();
      add(Kind::negate, place);
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
    add(Kind::binary, place, [](double a, double b) { return std::pow(a, b); });
  }

  void operand() {
    skip_blanks();
    if (place_ == text_.size()) fail(text_.empty() ? "an empty expression" : "the expression ends too early");
    if (accept("(")) {
      disjunction();
      close();
    } else if (is_digit(text_[place_]) || text_[place_] == '.') {
      number();
    } else if (begins_identifier(text_[place_])) {
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
    if (place_ < text_.size() && begins_identifier(text_[place_])) {
      const std::size_t place = place_;
      const auto unit = std::ranges::find(kUnits, word(), [](const auto& known) { return known.first; });
      if (unit == kUnits.end()) {
        place_ = place;
        fail(fmt::format("unexpected {} behind a number", in_quotes(text_.substr(place))));
      }
      step.number *= unit->second;
    }
    steps_.push_back(std::move(step));
  }

  std::string_view word() {
    const std::size_t begin = place_;
    while (place_ < text_.size() && is_of_identifier(text_[place_])) ++place_;
    return text_.substr(begin, place_ - begin);
  }

  void name_or_function() {
    const std::size_t place = place_;
    const std::string name(word());
    if (!accept("(")) {
      steps_.push_back({Kind::name, 0, name, place});
    } else if (name == "sizeof") {
      skip_blanks();
      steps_.push_back({Kind::name, 0, fmt::format("sizeof {}", word()), place});
      close();
    } else {
      call(name, place);
    }
  }

  void call(const std::string& name, std::size_t place) {
    const auto function = std::ranges::find(kFunctions, name, &Operator::symbol);
    if (function == kFunctions.end()) {
      place_ = place;
      fail(fmt::format("unknown function {}{}", in_quotes(name),
                       suggestion(name, {"min", "max", "ceil_div", "sizeof"})));
    }
    disjunction();
    int operands = 1;
    for (; accept(","); ++operands) {
      disjunction();
      add(Kind::binary, place, function->operation);
    }
    close();
    const bool takes_two = name == "ceil_div";
    if (takes_two ? operands == 2 : operands >= 2) return;
    place_ = place;
    fail(fmt::format("{} takes {} values", name, takes_two ? "two" : "two or more"));
  }

  std::string_view text_;
  std::size_t place_ = 0;
  int depth_ = 0;
  std::vector<Expression::Step> steps_;
};

Expression::Expression(std::string_view text) : steps_(ExpressionParser(text).parse()) {}

bool Expression::holds(const Step& comparison, std::vector<double>& stack) {
  const std::size_t first = stack.size() - comparison.comparisons.size() - 1;
  bool all = true;
  for (std::size_t i = 0; i < comparison.comparisons.size(); ++i) {
    all = all && comparison.comparisons[i](stack[first + i], stack[first + i + 1]) != 0;
  }
  stack.resize(first);
  return all;
}

std::set<std::string> Expression::names() const {
  std::set<std::string> names;
  for (const Step& step : steps_) {
    if (step.kind == Kind::name) names.insert(step.name);
  }
  return names;
}

double Expression::value(const Lookup& lookup) const {
  std::vector<double> stack;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    if (step.kind == Kind::number) {
      stack.push_back(step.number);
    } else if (step.kind == Kind::name) {
      const auto value = lookup(step.name);
      if (!value)
        throw ExpressionError(step.place, fmt::format("unknown name {}", in_quotes(step.name)), step.name);
      stack.push_back(*value);
    } else if (step.kind == Kind::negate) {
      stack.back() = -stack.back();
    } else if (step.kind == Kind::logic_not) {
      stack.back() = stack.back() == 0 ? 1 : 0;
    } else if (step.kind == Kind::compare) {
      const bool all_hold = holds(step, stack);
      stack.push_back(all_hold ? 1 : 0);
    } else if (step.kind == Kind::logic_and || step.kind == Kind::logic_or) {
      const bool is_decided = (stack.back() != 0) == (step.kind == Kind::logic_or);
      if (is_decided) {
        i = step.next - 1;
      } else {
        stack.pop_back();
      }
      continue;
    } else {
      const double b = stack.back();
      stack.pop_back();
      stack.back() = step.operation(stack.back(), b);
    }
    if (!std::isfinite(stack.back())) {
      throw ExpressionError(step.place, "the result is not a finite number (a division by zero?)");
    }
  }
  return stack.back();
}

}  // namespace rooflinectl
