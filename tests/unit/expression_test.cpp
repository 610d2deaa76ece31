// SPDX-License-Identifier: Apache-2.0
#include "core/text/expression.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace rooflinectl {
namespace {

std::optional<double> axes(std::string_view name) {
  if (name == "n") return 1000;
  if (name == "block") return 256;
  if (name == "sizeof dtype") return 2;
  return std::nullopt;
}

double value(std::string_view text) {
  return Expression(text).value(axes);
}

std::pair<std::size_t, std::string> mistake(std::string_view text) {
  try {
    value(text);
  } catch (const ExpressionError& error) {
    return {error.place(), error.what()};
  }
  return {0, "none"};
}

using Mistake = std::pair<std::size_t, std::string>;

TEST(Expression, FollowsThePrecedenceOfArithmetic) {
  EXPECT_EQ(value("1 + 2 * 3"), 7);
  EXPECT_EQ(value("(1 + 2) * 3"), 9);
  EXPECT_EQ(value("10 - 4 - 3"), 3);
  EXPECT_EQ(value("64 / 4 / 2"), 8);
  EXPECT_EQ(value("7 / 2"), 3.5);
  EXPECT_EQ(value("17 % 5 * 2"), 4);
  EXPECT_EQ(value("2 ** 3 ** 2"), 512);
  EXPECT_EQ(value("2^28"), 268435456);
  EXPECT_EQ(value("-2 ** 2"), -4);
  EXPECT_EQ(value("2 ** -1"), 0.5);
  EXPECT_EQ(value("3 - -n"), 1003);
}

TEST(Expression, KnowsNumbersAndUnits) {
  EXPECT_EQ(value("1.5"), 1.5);
  EXPECT_EQ(value("1e-3"), 1e-3);
  EXPECT_EQ(value(".5"), 0.5);
  EXPECT_EQ(value("32Ki"), 32768);
  EXPECT_EQ(value("2M + 1k"), 2001000);
}

TEST(Expression, KnowsNamesAndFunctions) {
  EXPECT_EQ(value("ceil_div(n, block)"), 4);
  EXPECT_EQ(value("min(n, block, 7)"), 7);
  EXPECT_EQ(value("max(n, block) + 1"), 1001);
  EXPECT_EQ(value("n*sizeof( dtype )"), 2000);
  EXPECT_EQ(value("ceil_div(n + 24, ceil_div(block, 2))"), 8);
}

TEST(Expression, RoundsDownWhenItDividesWithTwoSlashes) {
  EXPECT_EQ(value("7 // 2"), 3);
  EXPECT_EQ(value("-7 // 2"), -4);
  EXPECT_EQ(value("(262144 // block) // 3 * 2"), 682);
}

TEST(Expression, ComparesAsPythonDoes) {
  EXPECT_EQ(value("n == 1000"), 1);
  EXPECT_EQ(value("n != 1000"), 0);
  EXPECT_EQ(value("32 <= block * 4 <= 1024"), 1);
  EXPECT_EQ(value("32 < block < 256"), 0);
  EXPECT_EQ(value("3 > 2 > 1"), 1);
  EXPECT_EQ(value("1 + 1 >= 2 and not n % 3 == 0"), 1);
  EXPECT_EQ(value("not (n == 1000 and block == 256)"), 0);
  EXPECT_EQ(value("(n > 5) * 8 + 1"), 9);
}

TEST(Expression, LeavesOutTheSecondOperandWhenTheFirstDecides) {
  EXPECT_EQ(value("0 or n"), 1000);
  EXPECT_EQ(value("1 or n / 0"), 1);
  EXPECT_EQ(value("n == 0 and n / 0 or 7"), 7);
  EXPECT_EQ(value("n == 1000 or block == 1 and unknown"), 1);
  EXPECT_EQ(value("n and block"), 256);
  EXPECT_EQ(mistake("0 or n / 0"), (Mistake{7, "the result is not a finite number (a division by zero?)"}));
}

TEST(Expression, ListsItsNames) {
  EXPECT_EQ(Expression("n + order * sizeof(dtype) > n").names(),
            (std::set<std::string>{"n", "order", "sizeof dtype"}));
}

TEST(Expression, NamesMistakesAndTheirPlaces) {
  EXPECT_EQ(mistake(""), (Mistake{0, "an empty expression"}));
  EXPECT_EQ(mistake("n +"), (Mistake{3, "the expression ends too early"}));
  EXPECT_EQ(mistake("4 * m"), (Mistake{4, "unknown name 'm'"}));
  EXPECT_EQ(mistake("n n"), (Mistake{2, "unexpected 'n'"}));
  EXPECT_EQ(mistake("n = 1"), (Mistake{2, "unexpected '= 1'"}));
  EXPECT_EQ(mistake("n <"), (Mistake{3, "the expression ends too early"}));
  EXPECT_EQ(mistake("n & 1"), (Mistake{2, "unexpected '& 1'"}));
  EXPECT_EQ(mistake("1.2.3"), (Mistake{3, "unexpected '.3'"}));
  EXPECT_EQ(mistake("4x"), (Mistake{1, "unexpected 'x' behind a number"}));
  EXPECT_EQ(mistake("(n + 1"),
            (Mistake{6, "a ')' is missing; between { } or [ ], an expression with a comma needs quotes"}));
  EXPECT_EQ(mistake("1 + cel_div(n, 2)"),
            (Mistake{4, "unknown function 'cel_div'; did you mean 'ceil_div'?"}));
  EXPECT_EQ(mistake("ceil_div(n)"), (Mistake{0, "ceil_div takes two values"}));
  EXPECT_EQ(mistake("min(n)"), (Mistake{0, "min takes two or more values"}));
  EXPECT_EQ(mistake("1 + n / 0"), (Mistake{6, "the result is not a finite number (a division by zero?)"}));
  EXPECT_EQ(mistake("sizeof(f33)"), (Mistake{0, "unknown name 'sizeof f33'"}));
}

TEST(Expression, RefusesWhatWouldTakeTooLong) {
  EXPECT_EQ(mistake(std::string(400, '(')).second, "an expression that is nested too deeply");
  EXPECT_EQ(mistake(std::string(400, '-')).second, "an expression that is nested too deeply");
  std::string negations;
  for (int i = 0; i < 200; ++i) negations += "not ";
  EXPECT_EQ(mistake(negations + "1").second, "an expression that is nested too deeply");
  EXPECT_EQ(mistake(std::string(2000, '1')).second, "an expression of more than 1000 characters");
}

}  // namespace
}  // namespace rooflinectl
