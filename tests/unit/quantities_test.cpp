// SPDX-License-Identifier: Apache-2.0
#include "analysis/quantities/quantities.h"

#include <set>

#include "tests/support/generated_parts.h"

namespace rooflinectl {
namespace {

TEST(Quantities, ComparedOnesHaveAMeaningAndANameOfTheirOwn) {
  std::set<std::string_view> names;
  for (const Quantity* quantity : compared_quantities()) {
    EXPECT_TRUE(quantity->change.has_value()) << quantity->name;
    EXPECT_TRUE(names.insert(quantity->name).second) << quantity->name;
  }
}

TEST(Quantities, ComparedOnesAreDocumented) {
  std::string table = "| quantity | formula, in counters |\n|---|---|\n";
  for (const Quantity* quantity : compared_quantities()) {
    table += fmt::format("| {} | {} |\n", quantity->name, quantity->formula);
  }
  expect_generated("docs/method.md", {{"compared quantities", table}}, "analysis/quantities");
}

}  // namespace
}  // namespace rooflinectl
