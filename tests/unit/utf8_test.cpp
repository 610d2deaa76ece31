// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "core/text/printable.h"

namespace rooflinectl::utf8_test {
namespace {

TEST(Utf8, TextStaysTheSame) {
  for (const char* const text : {"", "12 µs", "日本語", "\U0001f600", "\uffff"}) {
    EXPECT_EQ(encode_utf8(decode_utf8(text)), text);
  }
  EXPECT_EQ(decode_utf8("µ日\U0001f600"), U"µ日\U0001f600");
}

TEST(Utf8, EachByteOutsideASequenceIsReplaced) {
  EXPECT_EQ(decode_utf8("a\xff\xc3"), U"a\ufffd\ufffd");
  EXPECT_EQ(decode_utf8("\xe6\x97z"), U"\ufffd\ufffdz");                      // cut off
  EXPECT_EQ(decode_utf8("\xc0\x80"), U"\ufffd\ufffd");                        // longer than it need be
  EXPECT_EQ(decode_utf8("\xed\xa0\x80"), U"\ufffd\ufffd\ufffd");              // a surrogate
  EXPECT_EQ(decode_utf8("\xf4\x90\x80\x80z"), U"\ufffd\ufffd\ufffd\ufffdz");  // beyond U+10FFFF
}

TEST(Utf8, BytesBeforeTheFirstInvalidOne) {
  EXPECT_EQ(valid_utf8_bytes(""), 0);
  EXPECT_EQ(valid_utf8_bytes("µ日"), 5);
  EXPECT_EQ(valid_utf8_bytes("µ\xff日"), 2);
  EXPECT_EQ(valid_utf8_bytes("a\xe6\x97"), 1);
}

TEST(Utf8, CharactersAreNotBytes) {
  EXPECT_EQ(count_characters(""), 0);
  EXPECT_EQ(count_characters("a µ日\U0001f600"), 5);
}

}  // namespace
}  // namespace rooflinectl::utf8_test
