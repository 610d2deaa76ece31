// SPDX-License-Identifier: Apache-2.0
#include "core/text/printable.h"

#include <gtest/gtest.h>

namespace rooflinectl::printable_test {
namespace {

TEST(Printable, ControlCharactersDoNothing) {
  EXPECT_EQ(printable("\x1b[31mred\x7f\a"), "?[31mred??");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "?31m");  // C1: the same sequence in one character
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a?b");
  EXPECT_EQ(printable("one\ttwo\r\nthree"), "one two  three");
}

TEST(Printable, WhatIsReadIsWhatIsThere) {
  for (const char* mark :
       {"\u202a", "\u202e", "\u2066", "\u2069", "\u200e", "\u200f", "\u061c", "\u2028", "\u2029"}) {
    EXPECT_EQ(printable(std::string("a") + mark + "b"), "a?b");
  }
  EXPECT_EQ(printable("\xff\xc3"), "\ufffd\ufffd");
  EXPECT_EQ(printable("12 µs ± 1 % · 日本語"), "12 µs ± 1 % · 日本語");
}

TEST(Printable, TextOfSeveralLinesKeepsThem) {
  EXPECT_EQ(printable_lines("a\nb\x1b\n"), "a\nb?\n");
  EXPECT_EQ(printable_lines("plain\n"), "plain\n");
}

TEST(Printable, JsonStaysTheSameDocument) {
  EXPECT_EQ(printable_json("{\"a\": \"\x7f\xc2\x9b\u202eµ\"}\n"), "{\"a\": \"\\u007f\\u009b\\u202eµ\"}\n");
}

}  // namespace
}  // namespace rooflinectl::printable_test
