// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "core/text/written_number.h"
#include "reports/text/format.h"

namespace rooflinectl::format::report_format_test {
namespace {

TEST(Format, SignificantDigitsWithoutExponent) {
  EXPECT_EQ(significant(0.125), "0.125");
  EXPECT_EQ(significant(0.2498), "0.250");
  EXPECT_EQ(significant(4.579), "4.58");
  EXPECT_EQ(significant(9.996), "10.0");
  EXPECT_EQ(significant(725.6), "726");
  EXPECT_EQ(significant(12345), "12345");
  EXPECT_EQ(significant(0), "0");
  EXPECT_EQ(significant(1000, 1), "1000");
  EXPECT_EQ(significant(0.01, 1), "0.01");
  EXPECT_EQ(significant(NAN), "–");
}

TEST(Format, PrefixesAreDecimal) {
  EXPECT_EQ(bandwidth(4579e9), "4.58 TB/s");
  EXPECT_EQ(bandwidth(726e9), "726 GB/s");
  EXPECT_EQ(rate(65.0e12, kFlops), "65.0 TFLOP/s");
  EXPECT_EQ(rate(33.1e12, kOps), "33.1 TOP/s");
  EXPECT_EQ(rate_tick(1e9), "1 G");
  EXPECT_EQ(rate_tick(5e11), "500 G");
  EXPECT_EQ(hertz(1.98e9), "1.98 GHz");
}

TEST(Format, Durations) {
  EXPECT_EQ(duration(238.5e-6), "238.5 µs");
  EXPECT_EQ(duration(1.2e-9), "1.200 ns");
  EXPECT_EQ(duration(0.15), "150.0 ms");
  EXPECT_EQ(duration(42), "42.00 s");
  EXPECT_EQ(duration(999.9999e-6), "1.000 ms");
}

TEST(Format, PowersOfTwoAreTypeset) {
  EXPECT_EQ(typeset("Sum of 2^28 floats"), "Sum of 2²⁸ floats");
  EXPECT_EQ(typeset("2^10, 2^9"), "2¹⁰, 2⁹");
  EXPECT_EQ(typeset("2^"), "2^");
  EXPECT_EQ(typeset("12^3 x2^3 2^x"), "12^3 x2^3 2^x");
}

TEST(Format, ASpeedupSaysFasterOrSlower) {
  EXPECT_EQ(speedup(1.617), "1.62× faster");
  EXPECT_EQ(speedup(0.238), "4.20× slower");
  EXPECT_EQ(speedup(1.004), "equally fast");
  EXPECT_EQ(speedup(0.997), "equally fast");
}

TEST(Format, RatiosAndSizes) {
  EXPECT_EQ(percent(0.9724), "97.2 %");
  EXPECT_EQ(percent(0.0005), "0.1 %");
  EXPECT_EQ(percent(0.0004), "<0.1 %");
  EXPECT_EQ(percent(0), "0.0 %");
  EXPECT_EQ(whole_percent(0.994), "99 %");
  EXPECT_EQ(whole_percent(0.997), ">99 %");
  EXPECT_EQ(whole_percent(1), "100 %");
  EXPECT_EQ(whole_percent(0.004), "<1 %");
  EXPECT_EQ(factor(1.0311), "1.03×");
  EXPECT_EQ(factor(571.2), "571×");
  EXPECT_EQ(memory_size(62914560), "60.0 MiB");
  EXPECT_EQ(memory_size(512), "512 B");
  EXPECT_EQ(array_size(8), "8 B");
  EXPECT_EQ(array_size(2 << 20), "2 MiB");
  EXPECT_EQ(array_size(3 << 19), "1.5 MiB");
  EXPECT_EQ(mean_size(4.579), "4.58 B");
  EXPECT_EQ(mean_size(1536), "1.5 KiB");
  EXPECT_EQ(precise_size(512), "512 B");
  EXPECT_EQ(precise_size(600'100'000), "600.10 MB");
}

TEST(Format, GigabytesForAColumn) {
  EXPECT_EQ(gigabytes(4579.4e9), "4579");
  EXPECT_EQ(gigabytes(7.1e9), "7.10");
}

TEST(Format, Dates) {
  EXPECT_EQ(utc("2026-11-21T09:30:00Z"), "2026-11-21 09:30 UTC");
  EXPECT_EQ(utc("yesterday"), "yesterday");
}

}  // namespace
}  // namespace rooflinectl::format::report_format_test
