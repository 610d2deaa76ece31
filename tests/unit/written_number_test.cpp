// SPDX-License-Identifier: Apache-2.0
#include "core/text/written_number.h"

#include <gtest/gtest.h>

namespace rooflinectl::written_number_test {
namespace {

TEST(WrittenNumber, Elements) {
  EXPECT_EQ(parse_elements("0"), 0);
  EXPECT_EQ(parse_elements("1000001"), 1000001);
  EXPECT_EQ(parse_elements("2^0"), 1);
  EXPECT_EQ(parse_elements("2^40"), kMaxElements);
  EXPECT_EQ(parse_elements("3Ki"), 3 * 1024);
  EXPECT_EQ(parse_elements("32Mi"), 32 << 20);
  EXPECT_EQ(parse_elements("1024Gi"), kMaxElements);
  EXPECT_EQ(parse_elements("1M"), 1'000'000);
  EXPECT_EQ(parse_elements("1.5k"), 1500);
  EXPECT_EQ(parse_elements("64K"), 64'000);
  EXPECT_EQ(parse_elements("4G"), 4'000'000'000);
  EXPECT_EQ(parse_elements("1e6"), 1'000'000);
  EXPECT_EQ(parse_elements("2.5e3"), 2500);
  for (const char* text : {"",          "2^41", "2^64",  "2^4294967296", "1025Gi", "18446744073709551616",
                           "-1",        "+1",   "3^2",   "2^ 8",         "1 Ki",   "Mi",
                           "1048577Mi", "M",    "1.5",   "1.0001k",      "-1k",    "-1e3",
                           "1e-1",      "1e13", "1e999", "e6",           "1e6M x", "1099.6G",
                           "nanM",      "inf",  "0x10M"}) {
    EXPECT_EQ(parse_elements(text), std::nullopt) << text;
  }
}

TEST(WrittenNumber, ElementsAsText) {
  EXPECT_EQ(elements_text(std::uint64_t{1} << 28), "2^28");
  EXPECT_EQ(elements_text(1000003), "1000003");
  EXPECT_EQ(elements_text(256), "256");
  EXPECT_EQ(elements_text(0), "0");
}

TEST(WrittenNumber, Percentages) {
  EXPECT_DOUBLE_EQ(parse_percentage("0.5 %").value(), 0.005);
  EXPECT_DOUBLE_EQ(parse_percentage("12%").value(), 0.12);
  for (const char* text : {"", "%", "0.5", "0 %", "100 %", "-1 %", "nan %", "inf %", "1 % %", "1 %x"}) {
    EXPECT_EQ(parse_percentage(text), std::nullopt) << text;
  }
}

TEST(WrittenNumber, Durations) {
  EXPECT_DOUBLE_EQ(parse_duration_s("2 s").value(), 2);
  EXPECT_DOUBLE_EQ(parse_duration_s("500ms").value(), 0.5);
  EXPECT_DOUBLE_EQ(parse_duration_s("1.5 min").value(), 90);
  for (const char* text : {"", "s", "2", "0 s", "-2 s", "3601 s", "61 min", "nan s", "inf s", "2 h"}) {
    EXPECT_EQ(parse_duration_s(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace rooflinectl::written_number_test
