// SPDX-License-Identifier: Apache-2.0
// What follows from attributes and counters alone: theoretical ceilings, and whether counters confirm a
// benchmark.
#include "collector/ceilings/ceilings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace rooflinectl {
namespace {

using ::testing::ElementsAre;
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

kernels::CeilingBenchmark with_peak(const char* subject, const char* operation, kernels::CeilingPeak peak) {
  kernels::CeilingBenchmark benchmark;
  benchmark.id = std::string(subject) + "_" + operation;
  benchmark.kind = std::string(operation) == "read" ? CeilingKind::bandwidth : CeilingKind::compute;
  benchmark.subject = subject;
  benchmark.operation = operation;
  benchmark.peak = std::move(peak);
  return benchmark;
}

/// In the order of the registry: by id.
std::vector<kernels::CeilingBenchmark> benchmarks() {
  kernels::CeilingBenchmark i32_add;
  i32_add.id = "i32_add";
  i32_add.kind = CeilingKind::compute;
  return {with_peak("bf16", "fma", {{"hfma"}, 4}),
          with_peak("f16", "fma", {{"hfma"}, 4}),
          with_peak("f16", "tensor", {{"tensor", "tensor of other chips"}, 1}),
          with_peak("f32", "add", {{"fadd"}, 1}),
          with_peak("f32", "fma", {{"ffma"}, 2}),
          i32_add,
          with_peak("l2", "read", {{"sectors"}, 32, kernels::ClockDomain::l2})};
}

const Counters kPeaks = {
    {"ffma", CounterValue::measured(132 * 128)}, {"fadd", CounterValue::measured(132 * 128)},
    {"hfma", CounterValue::measured(132 * 64)},  {"tensor", CounterValue::measured(132 * 4096)},
    {"sectors", CounterValue::measured(188)},    {std::string(kL2ClockHz), CounterValue::measured(1.7e9)}};

const Ceiling& find(const std::vector<Ceiling>& ceilings, std::string_view id) {
  const auto found =
      std::find_if(ceilings.begin(), ceilings.end(), [&](const Ceiling& c) { return c.id == id; });
  if (found == ceilings.end()) throw std::out_of_range(std::string(id));
  return *found;
}

std::vector<std::string> ids(const std::vector<Ceiling>& ceilings) {
  std::vector<std::string> ids;
  for (const Ceiling& ceiling : ceilings) ids.push_back(ceiling.id);
  return ids;
}

TEST(TheoreticalCeilings, DramFollowsFromTheAttributes) {
  const Ceiling dram = theoretical_dram(h200());
  EXPECT_EQ(dram.id, "dram");
  EXPECT_EQ(dram.source, CeilingSource::theoretical);
  EXPECT_NEAR(dram.value, 4814.3e9, 0.1e9);
  EXPECT_EQ(dram.method, "2 x 3201 MHz x 6016 bit");
}

TEST(TheoreticalCeilings, NvlinkIsAllLinksOfADeviceTogether) {
  const auto nvlink = theoretical_nvlink(Nvlinks{.count = 18, .bytes_per_s = 18 * 26.5625e9});
  ASSERT_TRUE(nvlink);
  EXPECT_EQ(nvlink->id, "nvlink");
  EXPECT_EQ(nvlink->kind, CeilingKind::transfer);
  EXPECT_EQ(nvlink->source, CeilingSource::theoretical);
  EXPECT_DOUBLE_EQ(nvlink->value, 478.125e9);
  EXPECT_EQ(nvlink->method, "18 links of 26.56 GB/s in each direction");
  EXPECT_FALSE(theoretical_nvlink(std::nullopt));
}

TEST(TheoreticalCeilings, PcieFollowsFromTheLink) {
  const std::vector<Ceiling> fifth = theoretical_pcie({.generation = 5, .lanes = 16});
  ASSERT_THAT(ids(fifth), ElementsAre("pcie_h2d", "pcie_d2h")) << "each direction has all of it";
  for (const Ceiling& ceiling : fifth) {
    EXPECT_EQ(ceiling.kind, CeilingKind::transfer);
    EXPECT_EQ(ceiling.source, CeilingSource::theoretical);
    EXPECT_NEAR(ceiling.value, 63.015e9, 1e6);
    EXPECT_EQ(ceiling.method, "PCIe 5.0 x16: 32 GT/s x 16 lanes x 128/130");
    EXPECT_EQ(ceiling.sm_clock_hz, std::nullopt);
  }
  EXPECT_NEAR(theoretical_pcie({.generation = 3, .lanes = 16}).front().value, 15.754e9, 1e6);
  EXPECT_DOUBLE_EQ(theoretical_pcie({.generation = 2, .lanes = 8}).front().value, 4e9);
  EXPECT_DOUBLE_EQ(theoretical_pcie({.generation = 6, .lanes = 16}).front().value, 121e9);
  EXPECT_THAT(theoretical_pcie({}), IsEmpty()) << "the driver does not know it";
  EXPECT_THAT(theoretical_pcie({.generation = 7, .lanes = 16}), IsEmpty());
}

TEST(TheoreticalCeilings, ArePeaksPerCycleTimesTheClock) {
  const std::vector<Ceiling> ceilings = theoretical_ceilings(h200(), benchmarks(), kPeaks);
  EXPECT_DOUBLE_EQ(find(ceilings, "f32_fma").value, 2 * 132 * 128 * 1.98e9);
  EXPECT_DOUBLE_EQ(find(ceilings, "f32_fma").sm_clock_hz.value(), 1.98e9);
  EXPECT_EQ(find(ceilings, "f32_fma").method, "2 x 16896 per cycle x 1980 MHz");
  EXPECT_EQ(find(ceilings, "f32_fma").kind, CeilingKind::compute);
  EXPECT_EQ(find(ceilings, "f32_fma").source, CeilingSource::theoretical);
  EXPECT_DOUBLE_EQ(find(ceilings, "bf16_fma").value, 4 * 132 * 64 * 1.98e9);
  EXPECT_DOUBLE_EQ(find(ceilings, "f16_tensor").value, 132 * 4096 * 1.98e9);
  EXPECT_DOUBLE_EQ(find(ceilings, "l2_read").value, 188 * 32 * 1.7e9);
  EXPECT_EQ(find(ceilings, "l2_read").kind, CeilingKind::bandwidth);
  EXPECT_EQ(find(ceilings, "l2_read").method, "32 x 188 per cycle x 1700 MHz (L2 clock while counting)");
  EXPECT_EQ(find(ceilings, "l2_read").sm_clock_hz, std::nullopt) << "L2 has a clock of its own";
}

TEST(TheoreticalCeilings, GoFromTheMemoryToTheTensorCores) {
  EXPECT_THAT(ids(theoretical_ceilings(h200(), benchmarks(), kPeaks)),
              ElementsAre("l2_read", "f32_fma", "f32_add", "f16_fma", "bf16_fma", "f16_tensor"));
}

TEST(TheoreticalCeilings, AreNotInventedWhereTheChipHasNoFigure) {
  EXPECT_THAT(theoretical_ceilings(h200(), benchmarks(), {}), IsEmpty());
  Counters counters = kPeaks;
  counters.insert_or_assign("ffma", CounterValue::unavailable("this chip has no such counter"));
  counters.erase(counters.find(kL2ClockHz));
  EXPECT_THAT(ids(theoretical_ceilings(h200(), benchmarks(), counters)),
              ElementsAre("f32_add", "f16_fma", "bf16_fma", "f16_tensor"));
}

TEST(TheoreticalCeilings, LeaveOutWhatTheChipIsTooOldFor) {
  std::vector<kernels::CeilingBenchmark> newer = benchmarks();
  for (kernels::CeilingBenchmark& benchmark : newer) benchmark.minimum_sm = 100;
  EXPECT_THAT(theoretical_ceilings(h200(), newer, kPeaks), IsEmpty());
}

TEST(CeilingMetrics, HaveEveryPeakOnce) {
  std::map<std::string_view, int> times;
  for (const Metric& metric : ceiling_metrics(benchmarks())) ++times[metric.key];
  for (const char* key : {"hfma", "tensor", "fadd", "ffma", "sectors"}) EXPECT_EQ(times[key], 1) << key;
  for (const auto& [key, count] : times) EXPECT_EQ(count, 1) << key;
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
  EXPECT_FALSE(confirm(l2, {{counter::kL2Bytes, 1e9}}).agrees) << "DRAM was not counted";
  const auto l1 = benchmark(CeilingKind::bandwidth, "l1", "read", {counter::kL1Bytes});
  EXPECT_FALSE(confirm(l1, {{counter::kL1Bytes, 1e9}, {counter::kL2Bytes, 0.03e9}}).agrees);
}

TEST(Confirmation, OfOperationsScalesInstructions) {
  const auto fma = benchmark(CeilingKind::compute, "f32", "fma", {counter::kFfma}, 2);
  EXPECT_TRUE(confirm(fma, {{counter::kFfma, 0.5e9}}).agrees);
  EXPECT_FALSE(confirm(fma, {{counter::kFfma, 1e9}}).agrees);
}

TEST(Confirmation, FailsWithoutTheCounter) {
  const auto fma = benchmark(CeilingKind::compute, "f32", "fma", {counter::kFfma}, 2);
  EXPECT_FALSE(confirm(fma, {}).agrees);
  EXPECT_THAT(confirm(fma, {}).detail, HasSubstr("unavailable"));
}

}  // namespace
}  // namespace rooflinectl
