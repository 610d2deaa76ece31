// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "reports/text/markup.h"

namespace rooflinectl::base64_test {
namespace {

TEST(Base64, MatchesTheStandard) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foob"), "Zm9vYg==");
  EXPECT_EQ(base64("fooba"), "Zm9vYmE=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
}

TEST(Base64, BytesMayBeAnything) {
  EXPECT_EQ(base64({"\xfb\xff\xfe", 3}), "+//+");
  EXPECT_EQ(base64({"\0\x80", 2}), "AIA=");
}

}  // namespace
}  // namespace rooflinectl::base64_test
