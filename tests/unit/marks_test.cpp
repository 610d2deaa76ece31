// SPDX-License-Identifier: Apache-2.0
#include "reports/marks.h"

#include <gtest/gtest.h>

#include <set>

#include "reports/svg.h"

namespace rooflinectl {
namespace {

std::string drawn(std::size_t family) {
  Scene scene{.width = 20, .height = 20};
  scene.groups.push_back({.shapes = {family_mark(family, {10, 10}, 5, MarkFill::filled)}});
  return to_svg(scene);
}

TEST(FamilyMark, DiffersFromTheFirstToTheThirtySixth) {
  std::set<std::string> marks;
  for (std::size_t family = 0; family < 36; ++family) marks.insert(drawn(family));
  EXPECT_EQ(marks.size(), 36U);
}

}  // namespace
}  // namespace rooflinectl
