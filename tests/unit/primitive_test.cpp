// SPDX-License-Identifier: Apache-2.0
// Rates of a primitive, from the cycles that it takes.
#include "core/model/primitive.h"

#include <gtest/gtest.h>

namespace rooflinectl::primitive_test {
namespace {

/// 8 SM cycles for 32 elements.
PrimitiveResult scan() {
  PrimitiveResult result;
  result.info.dtype = Dtype::f64;
  result.info.instructions = 4;
  result.throughput.median = CounterValue::measured(8);
  result.throughput.elements = 32;
  result.throughput.sm_clock_hz = 1e9;
  return result;
}

TEST(Primitive, RatesAreThoseOfAllSms) {
  EXPECT_DOUBLE_EQ(cycles_per_instruction(scan()).value(), 2);
  EXPECT_DOUBLE_EQ(cycles_per_element(scan().throughput).value(), 0.25);
  EXPECT_DOUBLE_EQ(elements_per_s(scan(), 100).value(), 400e9);
  EXPECT_DOUBLE_EQ(bytes_per_s(scan(), 100).value(), 6400e9) << "8 bytes read and 8 written per element";
}

TEST(Primitive, WithoutAClockThereIsNoRate) {
  PrimitiveResult result = scan();
  result.throughput.sm_clock_hz.reset();
  EXPECT_FALSE(elements_per_s(result, 100));
  EXPECT_FALSE(bytes_per_s(result, 100));
}

}  // namespace
}  // namespace rooflinectl::primitive_test
