// SPDX-License-Identifier: Apache-2.0
#include "core/enum_names.h"

#include <gtest/gtest.h>

#include "core/model/primitive.h"

namespace rooflinectl::enum_names_test {
namespace {

enum class Alone { first };

TEST(EnumNames, AreThoseInTheSource) {
  EXPECT_EQ(enumerator_name(Status::unverified), "unverified");
  EXPECT_EQ(enumerator_name(Alone::first), "first");
}

TEST(EnumNames, CountsAllEnumerators) {
  EXPECT_EQ(kEnumerators<Alone>.size(), 1U);
  EXPECT_EQ(kEnumerators<Status>.size(), 4U);
  EXPECT_EQ(kEnumerators<Status>.back(), Status::skipped);
}

TEST(EnumNames, FindsNothingWhereNoEnumeratorHasTheName) {
  EXPECT_EQ(enumerator_from<Status>("failed"), Status::failed);
  EXPECT_EQ(enumerator_from<Status>("Status::failed"), std::nullopt);
  EXPECT_EQ(enumerator_from<Status>(""), std::nullopt);
}

}  // namespace
}  // namespace rooflinectl::enum_names_test
