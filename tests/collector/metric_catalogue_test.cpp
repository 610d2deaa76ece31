// SPDX-License-Identifier: Apache-2.0
// The metric catalogue against every chip that CUPTI knows, offline: which counters a chip lacks, and in how
// many passes the rest are gathered. CUPTI's host interface needs neither a GPU nor a driver.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "collector/ceilings/ceilings.h"
#include "collector/cupti/host_configuration.h"
#include "core/counters/counters.h"
#include "core/error.h"
#include "kernels/ceiling.h"

namespace rooflinectl {
namespace {

using ::testing::HasSubstr;

using Keys = std::set<std::string_view>;

const Keys kPackedF32 = {counter::kFadd2, counter::kFmul2, counter::kFfma2};
const Keys kDram = {counter::kDramReadBytes, counter::kDramWriteBytes, counter::kDramClockHz};

/// The counters of the basic set that a chip has no hardware metric for.
Keys missing_keys(const ChipCounters& chip) {
  Keys missing;
  for (const CounterInfo& counter : chip.counters) {
    if (counter.metric.empty()) missing.insert(counter.key);
  }
  return missing;
}

Keys expected_missing(const std::string& chip) {
  Keys missing;
  // The others have no double rate of packed f16 multiply-adds through their Tensor Cores.
  const bool has_hfma2_in_tensor_pipe = chip == "GA100" || chip == "GA10B" || chip == "GH100";
  if (!has_hfma2_in_tensor_pipe) missing.insert(counter::kTensorPipeHfma2);
  const bool has_packed_f32 = chip == "GB100" || chip == "GB102" || chip == "GB110";
  if (!has_packed_f32) missing.insert(kPackedF32.begin(), kPackedF32.end());
  // Chips that share the memory of the host processor have no DRAM unit of their own.
  const bool has_dram = chip != "GA10B" && chip != "GB10B" && chip != "GB20B";
  if (!has_dram) missing.insert(kDram.begin(), kDram.end());
  return missing;
}

/// One pass is instrumented, one holds all other counters except those of tensor instructions and of what
/// warps wait for, which take one each. Volta, Turing and the A100 use the third for the DRAM clock or for
/// the atomic units as well. Turing's chips without Tensor Cores need no third pass.
int expected_passes(const std::string& chip) {
  return chip == "TU116" || chip == "TU117" ? 3 : 4;
}

class MetricCatalogueOnChip : public ::testing::TestWithParam<std::string> {};

TEST_P(MetricCatalogueOnChip, ResolvesInThePinnedNumberOfPasses) {
  const ChipCounters chip = cupti::describe_chip(GetParam());
  EXPECT_EQ(chip.chip, GetParam());
  EXPECT_EQ(chip.passes, expected_passes(GetParam()));
  EXPECT_EQ(missing_keys(chip), expected_missing(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(EveryChip, MetricCatalogueOnChip, ::testing::ValuesIn(cupti::countable_chips()),
                         [](const auto& chip) { return chip.param; });

struct Chip {
  const char* name;
  int sm;
  int passes;  ///< of the ceilings' metrics
};
const Chip kChipsWithTensorCores[] = {
    {"GA100", 80, 9}, {"GA102", 86, 9}, {"AD102", 89, 10}, {"GH100", 90, 10}};

TEST(MetricCatalogue, OfCeilingsHasAllPeaksThatAChipCanReach) {
  for (const Chip& chip : kChipsWithTensorCores) {
    const cupti::HostConfiguration configuration(chip.name,
                                                 ceiling_metrics(kernels::all_ceiling_benchmarks()), {});
    EXPECT_EQ(configuration.passes(), chip.passes) << chip.name;
    for (const kernels::CeilingBenchmark& benchmark : kernels::all_ceiling_benchmarks()) {
      if (!benchmark.peak || benchmark.minimum_sm > chip.sm) continue;
      EXPECT_TRUE(configuration.metrics().contains(std::string(key_of(*benchmark.peak))))
          << "ceiling_" << benchmark.id << ".cu: CUPTI knows none of its peak's metrics on " << chip.name;
    }
  }
}

/// A misspelt name would look like one that a chip lacks.
TEST(MetricCatalogue, KnowsEveryNameOfAPeakOnSomeChip) {
  for (const kernels::CeilingBenchmark& benchmark : kernels::all_ceiling_benchmarks()) {
    if (!benchmark.peak) continue;
    for (const std::string_view name : benchmark.peak->metrics) {
      const auto knows_it = [&](const Chip& chip) {
        const std::vector<Metric> metrics = {{"peak", {name}, 1, ""},
                                             {kL2ClockHz, {"lts__cycles_elapsed.avg.per_second"}, 1, ""}};
        return cupti::HostConfiguration(chip.name, metrics, {}).metrics().contains("peak");
      };
      EXPECT_TRUE(std::any_of(std::begin(kChipsWithTensorCores), std::end(kChipsWithTensorCores), knows_it))
          << "ceiling_" << benchmark.id << ".cu: no chip has " << name;
    }
  }
}

TEST(MetricCatalogue, OfTensorOperationsKnowsTheTypesOfEachGeneration) {
  const Keys turing = {counter::kTensorF16Ops, counter::kTensorI8Ops};
  const Keys ampere = {counter::kTensorF16Ops, counter::kTensorBf16Ops, counter::kTensorTf32Ops,
                       counter::kTensorI8Ops, counter::kTensorF64Ops};
  Keys all = ampere;
  all.insert(counter::kTensorF8Ops);
  struct Expected {
    const char* chip;
    Keys keys;
    int passes;
  };
  for (const auto& [chip, keys, passes] : {Expected{"TU102", turing, 1},
                                           {"GA100", ampere, 5},
                                           {"GA102", ampere, 5},
                                           {"AD102", all, 6},
                                           {"GH100", all, 6},
                                           {"GB100", all, 6},
                                           {"GB202", all, 6}}) {
    const cupti::HostConfiguration configuration(chip, tensor_metrics(), {});
    EXPECT_EQ(configuration.passes(), passes) << chip;
    Keys found;
    for (const auto& [key, metric] : configuration.metrics()) found.insert(key);
    EXPECT_EQ(found, keys) << chip;
  }
}

TEST(MetricCatalogue, IsAnErrorWhereTheChipCountsNoneOfIt) {
  try {
    const cupti::HostConfiguration configuration("TU116", tensor_metrics(), {});
    FAIL() << "TU116 has no Tensor Cores";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("has none of these counters"));
  }
}

TEST(MetricCatalogue, CoversTheChipsOfTheReleaseBuild) {
  const std::vector<std::string> known = cupti::countable_chips();
  for (const char* chip : {"TU102", "GA100", "GA102", "AD102", "GH100", "GB100", "GB202"}) {
    EXPECT_NE(std::find(known.begin(), known.end(), chip), known.end()) << chip;
  }
}

TEST(MetricCatalogue, AnUnknownNameLeavesTheOthersUsable) {
  const std::vector<Metric> metrics = {
      {"nonsense", {"sm__no_such_metric.sum"}, 1, ""},
      {counter::kFadd, {"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum"}, 1, ""}};
  const cupti::HostConfiguration configuration("GH100", metrics, {});
  EXPECT_FALSE(configuration.metrics().contains("nonsense"));
  EXPECT_TRUE(configuration.metrics().contains(std::string(counter::kFadd)));
  EXPECT_EQ(configuration.passes(), 1);
}

TEST(MetricCatalogue, TheSecondNameIsUsedWhereTheFirstIsMissing) {
  const cupti::HostConfiguration configuration("GB202", basic_metrics(), {});
  EXPECT_EQ(configuration.metrics().at(std::string(counter::kDramReadBytes)), "dram__bytes_op_read.sum");
}

TEST(MetricCatalogue, AnUnknownChipIsNotTakenForAnother) {
  EXPECT_THROW(cupti::HostConfiguration("XX999", basic_metrics(), {}), Error);
}

}  // namespace
}  // namespace rooflinectl
