// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "core/machine/environment.h"

namespace rooflinectl::uuid_text_test {
namespace {

TEST(UuidText, IsThatOfNvidiaSmi) {
  constexpr char kBytes[16] = {'\xe5', '\x23', '\x72', '\x35', '\xe6', '\xac', '\xdb', '\x60',
                               '\x27', '\x78', '\x90', '\x2c', '\xb8', '\x49', '\x09', '\x72'};
  EXPECT_EQ(uuid_text(kBytes), "GPU-e5237235-e6ac-db60-2778-902cb8490972");
}

}  // namespace
}  // namespace rooflinectl::uuid_text_test
