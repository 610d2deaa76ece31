// SPDX-License-Identifier: Apache-2.0
#include "kernels/data.h"

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

  /// The bits of two floats are the same, or both are NaN.
  static bool same(float a, float b) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
  }

  /// What the device wrote for positions 0 … kElements - 1, and the tail, which it must not touch.
  template <typename T>
  static std::vector<T> filled(Dtype dtype) {
    const DeviceBuffer buffer((kElements + kTail) * sizeof(T));
    kernels::poison(buffer.data(), (kElements + kTail) * sizeof(T), /*stream=*/nullptr);
    kernels::fill(GetParam(), dtype, buffer.data(), kElements, /*stream=*/nullptr);
    return read<T>(buffer, kElements + kTail);
  }
};

TEST_P(FillTest, WritesWhatTheHostExpectsInF32) {
  const std::vector<float> values = filled<float>(Dtype::f32);
  for (std::uint64_t i = 0; i < kElements; ++i) {
    ASSERT_TRUE(same(values[i], kernels::element(GetParam(), Dtype::f32, i)))
        << "at " << i << ": " << values[i];
  }
  for (std::uint64_t i = kElements; i < values.size(); ++i) ASSERT_TRUE(std::isnan(values[i])) << "at " << i;
}

TEST_P(FillTest, WritesWhatTheHostExpectsInF16) {
  const std::vector<__half> values = filled<__half>(Dtype::f16);
  for (std::uint64_t i = 0; i < kElements; ++i) {
    const float value = __half2float(values[i]);
    ASSERT_TRUE(same(value, kernels::element(GetParam(), Dtype::f16, i))) << "at " << i << ": " << value;
  }
  for (std::uint64_t i = kElements; i < values.size(); ++i) {
    ASSERT_TRUE(std::isnan(__half2float(values[i]))) << "at " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(All, FillTest, testing::ValuesIn(kernels::kAllDataSets),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace rooflinectl
