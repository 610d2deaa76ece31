// SPDX-License-Identifier: Apache-2.0
#include "collector/file_kernels/argument_memory.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "kernels/cuda_check.h"
#include "tests/gpu/device.h"

namespace rooflinectl {
namespace {

using ArgumentMemoryTest = GpuTest;

constexpr std::uint64_t kCount = 5000;

CallArgument argument(ArgumentType type, const Fill& fill) {
  CallArgument argument;
  argument.name = "x";
  argument.type = type;
  argument.count = kCount;
  argument.fill = fill;
  return argument;
}

TEST_F(ArgumentMemoryTest, IsFilledAsDescribed) {
  const Stream stream;
  for (const ArgumentType type : kArgumentTypes) {
    const Fill fills[] = {{FillKind::integers, 0, 3}, {FillKind::index, 0, 0}, {FillKind::value, 2, 0}};
    for (const Fill& filled : fills) {
      const DeviceBuffer memory(kCount * 8);
      fill(argument(type, filled), type, memory.data(), stream);
      stream.synchronize();
      const auto bytes = read<std::byte>(memory, kCount * size_bytes(type));
      for (std::uint64_t i = 0; i < kCount; ++i) {
        const StoredValue expected = stored(fill_element(filled, type, i), type);
        ASSERT_EQ(std::memcmp(&bytes[i * size_bytes(type)], expected.data(), size_bytes(type)), 0)
            << to_string(type) << " " << i;
      }
    }
  }
}

TEST_F(ArgumentMemoryTest, OfAWiderTypeHoldsTheRoundedValues) {
  const Stream stream;
  const CallArgument described = argument(ArgumentType::f16, {FillKind::value, 0.1, 0});
  const DeviceBuffer narrow(kCount * 2);
  const DeviceBuffer wide(kCount * 8);
  fill(described, ArgumentType::f16, narrow.data(), stream);
  fill(described, ArgumentType::f64, wide.data(), stream);
  const ElementsCheck check =
      compare({ArgumentType::f16, narrow.data()}, {ArgumentType::f64, wide.data()}, kCount, {}, stream);
  EXPECT_FALSE(check.mismatch);
  EXPECT_EQ(check.worst_error_over_bound, 0);
}

TEST_F(ArgumentMemoryTest, ShowsWhatWasChangedInIt) {
  const Stream stream;
  for (const ArgumentType type : kArgumentTypes) {
    const CallArgument described = argument(type, {FillKind::integers, 0, 5});
    const DeviceBuffer memory(kCount * 8);
    fill(described, type, memory.data(), stream);
    EXPECT_FALSE(first_change(described, memory.data(), stream)) << to_string(type);
    kernels::poison(static_cast<std::byte*>(memory.data()) + 4000 * size_bytes(type), 2 * size_bytes(type),
                    stream);
    const auto change = first_change(described, memory.data(), stream);
    ASSERT_TRUE(change) << to_string(type);
    EXPECT_GE(*change, 4000);  // -1 may have been there
    EXPECT_LE(*change, 4001);
  }
}

TEST_F(ArgumentMemoryTest, ShowsWhatWasWrittenBesideIt) {
  const Stream stream;
  const ArgumentLayout layout({argument(ArgumentType::f32, {}), argument(ArgumentType::u8, {})});
  constexpr int kSets = 3;
  const DeviceBuffer sets(layout.bytes() * kSets);
  auto* const d_sets = static_cast<std::byte*>(sets.data());
  const Guards guards(layout.guards(), kSets, layout.bytes());
  guards.write(d_sets, stream);
  EXPECT_FALSE(guards.damage(d_sets, stream));

  // The arguments themselves are not watched.
  kernels::poison(d_sets + layout.offset(0), kCount * 4, stream);
  kernels::poison(d_sets + layout.bytes() + layout.offset(1), kCount, stream);
  EXPECT_FALSE(guards.damage(d_sets, stream));

  const std::size_t end = layout.offset(1) + kCount;
  kernels::check(cudaMemsetAsync(d_sets + 2 * layout.bytes() + end + 2, 0, 40, stream), "cudaMemsetAsync");
  const auto behind = guards.damage(d_sets, stream);
  ASSERT_TRUE(behind);
  EXPECT_EQ(behind->region, 3);
  EXPECT_NEAR(static_cast<double>(behind->first), static_cast<double>(end + 2), 2);  // 0 may have been there
  EXPECT_NEAR(static_cast<double>(behind->last), static_cast<double>(end + 41), 2);

  guards.write(d_sets, stream);
  kernels::poison(d_sets + layout.offset(0) - 8, 8, stream);
  const auto before = guards.damage(d_sets, stream);
  ASSERT_TRUE(before);
  EXPECT_EQ(before->region, 0);
}

TEST_F(ArgumentMemoryTest, CopiedOverAnotherIsNoticed) {
  const Stream stream;
  const ArgumentLayout layout({argument(ArgumentType::f32, {}), argument(ArgumentType::f32, {})});
  const DeviceBuffer set(layout.bytes());
  auto* const d_set = static_cast<std::byte*>(set.data());
  const Guards guards(layout.guards(), 1, layout.bytes());
  guards.write(d_set, stream);
  kernels::check(cudaMemcpyAsync(d_set + layout.offset(1), d_set + layout.offset(0), kCount * 4 + 64,
                                 cudaMemcpyDeviceToDevice, stream),
                 "cudaMemcpyAsync");
  const auto damage = guards.damage(d_set, stream);
  ASSERT_TRUE(damage);
  EXPECT_EQ(damage->region, 3);
}

template <typename T>
DeviceBuffer on_device(const std::vector<T>& values) {
  DeviceBuffer buffer(values.size() * sizeof(T));
  kernels::check(cudaMemcpy(buffer.data(), values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice),
                 "cudaMemcpy");
  return buffer;
}

ElementsCheck compared(const std::vector<float>& results, const std::vector<double>& expected,
                       const Tolerance& tolerance) {
  const Stream stream;
  const DeviceBuffer d_results = on_device(results);
  const DeviceBuffer d_expected = on_device(expected);
  return compare({ArgumentType::f32, d_results.data()}, {ArgumentType::f64, d_expected.data()},
                 results.size(), tolerance, stream);
}

TEST_F(ArgumentMemoryTest, IsComparedWithinTheTolerance) {
  const ElementsCheck equal = compared({1, 2, 3}, {1, 2, 3}, {});
  EXPECT_FALSE(equal.mismatch);
  EXPECT_EQ(equal.worst_error_over_bound, 0);

  const ElementsCheck close = compared({1, 2.5F, -4}, {1, 2, -4}, {.relative = 0.5, .absolute = 0});
  EXPECT_FALSE(close.mismatch);
  EXPECT_DOUBLE_EQ(close.worst_error_over_bound, 0.5);

  const ElementsCheck wrong = compared({1, 2.5F, 5}, {1, 2, 4}, {.relative = 0.1, .absolute = 0.1});
  ASSERT_TRUE(wrong.mismatch);
  EXPECT_EQ(wrong.mismatch->position, 1);
  EXPECT_EQ(wrong.mismatch->result, 2.5);
  EXPECT_EQ(wrong.mismatch->expected, 2);
}

TEST_F(ArgumentMemoryTest, IsComparedWithNaNAndInfinityToo) {
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const Tolerance loose = {.relative = 1e9, .absolute = 1e9};
  EXPECT_FALSE(compared({kNaN, kInfinity, -kInfinity}, {kNaN, kInfinity, -kInfinity}, {}).mismatch);
  for (const auto& [result, expected] : std::vector<std::pair<float, double>>{
           {kNaN, 1}, {1, kNaN}, {kInfinity, 1}, {1, kInfinity}, {-kInfinity, kInfinity}}) {
    EXPECT_TRUE(compared({result}, {expected}, loose).mismatch) << result << " " << expected;
  }
}

TEST_F(ArgumentMemoryTest, OfLargeIntegersIsComparedExactly) {
  const Stream stream;
  const std::vector<std::int64_t> results = {(std::int64_t{1} << 60) + 1, -1};
  const std::vector<std::int64_t> expected = {std::int64_t{1} << 60, -1};
  const DeviceBuffer d_results = on_device(results);
  const DeviceBuffer d_expected = on_device(expected);
  const Elements as_results = {ArgumentType::i64, d_results.data()};
  EXPECT_TRUE(compare(as_results, {ArgumentType::i64, d_expected.data()}, 2, {}, stream).mismatch);
  EXPECT_FALSE(compare(as_results, as_results, 2, {}, stream).mismatch);
  // The same bits, without a sign.
  const ElementsCheck other = compare(as_results, {ArgumentType::u64, d_results.data()}, 2, {}, stream);
  ASSERT_TRUE(other.mismatch);
  EXPECT_EQ(other.mismatch->position, 1);
}

}  // namespace
}  // namespace rooflinectl
