// SPDX-License-Identifier: Apache-2.0
#include "kernels/data.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <ostream>
#include <string>

#include "tests/gpu/device.h"

namespace rooflinectl {

namespace kernels {
/// As test names and messages show it.
void PrintTo(DataSet data_set, std::ostream* out) {
  std::string text(to_string(data_set));
  std::replace(text.begin(), text.end(), ' ', '_');
  *out << text;
}
}  // namespace kernels

namespace {

using kernels::DataSet;

class FillTest : public GpuTest, public testing::WithParamInterface<DataSet> {
 protected:
  static constexpr std::uint64_t kElements = 3 * kernels::kSpecialPeriod;
  static constexpr std::uint64_t kTail = 8;

  /// The bits of two values are the same, or both are NaN.
  static bool same(double a, double b) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
  }

  /// What the device wrote for positions 0 … kElements - 1, and the tail, which it must not touch.
  template <typename T>
  static std::vector<T> filled(Dtype dtype) {
    const DeviceBuffer buffer((kElements + kTail) * sizeof(T));
    kernels::poison(buffer.data(), (kElements + kTail) * sizeof(T), /*stream=*/nullptr);
    kernels::fill(GetParam(), dtype, buffer.data(), kElements, /*stream=*/nullptr);
    return read<T>(buffer, kElements + kTail);
  }

  /// Every element is what the host expects, and the tail is as it was: NaN.
  template <typename T>
  static void expect_what_the_host_expects(Dtype dtype) {
    const std::vector<T> values = filled<T>(dtype);
    for (std::uint64_t i = 0; i < kElements; ++i) {
      const auto value = static_cast<double>(values[i]);
      ASSERT_TRUE(same(value, kernels::element(GetParam(), dtype, i))) << "at " << i << ": " << value;
    }
    for (std::uint64_t i = kElements; i < values.size(); ++i) {
      ASSERT_TRUE(std::isnan(static_cast<double>(values[i]))) << "at " << i;
    }
  }

  template <typename T>
  static void expect_integers_as_on_the_host(Dtype dtype) {
    if (!kernels::has_data(GetParam(), dtype)) GTEST_SKIP() << "no such integers";
    const std::vector<T> values = filled<T>(dtype);
    for (std::uint64_t i = 0; i < kElements; ++i) {
      ASSERT_EQ(values[i], kernels::integer_element(GetParam(), dtype, i)) << "at " << i;
    }
    for (std::uint64_t i = kElements; i < values.size(); ++i) ASSERT_EQ(values[i], T{-1}) << "at " << i;
  }
};

TEST_P(FillTest, WritesWhatTheHostExpectsInF64) {
  expect_what_the_host_expects<double>(Dtype::f64);
}
TEST_P(FillTest, WritesWhatTheHostExpectsInF32) {
  expect_what_the_host_expects<float>(Dtype::f32);
}
TEST_P(FillTest, WritesWhatTheHostExpectsInF16) {
  expect_what_the_host_expects<__half>(Dtype::f16);
}
TEST_P(FillTest, WritesWhatTheHostExpectsInBf16) {
  expect_what_the_host_expects<__nv_bfloat16>(Dtype::bf16);
}
TEST_P(FillTest, WritesWhatTheHostExpectsInI32) {
  expect_integers_as_on_the_host<std::int32_t>(Dtype::i32);
}
TEST_P(FillTest, WritesWhatTheHostExpectsInI64) {
  expect_integers_as_on_the_host<std::int64_t>(Dtype::i64);
}

INSTANTIATE_TEST_SUITE_P(All, FillTest, testing::ValuesIn(kernels::kAllDataSets),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace rooflinectl
