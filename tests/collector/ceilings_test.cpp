// SPDX-License-Identifier: Apache-2.0
// What follows from attributes and counters alone: theoretical ceilings, and whether counters confirm a
// benchmark.
#include "collector/ceilings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "collector/ceiling_metrics.h"
#include "collector/confirmation.h"

namespace rooflinectl {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// The attributes that an H200 reports.
DeviceInfo h200() {
  DeviceInfo device;
  device.compute_capability = 90;
  device.sm_count = 132;
  device.memory_bus_bits = 6016;
  device.memory_clock_hz = 3.201e9;
  device.sm_clock_hz = 1.98e9;
  return device;
}

const Ceiling* find(const std::vector<Ceiling>& ceilings, std::string_view id) {
  const auto found =
      std::find_if(ceilings.begin(), ceilings.end(), [&](const Ceiling& c) { return c.id == id; });
  return found == ceilings.end() ? nullptr : &*found;
}

TEST(TheoreticalCeilings, DramFollowsFromTheAttributes) {
  const std::vector<Ceiling> ceilings = theoretical_ceilings(h200());
  ASSERT_EQ(ceilings.size(), 1U);
  EXPECT_EQ(ceilings[0].id, "dram");
  EXPECT_EQ(ceilings[0].source, CeilingSource::theoretical);
  EXPECT_NEAR(ceilings[0].value, 4814.3e9, 0.1e9);
}

TEST(TheoreticalCeilings, ArePeaksPerCycleTimesTheClock) {
  const Counters counters = {
      {std::string(kPeakFfma), CounterValue::measured(132 * 128)},
      {std::string(kPeakHfma), CounterValue::measured(132 * 128)},
      {std::string(kPeakL2Sectors), CounterValue::measured(188)},
      {std::string(kL2ClockHz), CounterValue::measured(1.7e9)},
      {std::string(kPeakDfma), CounterValue::unavailable("this chip has no such counter")}};
  const std::vector<Ceiling> ceilings = theoretical_ceilings(h200(), counters);
  ASSERT_NE(find(ceilings, "f32_fma"), nullptr);
  EXPECT_DOUBLE_EQ(find(ceilings, "f32_fma")->value, 2 * 132 * 128 * 1.98e9);
  EXPECT_DOUBLE_EQ(find(ceilings, "f32_fma")->sm_clock_hz.value(), 1.98e9);
  EXPECT_DOUBLE_EQ(find(ceilings, "bf16_fma")->value, 4 * 132 * 128 * 1.98e9);
  EXPECT_DOUBLE_EQ(find(ceilings, "l2_read")->value, 188 * 32 * 1.7e9);
  EXPECT_EQ(find(ceilings, "l2_read")->sm_clock_hz, std::nullopt) << "L2 has a clock of its own";
  EXPECT_EQ(find(ceilings, "f64_fma"), nullptr) << "not invented where the chip has no figure";
  EXPECT_THAT(theoretical_ceilings(h200(), {}), IsEmpty());
}

// ---- confirmation ----

constexpr double kAmount = 1e9;
constexpr std::size_t kL2Bytes = 50'000'000;

kernels::CeilingBenchmark benchmark(CeilingKind kind, std::string subject, std::string operation,
                                    std::vector<std::string_view> keys, double scale = 1) {
  kernels::CeilingBenchmark made;
  made.kind = kind;
  made.subject = std::move(subject);
  made.operation = std::move(operation);
  made.count = {std::move(keys), scale};
  return made;
}

Confirmation confirm(const kernels::CeilingBenchmark& benchmark,
                     const std::map<std::string_view, double>& counted) {
  Counters counters;
  for (const auto& [key, value] : counted) counters.emplace(key, CounterValue::measured(value));
  return rooflinectl::confirm(benchmark, kAmount, counters, kL2Bytes);
}

TEST(Confirmation, OfDramReadsToleratesTwoPercent) {
  const auto read = benchmark(CeilingKind::bandwidth, "dram", "read", {counter::kDramReadBytes});
  EXPECT_TRUE(confirm(read, {{counter::kDramReadBytes, 1.019e9}}).agrees);
  EXPECT_TRUE(confirm(read, {{counter::kDramReadBytes, 0.981e9}}).agrees);
  EXPECT_FALSE(confirm(read, {{counter::kDramReadBytes, 1.021e9}}).agrees);
  EXPECT_FALSE(confirm(read, {{counter::kDramReadBytes, 0.979e9}}).agrees);
  EXPECT_THAT(confirm(read, {{counter::kDramReadBytes, 0.5e9}}).detail,
              HasSubstr("0.5000 of the declared bytes"));
}

TEST(Confirmation, OfDramWritesAllowsForWhatIsStillInL2) {
  const auto write = benchmark(CeilingKind::bandwidth, "dram", "write", {counter::kDramWriteBytes});
  EXPECT_TRUE(confirm(write, {{counter::kDramWriteBytes, 0.931e9}}).agrees);
  EXPECT_FALSE(confirm(write, {{counter::kDramWriteBytes, 0.929e9}}).agrees);
  EXPECT_FALSE(confirm(write, {{counter::kDramWriteBytes, 1.021e9}}).agrees);
}

TEST(Confirmation, OfACopyAddsBothDirections) {
  const auto copy =
      benchmark(CeilingKind::bandwidth, "dram", "copy", {counter::kDramReadBytes, counter::kDramWriteBytes});
  EXPECT_TRUE(confirm(copy, {{counter::kDramReadBytes, 0.5e9}, {counter::kDramWriteBytes, 0.48e9}}).agrees);
  EXPECT_FALSE(confirm(copy, {{counter::kDramReadBytes, 0.5e9}}).agrees) << "one of them was not counted";
}

TEST(Confirmation, OfACacheFailsWhereTheLevelBelowDelivers) {
  const auto l2 = benchmark(CeilingKind::bandwidth, "l2", "read", {counter::kL2Bytes});
  const auto counted = [](double dram) {
    return std::map<std::string_view, double>{
        {counter::kL2Bytes, 1e9}, {counter::kDramReadBytes, dram}, {counter::kDramWriteBytes, 0}};
  };
  EXPECT_TRUE(confirm(l2, counted(0.019e9)).agrees);
  EXPECT_FALSE(confirm(l2, counted(0.021e9)).agrees);
  EXPECT_THAT(confirm(l2, counted(0.1e9)).detail, HasSubstr("10.00 % of them at DRAM"));
  EXPECT_FALSE(confirm(l2, {{counter::kL2Bytes, 1e9}}).agrees) << "nothing is known of DRAM";
  const auto l1 = benchmark(CeilingKind::bandwidth, "l1", "read", {counter::kL1Bytes});
  EXPECT_FALSE(confirm(l1, {{counter::kL1Bytes, 1e9}, {counter::kL2Bytes, 0.03e9}}).agrees);
}

TEST(Confirmation, OfOperationsScalesInstructions) {
  const auto fma = benchmark(CeilingKind::compute, "f32", "fma", {counter::kFfma}, 2);
  EXPECT_TRUE(confirm(fma, {{counter::kFfma, 0.5e9}}).agrees);
  EXPECT_FALSE(confirm(fma, {{counter::kFfma, 1e9}}).agrees);
}

TEST(Confirmation, IsNoneWithoutTheCounter) {
  const auto fma = benchmark(CeilingKind::compute, "f32", "fma", {counter::kFfma}, 2);
  EXPECT_FALSE(confirm(fma, {}).agrees);
  EXPECT_THAT(confirm(fma, {}).detail, HasSubstr("unavailable"));
}

}  // namespace
}  // namespace rooflinectl
