// SPDX-License-Identifier: Apache-2.0
#include "analysis/analysis.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <utility>

#include "analysis/roofline/point.h"
#include "analysis/roofline/quantities/quantities.h"
#include "analysis/roofline/roof.h"
#include "tests/support/changed_runs.h"
#include "tests/support/full_run.h"
#include "tests/support/operations.h"
#include "tests/support/program_run.h"

namespace rooflinectl::analysis_test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Optional;
using ::testing::Pair;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

// A device with round numbers.
constexpr double kReadBytesPerS = 4e12;
constexpr double kWriteBytesPerS = 3.8e12;
constexpr double kCopyBytesPerS = 3.5e12;
constexpr double kTheoreticalBytesPerS = 5e12;
constexpr double kAddPerS = 30e12;
constexpr double kFmaPerS = 60e12;
constexpr double kNominalClockHz = 2e9;
constexpr double kLaunchS = 2e-6;
constexpr double kGraphNodeS = 0.5e-6;

constexpr std::uint64_t kElements = 1ull << 28;

Ceiling ceiling(std::string id, CeilingKind kind, CeilingSource source, double value, double spread = 0) {
  Ceiling made;
  made.id = std::move(id);
  made.kind = kind;
  made.source = source;
  made.value = value;
  made.relative_spread = spread;
  if (kind == CeilingKind::compute) made.sm_clock_hz = kNominalClockHz;
  return made;
}

std::vector<Ceiling> all_ceilings() {
  using enum CeilingKind;
  using enum CeilingSource;
  return {ceiling("dram", bandwidth, theoretical, kTheoreticalBytesPerS),
          ceiling("f32_add", compute, theoretical, 1.1 * kAddPerS),
          ceiling("f32_fma", compute, theoretical, 1.1 * kFmaPerS),
          ceiling("dram_read", bandwidth, measured, kReadBytesPerS, 0.01),
          ceiling("dram_write", bandwidth, measured, kWriteBytesPerS),
          ceiling("dram_copy", bandwidth, measured, kCopyBytesPerS),
          ceiling("f32_add", compute, measured, kAddPerS),
          ceiling("f32_fma", compute, measured, kFmaPerS),
          ceiling("launch", latency, measured, kLaunchS),
          ceiling("graph_node", latency, measured, kGraphNodeS)};
}

/// A float sum that is timed but not counted.
Measurement float_sum(std::string variant, double time_s) {
  Measurement sum;
  sum.point.experiment = "ladder";
  sum.point.subject = std::move(variant);
  sum.point.axes = axes_of({.n_elements = kElements, .block_size = 256});
  sum.work = {.read_bytes = 4.0 * kElements,
              .written_bytes = 4,
              .operations = {{Dtype::f32, {.flops = kElements - 1.0}}}};
  sum.time = TimeResult{};
  sum.time->median_s = sum.time->ci_low_s = sum.time->ci_high_s = time_s;
  return sum;
}

Measurement counted(Measurement measurement,
                    std::initializer_list<std::pair<std::string_view, double>> counts) {
  for (const auto& [key, value] : counts) {
    measurement.counters.insert_or_assign(std::string(key), CounterValue::measured(value));
  }
  return measurement;
}

/// `sum` with the traffic and adds that it needs, times a factor each, and next to no instructions.
Measurement counted_sum(Measurement sum, double traffic_factor, double add_factor) {
  const double read_bytes = traffic_factor * sum.work.read_bytes;
  const double adds = add_factor * sum.work.flops();
  return counted(std::move(sum), {{counter::kDramReadBytes, read_bytes},
                                  {counter::kDramWriteBytes, 0},
                                  {counter::kFadd, adds},
                                  {counter::kFmul, 0},
                                  {counter::kFfma, 0},
                                  {counter::kWarpInstructions, 1000},
                                  {counter::kL2AtomicOperations, 0}});
}

VariantInfo variant(std::string id, std::string label, std::string family) {
  VariantInfo info;
  info.id = std::move(id);
  info.label = std::move(label);
  info.family = std::move(family);
  info.output = OutputKind::partials;
  return info;
}

/// A run whose plan is exactly these measurements.
rooflinectl::Run run_of(const std::vector<Measurement>& measurements) {
  rooflinectl::Run run;
  run.devices[0].sm_count = 100;
  run.devices[0].sm_clock_hz = kNominalClockHz;
  run.devices[0].compute_capability = 90;
  run.ceilings = all_ceilings();
  run.measurements = measurements;
  for (const Measurement& measurement : measurements) {
    const PointId& point = measurement.point;
    auto& experiments = run.plan.experiments;
    if (experiments.empty() || experiments.back().name != point.experiment) {
      experiments.emplace_back().name = point.experiment;
    }
    experiments.back().points.push_back(point);
    if (run.catalogue.find_variant(point.subject) == nullptr) {
      run.catalogue.variants.push_back(variant(point.subject, "label of " + point.subject, "ladder"));
    }
  }
  return run;
}

void remove_ceiling(rooflinectl::Run& run, std::string_view id) {
  std::erase_if(run.ceilings, [&](const Ceiling& ceiling) { return ceiling.id == id; });
}

/// Analyses a run of one point, which it keeps alive.
class OnePoint {
 public:
  explicit OnePoint(const Measurement& measurement) : OnePoint(run_of({measurement})) {}
  explicit OnePoint(rooflinectl::Run run) : run_(std::move(run)), analysis_(analyse(run_)) {}
  const RooflinePoint* operator->() const { return &analysis_.experiments.at(0).points.at(0); }

 private:
  rooflinectl::Run run_;
  Analysis analysis_;
};

std::vector<std::string> labels_of(const rooflinectl::Run& run) {
  std::vector<std::string> labels;
  const Analysis analysis = analyse(run);
  for (const RooflinePoint& point : analysis.experiments.at(0).points) labels.push_back(point.label);
  return labels;
}

/// What is known about a point measured like this, by name.
std::map<std::string_view, double> quantities_of(const Measurement& measurement) {
  std::map<std::string_view, double> values;
  const OnePoint point(measurement);
  for (const auto& [quantity, value] : point->quantities) values.emplace(quantity->name, value);
  return values;
}

MATCHER_P(Near, expected, "") {
  return std::abs(arg - expected) <= 1e-12 * std::abs(expected);
}

// ---- intensity and rates ----

TEST(Intensity, UsefulIsDeclaredWorkOverCompulsoryBytes) {
  const OnePoint point(float_sum("v", 1e-3));
  EXPECT_DOUBLE_EQ(point->flops_useful, kElements - 1.0);
  EXPECT_DOUBLE_EQ(point->dram_bytes_useful, 4.0 * kElements + 4);
  EXPECT_THAT(point->ai_useful, Optional(DoubleNear(0.25, 1e-8)));
  EXPECT_THAT(point->flop_per_s, Optional(Near((kElements - 1.0) / 1e-3)));
}

TEST(Intensity, ExecutedComesFromCountersAlone) {
  const OnePoint point(counted_sum(float_sum("v", 1e-3), 0.98, 6));
  EXPECT_THAT(point->flops_executed, Optional(Near(6 * (kElements - 1.0))));
  EXPECT_THAT(point->dram_bytes, Optional(Near(0.98 * 4.0 * kElements)));
  EXPECT_THAT(point->ai_executed, Optional(DoubleNear(1.5 / 0.98, 1e-7)));
  EXPECT_THAT(point->redundancy, Optional(Near(6.0)));
  EXPECT_THAT(point->executed_flop_per_s, Optional(Near(6 * (kElements - 1.0) / 1e-3)));
  EXPECT_THAT(point->dram_bytes_per_s, Optional(Near(0.98 * 4.0 * kElements / 1e-3)));
}

TEST(Intensity, AnUnavailableCounterIsNotZero) {
  Measurement sum = counted_sum(float_sum("v", 1e-3), 1, 1);
  sum.counters.insert_or_assign(std::string(counter::kDramReadBytes),
                                CounterValue::unavailable("no DRAM unit"));
  const OnePoint point(sum);
  EXPECT_EQ(point->dram_bytes, std::nullopt);
  EXPECT_EQ(point->dram_bytes_per_s, std::nullopt);
  EXPECT_EQ(point->ai_executed, std::nullopt);
  EXPECT_THAT(point->redundancy, Optional(Near(1.0)));
}

void expect_no_executed_work(const RooflinePoint& point, const std::string& reason) {
  EXPECT_EQ(point.flops_executed, std::nullopt);
  EXPECT_EQ(point.ai_executed, std::nullopt);
  EXPECT_EQ(point.redundancy, std::nullopt);
  EXPECT_EQ(point.executed_flop_per_s, std::nullopt);
  EXPECT_THAT(point.executed_missing, HasSubstr(reason));
}

TEST(ExecutedWork, IsUnavailableWhereAtomicsDoMoreThanAHundredthOfIt) {
  const auto with_atomics = [](double atomics, double adds) {
    return counted(counted_sum(float_sum("v", 1e-3), 1, adds), {{counter::kL2AtomicOperations, atomics}});
  };
  expect_no_executed_work(*OnePoint(with_atomics(kElements, 0)).operator->(), "atomic operations ran in L2");
  expect_no_executed_work(*OnePoint(with_atomics(0.011 * kElements, 1)).operator->(), "atomic operations");
  const OnePoint few(with_atomics(0.009 * kElements, 1));
  EXPECT_THAT(few->redundancy, Optional(Near(1.0)));
  EXPECT_EQ(few->executed_missing, "");
}

TEST(ExecutedWork, IsUnavailableWhereTensorOperationsWereNotCounted) {
  const Measurement tensor =
      counted(counted_sum(float_sum("v", 1e-3), 1, 0.0013), {{counter::kTensorPipeInstructions, 1e6}});
  expect_no_executed_work(*OnePoint(tensor).operator->(), "tensor instructions were not counted");
  const OnePoint with_operations(counted(tensor, {{counter::kTensorF16Ops, 32.0 * kElements}}));
  EXPECT_THAT(with_operations->flops_executed, Optional(Near(0.0013 * (kElements - 1.0) + 32.0 * kElements)));
  EXPECT_EQ(with_operations->executed_missing, "");
}

/// Older runs do not record Tensor Core instructions, but too few operations were counted for the result.
TEST(ExecutedWork, IsUnavailableWhereFewerOperationsWereCountedThanTheResultNeeds) {
  expect_no_executed_work(*OnePoint(counted_sum(float_sum("v", 1e-3), 1, 0.98)).operator->(),
                          "where the counters do not see them");
  EXPECT_THAT(OnePoint(counted_sum(float_sum("v", 1e-3), 1, 0.995))->redundancy, Optional(Near(0.995)));
}

TEST(ExecutedWork, OfHalvesIsCountedWhenTheMachineCodeOnlyConvertsThem) {
  Measurement sum =
      counted(counted_sum(float_sum("mine", 1e-3), 1, 1), {{counter::kHadd, kElements},
                                                           {counter::kDadd, 0},
                                                           {counter::kDmul, 0},
                                                           {counter::kDfma, 0},
                                                           {counter::kTensorPipeInstructions, 0}});
  sum.point.axes.set(axis::kDtype, Dtype::f16);
  sum.work.operations = {{Dtype::f16, {.flops = kElements - 1.0}}};
  rooflinectl::Run run = run_of({sum});
  FileKernel kernel;
  kernel.id = "mine";
  kernel.function = "sum";
  kernel.launch = {.grid = {"8192"}, .block = {"256"}, .cluster = {}, .shared_bytes = {}};
  run.plan.kernels = {kernel};
  CompiledKernel compiled;
  compiled.kernel = kernel.id;
  compiled.function = kernel.function;
  compiled.architecture = 90;
  const auto executed_with = [&](std::optional<bool> has_half_arithmetic) {
    compiled.has_half_arithmetic = has_half_arithmetic;
    run.compiled_kernels = {compiled};
    return OnePoint(run)->flops_executed;
  };
  EXPECT_EQ(executed_with(std::nullopt), std::nullopt);
  EXPECT_EQ(executed_with(true), std::nullopt);
  EXPECT_THAT(executed_with(false), Optional(Near(kElements - 1.0)));
}

TEST(ExecutedWork, OnTensorCoresHasABoundOfItsOwn) {
  rooflinectl::Run run =
      run_of({counted(counted_sum(float_sum("v", 1e-3), 0.1, 1),
                      {{counter::kTensorPipeInstructions, 1e6}, {counter::kTensorF16Ops, 0.7e12}})});
  EXPECT_EQ(OnePoint(run)->bound, Bound::unknown);
  EXPECT_THAT(OnePoint(run)->verdict.unjudged, Contains(HasSubstr("f16_tensor")));
  run.ceilings.push_back(ceiling("f16_tensor", CeilingKind::compute, CeilingSource::measured, 1e15));
  EXPECT_EQ(OnePoint(run)->bound, Bound::tensor);
}

TEST(Intensity, HalfInputIsComparedWithFloatOperations) {
  Measurement sum = counted_sum(float_sum("v", 1e-3), 1, 2);
  constructed::set_dtype(sum, Dtype::f16);
  const OnePoint point(counted(sum, {{counter::kHadd, 1e12}, {counter::kDadd, 1e12}}));
  EXPECT_THAT(point->redundancy, Optional(Near(2.0)));
  EXPECT_EQ(point->roof->compute_ceilings, CeilingIds{"f32_add"});
}

TEST(Intensity, DoubleSumsNeedDoubleCountersAndCeilings) {
  Measurement sum = counted_sum(float_sum("v", 1e-3), 1, 2);
  constructed::set_dtype(sum, Dtype::f64);
  const OnePoint without(sum);
  EXPECT_EQ(without->flops_executed, std::nullopt);
  EXPECT_EQ(without->roof, std::nullopt);

  rooflinectl::Run run = run_of(
      {counted(sum, {{counter::kDadd, kElements}, {counter::kDmul, 1}, {counter::kDfma, kElements / 2}})});
  run.ceilings.push_back(ceiling("f64_add", CeilingKind::compute, CeilingSource::measured, 1e13));
  const OnePoint with(run);
  EXPECT_THAT(with->flops_executed, Optional(Near(2.0 * kElements + 1)));
  EXPECT_EQ(with->roof->compute_ceilings, CeilingIds{"f64_add"});
}

// ---- roof ----

TEST(RoofOverAPoint, IsTheReadBandwidthForASum) {
  const OnePoint point(float_sum("v", 1e-3));
  ASSERT_TRUE(point->roof);
  EXPECT_EQ(point->roof->memory_ceiling, "dram_read");
  EXPECT_EQ(point->roof->memory_bytes_per_s, kReadBytesPerS);
  EXPECT_EQ(point->roof->compute_ceilings, CeilingIds{"f32_add"});
  EXPECT_EQ(point->roof->compute_flop_per_s, kAddPerS);
  EXPECT_EQ(point->roof->relative_spread, 0.01);
  EXPECT_THAT(point->roof->flop_per_s, Near(*point->ai_useful * kReadBytesPerS));
  EXPECT_THAT(point->fraction_of_roofline, Optional(Near(*point->flop_per_s / point->roof->flop_per_s)));
}

TEST(RoofOverAPoint, IsThatOfItsOwnDevice) {
  const Measurement sum = float_sum("v", 1e-3);
  const double on_the_first = *OnePoint(sum)->fraction_of_roofline;
  rooflinectl::Run run = run_of({sum});
  run.devices.push_back(run.devices[0]);
  for (Ceiling ceiling : all_ceilings()) {
    ceiling.device = 1;
    ceiling.value *= 2;
    run.ceilings.push_back(ceiling);
  }
  EXPECT_THAT(OnePoint(run)->fraction_of_roofline, Optional(Near(on_the_first)));
  run.measurements[0].device = 1;
  EXPECT_THAT(OnePoint(run)->fraction_of_roofline, Optional(Near(on_the_first / 2)));
  std::erase_if(run.ceilings, [](const Ceiling& ceiling) { return ceiling.device == 1; });
  EXPECT_EQ(OnePoint(run)->fraction_of_roofline, std::nullopt);
}

TEST(Missing, IsNamedWithTheDeviceThatLacksIt) {
  rooflinectl::Run run = changed::on_two_devices(changed::ladder_run());
  changed::erase(run, "reduce_v7_multi_add", 1);
  changed::erase(run, "reduce_v8_warp_shuffle", 0);
  changed::erase(run, "reduce_v8_warp_shuffle", 1);
  const Analysis analysis = analyse(run);
  ASSERT_EQ(analysis.experiments.size(), 2U);
  EXPECT_THAT(analysis.experiments[0].missing, ElementsAre("V8"));  // measured on none: once
  EXPECT_THAT(analysis.experiments[1].missing, ElementsAre("V7"));
}

TEST(RoofOverAPoint, HasATheoreticalCounterpart) {
  const OnePoint point(float_sum("v", 1e-3));
  ASSERT_TRUE(point->theoretical_roof);
  EXPECT_EQ(point->theoretical_roof->memory_ceiling, "dram");
  EXPECT_THAT(point->fraction_of_theoretical,
              Optional(Near(*point->fraction_of_roofline * kReadBytesPerS / kTheoreticalBytesPerS)));
}

TEST(RoofOverAPoint, TakesTheCeilingOfTheTrafficsDirection) {
  const auto ceiling_for = [](double read_bytes, double written_bytes) {
    Measurement sum = float_sum("v", 1e-3);
    sum.work.read_bytes = read_bytes;
    sum.work.written_bytes = written_bytes;
    return OnePoint(sum)->roof->memory_ceiling;
  };
  EXPECT_EQ(ceiling_for(76, 24), "dram_read") << "the nearer of two";
  EXPECT_EQ(ceiling_for(74, 26), "dram_copy");
  EXPECT_EQ(ceiling_for(50, 50), "dram_copy");
  EXPECT_EQ(ceiling_for(26, 74), "dram_copy");
  EXPECT_EQ(ceiling_for(24, 76), "dram_write");
}

TEST(RoofOverAPoint, LiesBetweenTheMixesThatWereMeasured) {
  rooflinectl::Run run;
  run.ceilings = all_ceilings();
  const auto limit_for = [&](double write_share) {
    return dram_limit(run, 0, {1 - write_share, write_share});
  };
  EXPECT_THAT(limit_for(0)->per_s, Near(kReadBytesPerS));
  EXPECT_THAT(limit_for(0.1)->per_s, Near(0.8 * kReadBytesPerS + 0.2 * kCopyBytesPerS));
  EXPECT_THAT(limit_for(0.75)->per_s, Near((kCopyBytesPerS + kWriteBytesPerS) / 2));
  EXPECT_THAT(limit_for(0.1)->ceilings, ElementsAre("dram_read", "dram_copy"));
  EXPECT_THAT(limit_for(0.1)->relative_spread, Near(0.01));
  run.ceilings.push_back(ceiling("dram_mix_10", CeilingKind::bandwidth, CeilingSource::measured, 3.95e12));
  EXPECT_THAT(limit_for(0.1)->per_s, Near(3.95e12));
  EXPECT_THAT(limit_for(0.1)->ceilings, ElementsAre("dram_mix_10"));
  EXPECT_THAT(limit_for(0.05)->per_s, Near((kReadBytesPerS + 3.95e12) / 2));
  EXPECT_THAT(limit_for(1)->per_s, Near(kWriteBytesPerS));
}

// On an H200, XLA's and PyTorch's kernels are 3 to 7 % faster than the benchmarks of mixes.
TEST(RoofOverAPoint, IsNotLoweredByAMixSlowerThanReadingAndThenCopying) {
  rooflinectl::Run run;
  run.ceilings = all_ceilings();
  run.ceilings.push_back(ceiling("dram_mix_25", CeilingKind::bandwidth, CeilingSource::measured, 3e12));
  run.ceilings.push_back(ceiling("dram_mix_75", CeilingKind::bandwidth, CeilingSource::measured, 3e12));
  const auto limit_for = [&](double write_share) {
    return dram_limit(run, 0, {1 - write_share, write_share});
  };
  EXPECT_THAT(limit_for(0.25)->per_s, Near((kReadBytesPerS + kCopyBytesPerS) / 2));
  EXPECT_THAT(limit_for(0.25)->ceilings, ElementsAre("dram_read", "dram_copy"));
  EXPECT_THAT(limit_for(0.5)->per_s, Near(kCopyBytesPerS)) << "not that of reading and then writing";
  EXPECT_THAT(limit_for(0.5)->ceilings, ElementsAre("dram_copy"));
  EXPECT_THAT(limit_for(0.75)->per_s, Near((kCopyBytesPerS + kWriteBytesPerS) / 2));
  std::erase_if(run.ceilings, [](const Ceiling& one) { return one.id == "dram_copy"; });
  EXPECT_THAT(limit_for(0.5)->per_s, Near(3e12)) << "between the mixes";
}

TEST(RoofOverAPoint, OfBytesWhoseMixIsUnknownIsTheHighestCeilingOfDram) {
  rooflinectl::Run run;
  run.ceilings = all_ceilings();
  Counters counters;
  counters.emplace(counter::kDramBytes, CounterValue::measured(100));
  const auto traffic = counted_traffic(counters);
  ASSERT_TRUE(traffic);
  EXPECT_THAT(traffic->bytes(), Near(100));
  EXPECT_THAT(dram_limit(run, 0, *traffic)->ceilings, ElementsAre("dram_read"));
  EXPECT_THAT(dram_limit(run, 0, *traffic)->per_s, Near(kReadBytesPerS));
  EXPECT_THAT(dram_limit(run, 0, {50, 50})->per_s, Near(kCopyBytesPerS));
  std::erase_if(run.ceilings, [](const Ceiling& one) { return one.id.starts_with("dram"); });
  EXPECT_FALSE(dram_limit(run, 0, *traffic));
}

TEST(RoofOverAPoint, WithoutAMixOnOneSideIsTheNearestOne) {
  rooflinectl::Run run;
  run.ceilings = {ceiling("dram_copy", CeilingKind::bandwidth, CeilingSource::measured, kCopyBytesPerS)};
  EXPECT_THAT(dram_limit(run, 0, {70, 30})->per_s, Near(kCopyBytesPerS));
  run.ceilings = {ceiling("dram_read", CeilingKind::bandwidth, CeilingSource::measured, kReadBytesPerS)};
  EXPECT_THAT(dram_limit(run, 0, {96, 4})->per_s, Near(kReadBytesPerS));
  EXPECT_FALSE(dram_limit(run, 0, {70, 30}));
  EXPECT_FALSE(dram_limit(run, 0, {0, 1}));
}

TEST(RoofOverAPoint, IsTheComputeCeilingAtHighIntensity) {
  Measurement work = float_sum("v", 1);
  work.work.operations[Dtype::f32].flops = 1e15;
  const OnePoint adds(work);
  EXPECT_THAT(adds->roof->flop_per_s, Near(kAddPerS));
  EXPECT_EQ(adds->roof->relative_spread, 0);

  work.work.operations[Dtype::f32].fma_flops = 1e15;
  const OnePoint multiply_adds(work);
  EXPECT_THAT(multiply_adds->roof->flop_per_s, Near(kFmaPerS));
  EXPECT_EQ(multiply_adds->roof->compute_ceilings, CeilingIds{"f32_fma"});

  work.work.operations[Dtype::f32].fma_flops = 0.5e15;
  const OnePoint mix(work);
  EXPECT_THAT(mix->roof->flop_per_s, Near(1e15 / (0.5e15 / kFmaPerS + 0.5e15 / kAddPerS)));
  EXPECT_EQ(mix->roof->compute_ceilings, (CeilingIds{"f32_fma", "f32_add"}));
}

TEST(RoofOverAPoint, ScalesTheTheoreticalComputeCeilingToThePointsClock) {
  Measurement work = float_sum("v", 1);
  work.work.operations[Dtype::f32].flops = 1e15;
  EXPECT_THAT(OnePoint(work)->theoretical_roof->flop_per_s, Near(1.1 * kAddPerS));

  work.time->sample_clocks_hz = {1.5e9, 1.6e9, 1.7e9};
  const OnePoint slower(work);
  EXPECT_THAT(slower->theoretical_roof->flop_per_s, Near(1.1 * kAddPerS * 1.6e9 / kNominalClockHz));
  EXPECT_THAT(slower->roof->flop_per_s, Near(kAddPerS));
}

TEST(RoofOverAPoint, DoesNotScaleBandwidthToTheSmClock) {
  rooflinectl::Run run = run_of({float_sum("v", 1e-3)});
  run.measurements[0].time->sample_clocks_hz = {kNominalClockHz / 2};
  run.ceilings[0].sm_clock_hz = kNominalClockHz;
  EXPECT_EQ(OnePoint(run)->theoretical_roof->memory_bytes_per_s, kTheoreticalBytesPerS);
}

TEST(RoofOverAPoint, TakesTwo32BitAdditionsForOneOf64Bits) {
  Measurement sum = float_sum("v", 1);
  constructed::set_dtype(sum, Dtype::i64);
  sum.work.operations[Dtype::i64].flops = 1e15;
  rooflinectl::Run run = run_of({sum});
  EXPECT_EQ(OnePoint(run)->roof, std::nullopt);
  run.ceilings.push_back(ceiling("i32_add", CeilingKind::compute, CeilingSource::measured, 1e13));
  const OnePoint point(run);
  ASSERT_TRUE(point->roof);
  EXPECT_EQ(point->roof->compute_ceilings, CeilingIds{"i32_add / 2"});
  EXPECT_THAT(point->roof->flop_per_s, Near(0.5e13));
}

TEST(RoofOverAPoint, IsAbsentWithoutACeilingThatItNeeds) {
  for (const char* id : {"dram_read", "f32_add"}) {
    rooflinectl::Run run = run_of({float_sum("v", 1e-3)});
    remove_ceiling(run, id);
    const OnePoint point(run);
    EXPECT_EQ(point->roof, std::nullopt) << id;
    EXPECT_EQ(point->fraction_of_roofline, std::nullopt) << id;
    EXPECT_THAT(point->roof_missing, AllOf(HasSubstr(id), HasSubstr("`ceilings` in the plan"))) << id;
    EXPECT_EQ(point->bound, Bound::unknown) << id;
    EXPECT_THAT(point->verdict.unjudged, Contains(HasSubstr(id))) << id;
  }
}

TEST(RoofOverAPoint, NeedsNoCeilingThatItDoesNotTouch) {
  rooflinectl::Run run = run_of({float_sum("v", 1e-3)});
  for (const char* id : {"dram_write", "dram_copy", "f32_fma"}) remove_ceiling(run, id);
  EXPECT_TRUE(OnePoint(run)->roof);
}

TEST(RoofOverAPoint, OfAnIntegerSumIsATime) {
  Measurement sum = float_sum("v", 1e-3);
  constructed::set_dtype(sum, Dtype::i32);
  sum.work.operations.clear();
  const OnePoint point(counted_sum(sum, 1, 1));
  EXPECT_EQ(point->ai_useful, std::nullopt);
  EXPECT_EQ(point->flop_per_s, std::nullopt);
  EXPECT_EQ(point->flops_executed, std::nullopt);
  EXPECT_EQ(point->redundancy, std::nullopt);
  ASSERT_TRUE(point->roof);
  EXPECT_EQ(point->roof->compute_ceilings, CeilingIds{});
  EXPECT_THAT(point->fraction_of_roofline, Optional(Near((4.0 * kElements + 4) / kReadBytesPerS / 1e-3)));
  EXPECT_EQ(point->bound, Bound::latency);
}

TEST(RoofOverAPoint, OfNoWorkIsAbsent) {
  Measurement nothing = float_sum("v", 1e-6);
  nothing.point.axes.set(axis::kSize, 0);
  nothing.work = {};
  const OnePoint point(nothing);
  EXPECT_EQ(point->roof, std::nullopt);
  EXPECT_EQ(point->ai_useful, std::nullopt);
}

/// A device whose L2 holds 64 MB, and a sum of `bytes` with warm caches.
rooflinectl::Run warm_run(double bytes) {
  Measurement sum = float_sum("v", 1e-5);
  sum.point.axes.set(axis::kCache, CacheState::warm);
  sum.work = {.read_bytes = bytes, .written_bytes = 0, .operations = {{Dtype::f32, {.flops = bytes / 4}}}};
  rooflinectl::Run run = run_of({sum});
  run.devices[0].l2_bytes = 64'000'000;
  run.ceilings.push_back(ceiling("l2_read", CeilingKind::bandwidth, CeilingSource::measured, 8e12));
  return run;
}

TEST(RoofOverAPoint, IsThatOfL2WhereWarmCachesHoldTheData) {
  const OnePoint point(warm_run(32e6));
  ASSERT_TRUE(point->roof);
  EXPECT_EQ(point->roof->level, MemoryLevel::l2);
  EXPECT_EQ(point->roof->memory_ceiling, "l2_read");
  EXPECT_EQ(point->roof->memory_bytes_per_s, 8e12);
  EXPECT_THAT(point->fraction_of_roofline, Optional(Near(32e6 / 8e12 / 1e-5)));
}

TEST(RoofOverAPoint, OfWarmDataBeyondL2IsThatOfTheLevelThatTakesLongest) {
  // 80 MB: 16 MB of them from DRAM, all of them through L2.
  EXPECT_EQ(OnePoint(warm_run(80e6))->roof->memory_ceiling, "l2_read");
  const OnePoint beyond(warm_run(256e6));
  EXPECT_EQ(beyond->roof->memory_ceiling, "dram_read");
  EXPECT_THAT(beyond->roof->time_s, Near(192e6 / kReadBytesPerS));
  EXPECT_THAT(beyond->roof->flop_per_s, Near(*beyond->ai_useful * beyond->roof->memory_bytes_per_s));
}

TEST(RoofOverAPoint, OfWarmDataTakesTheDramBytesThatWereCounted) {
  rooflinectl::Run run = warm_run(256e6);
  run.measurements[0] =
      counted(run.measurements[0], {{counter::kDramReadBytes, 250e6}, {counter::kDramWriteBytes, 0}});
  EXPECT_THAT(OnePoint(run)->roof->time_s, Near(250e6 / kReadBytesPerS));
  run.measurements[0] = counted(run.measurements[0], {{counter::kDramReadBytes, 1e6}});
  EXPECT_EQ(OnePoint(run)->roof->memory_ceiling, "l2_read");
  EXPECT_THAT(OnePoint(run)->flags, Not(Contains(Flag::cache_resident)))
      << "warm caches are expected to serve the data";
}

TEST(RoofOverAPoint, OfWarmDataNamesTheCeilingThatIsMissing) {
  rooflinectl::Run run = warm_run(32e6);
  remove_ceiling(run, "l2_read");
  const OnePoint point(run);
  EXPECT_EQ(point->roof, std::nullopt);
  EXPECT_THAT(point->roof_missing, HasSubstr("l2_read"));
  // Hardly any of 4 GB fits into L2: DRAM alone serves them.
  rooflinectl::Run large = warm_run(4e9);
  remove_ceiling(large, "l2_read");
  EXPECT_EQ(OnePoint(large)->roof->memory_ceiling, "dram_read");
}

TEST(RoofOverAPoint, OfColdDataIsThatOfDramRegardlessOfCounters) {
  rooflinectl::Run run = warm_run(32e6);
  run.measurements[0].point.axes.set(axis::kCache, CacheState::cold);
  run.plan.experiments[0].points[0] = run.measurements[0].point;
  run.measurements[0] =
      counted(run.measurements[0], {{counter::kDramReadBytes, 1e6}, {counter::kDramWriteBytes, 0}});
  const OnePoint point(run);
  EXPECT_EQ(point->roof->memory_ceiling, "dram_read");
  EXPECT_THAT(point->flags, Contains(Flag::cache_resident));
}

/// min(compute, intensity × bandwidth) is the textbook form of the roof; the code derives it from times.
TEST(RoofOverAPoint, IsTheSmallerOfTheTwoCeilingsAtEveryIntensity) {
  for (double flops = 1; flops < 1e18; flops *= 7) {
    Measurement work = float_sum("v", 1);
    work.work.operations[Dtype::f32].flops = flops;
    const OnePoint point(work);
    EXPECT_THAT(point->roof->flop_per_s, Near(std::min(kAddPerS, *point->ai_useful * kReadBytesPerS)));
  }
}

TEST(Precision, OfTheOperationsChoosesTheCeilings) {
  const auto with_ceilings = [](Measurement measurement) {
    rooflinectl::Run run = run_of({std::move(measurement)});
    run.ceilings.push_back(ceiling("i32_add", CeilingKind::compute, CeilingSource::measured, 16e12));
    run.ceilings.push_back(ceiling("f16_fma", CeilingKind::compute, CeilingSource::measured, 120e12));
    return run;
  };
  Measurement integers = float_sum("v", 1e-3);
  constructed::set_dtype(integers, Dtype::i32);
  const OnePoint sum(with_ceilings(integers));
  EXPECT_EQ(sum->precision, Dtype::i32);
  EXPECT_EQ(sum->roof->compute_ceilings, CeilingIds{"i32_add"});
  EXPECT_EQ(sum->flop_per_s, sum->flops_useful / 1e-3);

  Measurement halves = float_sum("v", 1e-3);
  constructed::set_dtype(halves, Dtype::f16);
  EXPECT_EQ(OnePoint(with_ceilings(halves))->roof->compute_ceilings, CeilingIds{"f32_add"})
      << "accumulated in f32";
  constructed::set_precision(halves, Dtype::f16);
  EXPECT_EQ(OnePoint(with_ceilings(halves))->roof->compute_ceilings, CeilingIds{"f16_fma / 2"});
  halves.work.operations[Dtype::f16].fma_flops = halves.work.flops();
  EXPECT_EQ(OnePoint(with_ceilings(halves))->roof->compute_ceilings, CeilingIds{"f16_fma"});
}

// ---- levels ----

rooflinectl::Run with_cache_ceilings(rooflinectl::Run run) {
  run.ceilings.push_back(ceiling("l2_read", CeilingKind::bandwidth, CeilingSource::measured, 8e12));
  run.ceilings.push_back(ceiling("l1_read", CeilingKind::bandwidth, CeilingSource::measured, 30e12));
  run.ceilings.push_back(ceiling("shared_read", CeilingKind::bandwidth, CeilingSource::measured, 32e12));
  return run;
}

/// A counted sum of 1 ms that moved these bytes at each level.
Measurement with_levels(double dram, double l2, double l1, double shared) {
  Measurement sum = float_sum("v", 1e-3);
  sum.counters.emplace(counter::kWarpInstructions, CounterValue::measured(1000));
  sum.counters.emplace(counter::kL2AtomicOperations, CounterValue::measured(0));
  sum.counters.emplace(counter::kDramReadBytes, CounterValue::measured(dram));
  sum.counters.emplace(counter::kDramWriteBytes, CounterValue::measured(0));
  sum.counters.emplace(counter::kL2Bytes, CounterValue::measured(l2));
  sum.counters.emplace(counter::kL1Bytes, CounterValue::measured(l1));
  sum.counters.emplace(counter::kSharedBytes, CounterValue::measured(shared));
  return sum;
}

TEST(Levels, HaveAnIntensityAndAUtilisationEach) {
  const OnePoint point(with_cache_ceilings(run_of({with_levels(2e9, 4e9, 3e9, 8e9)})));
  ASSERT_EQ(point->levels.size(), 4U);
  const LevelUse& l2 = point->levels[1];
  EXPECT_EQ(l2.level, MemoryLevel::l2);
  EXPECT_THAT(l2.ai, Optional(Near(point->flops_useful / 4e9)));
  EXPECT_EQ(l2.ceiling, "l2_read");
  EXPECT_THAT(l2.utilisation, Optional(Near(4e9 / 1e-3 / 8e12)));
  EXPECT_EQ(point->busiest_level, MemoryLevel::dram) << "2 TB/s of 4";
  EXPECT_EQ(point->bound, Bound::latency) << "no level runs at 60 % of its ceiling";
}

TEST(Levels, BoundThePointWhereUtilisationIsHighest) {
  EXPECT_EQ(OnePoint(with_cache_ceilings(run_of({with_levels(2e9, 6e9, 0, 0)})))->bound, Bound::l2);
  EXPECT_EQ(OnePoint(with_cache_ceilings(run_of({with_levels(2e9, 2e9, 24e9, 0)})))->bound, Bound::l1);
  EXPECT_EQ(OnePoint(with_cache_ceilings(run_of({with_levels(2e9, 2e9, 0, 25e9)})))->bound, Bound::shared);
  EXPECT_EQ(OnePoint(with_cache_ceilings(run_of({with_levels(3.9e9, 7e9, 0, 25e9)})))->bound, Bound::dram);
}

/// A sum whose GPU receives that many bytes from others.
Measurement with_link(double bytes) {
  Measurement sum = float_sum("v", 1e-3);
  sum.work.link_bytes = bytes;
  return sum;
}

rooflinectl::Run with_nvlink(rooflinectl::Run run) {
  for (const auto source : {CeilingSource::measured, CeilingSource::theoretical}) {
    run.ceilings.push_back({.id = "nvlink",
                            .kind = CeilingKind::transfer,
                            .source = source,
                            .subject = "nvlink",
                            .value = source == CeilingSource::measured ? 400e9 : 500e9});
  }
  return run;
}

TEST(Nvlink, IsAThirdRoof) {
  const OnePoint bound(with_nvlink(run_of({with_link(300e6)})));
  EXPECT_EQ(bound->roof->resource, Bound::nvlink);
  EXPECT_EQ(bound->roof->ceilings, CeilingIds{"nvlink"});
  EXPECT_THAT(bound->fraction_of_roofline, Optional(Near(300e6 / 400e9 / 1e-3)));
  EXPECT_THAT(bound->fraction_of_theoretical, Optional(Near(300e6 / 500e9 / 1e-3)));
  EXPECT_THAT(bound->roof->flop_per_s, Near(bound->flops_useful / 300e6 * 400e9)) << "I_net times BW_net";
  EXPECT_EQ(bound->bound, Bound::nvlink);
  const OnePoint other(with_nvlink(run_of({with_link(8)})));
  EXPECT_EQ(other->roof->resource, Bound::dram);
  EXPECT_NE(other->bound, Bound::nvlink);
}

TEST(Nvlink, IsMissedOnlyWhereItCouldMatter) {
  const OnePoint few_bytes(run_of({with_link(8)}));
  EXPECT_TRUE(few_bytes->roof);
  const OnePoint many_bytes(run_of({with_link(300e6)}));
  EXPECT_FALSE(many_bytes->roof);
  EXPECT_EQ(many_bytes->roof_missing,
            "the ceiling nvlink was not measured: add it to `ceilings` in the plan");
  EXPECT_THAT(many_bytes->verdict.unjudged,
              Contains(StartsWith("NVLink: the ceiling nvlink was not measured")));
}

TEST(Levels, NameNoLimitWithoutCeilingsOrCounters) {
  const OnePoint uncounted(float_sum("v", 1e-3));
  EXPECT_THAT(uncounted->levels, IsEmpty());
  EXPECT_EQ(uncounted->busiest_level, std::nullopt);
  const OnePoint no_cache_ceilings(with_levels(1e9, 100e9, 0, 0));
  EXPECT_EQ(no_cache_ceilings->levels[1].utilisation, std::nullopt);
  EXPECT_EQ(no_cache_ceilings->busiest_level, MemoryLevel::dram);
}

// ---- what cannot be right ----

TEST(Implausible, IsAUtilisationAboveOneBeyondTheSpread) {
  EXPECT_THAT(OnePoint(with_cache_ceilings(run_of({with_levels(2e9, 8.1e9, 0, 0)})))->implausible, IsEmpty());
  const OnePoint above(with_cache_ceilings(run_of({with_levels(2e9, 9e9, 0, 0)})));
  EXPECT_THAT(above->implausible,
              ElementsAre(testing::Property(&Implausible::text,
                                            AllOf(HasSubstr("112.5 % of l2_read"), HasSubstr("--fresh")))));
  EXPECT_THAT(above->levels[1].utilisation, Optional(Near(1.125))) << "shown as it is";
}

TEST(Implausible, NamesTheLikelyCauseOfAPointAboveItsRoof) {
  const double too_fast_s = 4.0 * kElements / (1.2 * kReadBytesPerS);
  EXPECT_THAT(OnePoint(float_sum("v", too_fast_s))->implausible,
              ElementsAre(testing::Field(&Implausible::cause, HasSubstr("nothing was counted"))));
  const OnePoint resident(counted_sum(float_sum("v", too_fast_s), 0.1, 1));
  EXPECT_THAT(
      resident->implausible,
      ElementsAre(testing::Field(&Implausible::cause, HasSubstr("a cache delivered part of the input"))));
}

// ---- ceilings ----

TEST(CeilingPairs, CompareAtTheClockOfTheMeasurement) {
  rooflinectl::Run run = run_of({});
  for (Ceiling& entry : run.ceilings) {
    if (entry.id == "f32_add" && entry.source == CeilingSource::measured)
      entry.sm_clock_hz = 0.95 * kNominalClockHz;
  }
  for (const CeilingPair& pair : ceiling_pairs(run)) {
    if (pair.measured == nullptr || pair.measured->id != "f32_add") continue;
    EXPECT_THAT(pair.theoretical_at_clock, Optional(Near(0.95 * 1.1 * kAddPerS)));
    EXPECT_THAT(pair.fraction, Optional(Near(1 / (0.95 * 1.1))));
    EXPECT_THAT(pair.findings, IsEmpty());
  }
}

TEST(CeilingPairs, AreOrderedAndShowWhatWasNotMeasured) {
  rooflinectl::Run run = with_cache_ceilings(run_of({}));
  run.ceilings.push_back(ceiling("bf16_tensor", CeilingKind::compute, CeilingSource::theoretical, 1e15));
  for (Ceiling& entry : run.ceilings) {
    entry.subject = entry.id.substr(0, entry.id.find('_'));
    if (entry.id.ends_with("_tensor")) entry.operation = "tensor";
  }
  std::vector<std::string> ids;
  for (const CeilingPair& pair : ceiling_pairs(run)) {
    ids.push_back((pair.measured != nullptr ? pair.measured : pair.theoretical)->id);
  }
  EXPECT_THAT(ids, ElementsAre("dram_copy", "dram_read", "dram_write", "l2_read", "l1_read", "shared_read",
                               "f32_add", "f32_fma", "bf16_tensor", "graph_node", "launch"));
}

TEST(CeilingPairs, LatenciesAreNotComparedWithBandwidths) {
  rooflinectl::Run run = run_of({});
  for (const char* id : {"atomic_f32", "dram_latency"})
    run.ceilings.push_back(ceiling(id, CeilingKind::latency, CeilingSource::measured, 6e-7));
  run.ceilings.back().subject = "dram";
  run.ceilings.back().operation = "latency";
  const std::vector<CeilingPair> pairs = ceiling_pairs(run);
  const auto latency = std::find_if(pairs.begin(), pairs.end(), [](const CeilingPair& pair) {
    return pair.measured != nullptr && pair.measured->id == "dram_latency";
  });
  ASSERT_NE(latency, pairs.end());
  EXPECT_EQ(latency->theoretical, nullptr);
  EXPECT_EQ(latency->fraction, std::nullopt);
  EXPECT_THAT(latency->findings, IsEmpty());
}

TEST(CeilingPairs, GiveReasonsToDistrustAMeasurement) {
  rooflinectl::Run run = run_of({});
  for (Ceiling& entry : run.ceilings) {
    entry.subject = entry.id.substr(0, entry.id.find('_'));
    if (entry.id == "dram_read") entry.value = 1.05 * kTheoreticalBytesPerS;
    if (entry.id == "dram_copy")
      entry.confirmation = Confirmation{false, "counted 0.5 of the declared bytes"};
  }
  for (const CeilingPair& pair : ceiling_pairs(run)) {
    if (pair.measured == nullptr) continue;
    if (pair.measured->id == "dram_read") {
      EXPECT_THAT(pair.findings, ElementsAre(HasSubstr("105.0 % of theoretical")));
    } else if (pair.measured->id == "dram_copy") {
      EXPECT_THAT(pair.findings, ElementsAre("not confirmed: counted 0.5 of the declared bytes"));
    } else {
      EXPECT_THAT(pair.findings, IsEmpty()) << pair.measured->id;
    }
  }
}

// ---- bound ----

constexpr double kReadTimeS = 4.0 * kElements / kReadBytesPerS;

TEST(BoundOfAPoint, IsDramFromSixtyPercentOfTheCeiling) {
  EXPECT_EQ(OnePoint(counted_sum(float_sum("v", kReadTimeS / 0.61), 1, 1))->bound, Bound::dram);
  EXPECT_EQ(OnePoint(counted_sum(float_sum("v", kReadTimeS / 0.59), 1, 1))->bound, Bound::latency);
}

TEST(BoundOfAPoint, SeesExcessTraffic) {
  // Half of the read ceiling in useful bytes, but as much again is written back: nearly all of the copy
  // ceiling.
  const Measurement in_place = counted(counted_sum(float_sum("v", 2 * kReadTimeS), 1, 1),
                                       {{counter::kDramWriteBytes, 0.7 * 4.0 * kElements}});
  EXPECT_EQ(OnePoint(in_place)->bound, Bound::dram);
}

TEST(BoundOfAPoint, IsComputeWhereArithmeticIsBusierThanMemory) {
  const double compute_time_s = (kElements - 1.0) / kAddPerS;
  Measurement resident = counted_sum(float_sum("v", 10 * compute_time_s), 0.01, 9);
  EXPECT_EQ(OnePoint(resident)->bound, Bound::fp32);
}

TEST(BoundOfAPoint, IsLaunchWithinThreeTimesAnEmptyKernel) {
  Measurement small = counted_sum(float_sum("v", 0), 1e-6, 1e-6);
  small.work.read_bytes = 4096;
  small.work.operations[Dtype::f32].flops = 1023;
  const auto bound_at = [&](double time_s, int launches_per_sample) {
    small.time->median_s = time_s;
    small.time->launches_per_sample = launches_per_sample;
    return OnePoint(small)->bound;
  };
  EXPECT_EQ(bound_at(2.9 * kLaunchS, 1), Bound::launch_overhead);
  EXPECT_EQ(bound_at(3.1 * kLaunchS, 1), Bound::latency);
  EXPECT_EQ(bound_at(2.9 * kGraphNodeS, 8), Bound::launch_overhead);
  EXPECT_EQ(bound_at(3.1 * kGraphNodeS, 8), Bound::latency);
}

TEST(BoundOfAPoint, IsDramEvenForShortLaunchesWithMuchTraffic) {
  Measurement small = float_sum("v", 2.5 * kGraphNodeS);
  small.time->launches_per_sample = 8;
  small.work.read_bytes = 0.8 * kReadBytesPerS * small.time->median_s;
  small.work.operations[Dtype::f32].flops = small.work.read_bytes / 4;
  EXPECT_EQ(OnePoint(small)->bound, Bound::dram);
}

TEST(BoundOfAPoint, NeedsNoDramCeilingWhereNothingCameFromDram) {
  rooflinectl::Run run = run_of({counted_sum(float_sum("v", 1e-3), 0, 1)});
  remove_ceiling(run, "dram_copy");
  EXPECT_EQ(OnePoint(run)->bound, Bound::latency);
}

TEST(BoundOfAPoint, IsUnknownWithoutATime) {
  Measurement untimed = counted_sum(float_sum("v", 1), 1, 1);
  untimed.time.reset();
  const OnePoint point(untimed);
  EXPECT_EQ(point->bound, Bound::unknown);
  EXPECT_EQ(point->flop_per_s, std::nullopt);
  EXPECT_EQ(point->fraction_of_roofline, std::nullopt);
  EXPECT_TRUE(point->roof);
}

TEST(BoundOfAPoint, HasOneNameEverywhere) {
  EXPECT_EQ(to_string(Bound::dram), "dram");
  EXPECT_EQ(to_string(Bound::issue_slots), "issue-slots");
  EXPECT_EQ(words_for(Bound::issue_slots).label, "issue slots");
  EXPECT_EQ(words_for(Bound::issue_slots).phrase, "issue-bound");
  std::size_t place = 0;
  for (const BoundWords& words : bound_words()) {
    EXPECT_EQ(words.bound, static_cast<Bound>(place++));
    EXPECT_EQ(&words_for(words.bound), &words);
    EXPECT_FALSE(words.id.empty() || words.label.empty() || words.phrase.empty() || words.meaning.empty());
  }
  EXPECT_EQ(place, static_cast<std::size_t>(Bound::unknown) + 1);
}

/// A counted sum at a tenth of the roof, on a device with 100 SMs at 2 GHz that holds 4 blocks on each, and
/// with all ceilings.
struct Waiting {
  Measurement sum = counted(
      counted_sum(float_sum("v", 10 * kReadTimeS), 1, 1),
      {{counter::kOccupancy, 0.5}, {counter::kActiveWarpCycles, 100}, {counter::kBarrierStallWarpCycles, 0}});
  std::vector<Ceiling> more;

  Waiting() {
    sum.launch = {.grid = 40'000, .block = 256};
    sum.resources = KernelResources{.blocks_per_sm = 4};
    sum.time->sample_clocks_hz = {2e9};
    add("atomic_f32", 1e-9);
    add("dram_latency", 500e-9);
  }
  void add(std::string id, double value) {
    more.push_back(ceiling(std::move(id), CeilingKind::latency, CeilingSource::measured, value));
  }
  rooflinectl::Run run() const {
    rooflinectl::Run made = run_of({sum});
    made.ceilings.insert(made.ceilings.end(), more.begin(), more.end());
    return made;
  }
  Bound bound() const { return OnePoint(run())->bound; }
};

TEST(BoundOfAPoint, IsLatencyOnlyWhereNothingElseHolds) {
  EXPECT_EQ(Waiting().bound(), Bound::latency);
}

TEST(BoundOfAPoint, IsIssueSlotsWhereTheSchedulersAreBusy) {
  Waiting waiting;
  const double slots = 10 * kReadTimeS * 2e9 * 100 * 4;
  waiting.sum = counted(waiting.sum, {{counter::kWarpInstructions, 0.61 * slots}});
  EXPECT_EQ(waiting.bound(), Bound::issue_slots);
  waiting.sum = counted(waiting.sum, {{counter::kWarpInstructions, 0.59 * slots}});
  EXPECT_EQ(waiting.bound(), Bound::latency);
}

TEST(BoundOfAPoint, IsAtomicsWhereTheirSerialTimeDominates) {
  Waiting waiting;
  waiting.sum = counted(waiting.sum, {{counter::kL2AtomicOperations, 0.61 * 10 * kReadTimeS / 1e-9}});
  EXPECT_EQ(waiting.bound(), Bound::atomics);
  waiting.sum.work.written_bytes = 400;  // a hundred results
  EXPECT_EQ(waiting.bound(), Bound::latency);
}

TEST(BoundOfAPoint, IsUnknownWhereAtomicsMayMatterAndTheirCeilingIsMissing) {
  Waiting waiting;
  waiting.more.erase(waiting.more.begin());
  EXPECT_EQ(waiting.bound(), Bound::latency) << "there are no atomics";
  waiting.sum = counted(waiting.sum, {{counter::kL2AtomicOperations, 1e6}});
  const rooflinectl::Run run = waiting.run();
  EXPECT_EQ(OnePoint(run)->bound, Bound::unknown);
  EXPECT_THAT(OnePoint(run)->verdict.unjudged, Contains(HasSubstr("atomic_f32")));
}

TEST(BoundOfAPoint, IsBytesInFlightByLittlesLaw) {
  Waiting waiting;
  // 1 GiB takes 10 × 0.27 ms. 400 resident blocks with 100 kB each in flight would take 500 ns for 40 MB.
  waiting.sum.launch.grid = 4000;
  waiting.sum.launch.bytes_in_flight_per_block = 0.5e-6 * 4.0 * kElements / 400 / (0.61 * 10 * kReadTimeS);
  EXPECT_EQ(waiting.bound(), Bound::bytes_in_flight);
  *waiting.sum.launch.bytes_in_flight_per_block *= 0.61 / 0.59;
  EXPECT_EQ(waiting.bound(), Bound::latency);
  // No block has more bytes in flight than it reads in total.
  waiting.sum.launch.grid = 400'000;
  waiting.sum.launch.bytes_in_flight_per_block.reset();
  waiting.sum.time->median_s = 0.5e-6 * 1000 / 0.61;
  EXPECT_EQ(waiting.bound(), Bound::bytes_in_flight);
}

TEST(BoundOfAPoint, IsBarriersWhereWarpsSpendMostOfTheTimeWaiting) {
  Waiting waiting;
  waiting.sum = counted(waiting.sum, {{counter::kBarrierStallWarpCycles, 51}});
  EXPECT_EQ(waiting.bound(), Bound::barriers);
  waiting.sum = counted(waiting.sum, {{counter::kBarrierStallWarpCycles, 49}});
  EXPECT_EQ(waiting.bound(), Bound::latency);
}

TEST(BoundOfAPoint, IsTheTailWhereManyBlockSlotsStayEmpty) {
  Waiting waiting;
  waiting.sum.launch.grid = 450;  // 1.125 waves: the second is nearly empty
  EXPECT_EQ(waiting.bound(), Bound::tail);
  waiting.sum.launch.grid = 200;  // half a wave, with many loads for each thread
  EXPECT_EQ(waiting.bound(), Bound::tail);
  waiting.sum.launch.grid = 400;
  EXPECT_EQ(waiting.bound(), Bound::latency);
}

TEST(BoundOfAPoint, IsNotTheTailWhereTheInputIsTooSmallForMoreBlocks) {
  Waiting waiting;
  waiting.sum.launch.grid = 1;
  waiting.sum.work.read_bytes = 256 * 31 * 16;
  EXPECT_EQ(waiting.bound(), Bound::latency);
  // The same bytes by loads of two bytes, one after another, could be shared.
  waiting.sum.launch.bytes_in_flight_per_block = 256 * 2;
  waiting.sum.work.read_bytes = 256 * 32 * 2;
  EXPECT_EQ(waiting.bound(), Bound::tail);
}

TEST(BoundOfAPoint, IsUnknownWithoutCounters) {
  Waiting waiting;
  waiting.sum.counters.clear();
  EXPECT_EQ(waiting.bound(), Bound::unknown);
}

TEST(BoundOfAPoint, IsTheResourceOfTheLargestShare) {
  Waiting waiting;
  const double slots = 10 * kReadTimeS * 2e9 * 100 * 4;
  waiting.sum = counted(waiting.sum, {{counter::kWarpInstructions, 0.7 * slots},
                                      {counter::kL2AtomicOperations, 0.65 * 10 * kReadTimeS / 1e-9}});
  const rooflinectl::Run run = waiting.run();
  const OnePoint point(run);
  EXPECT_EQ(point->bound, Bound::issue_slots);
  ASSERT_GE(point->verdict.shares.size(), 2u);
  EXPECT_EQ(point->verdict.shares[1].resource, Bound::atomics);
  EXPECT_NEAR(point->verdict.shares[1].share, 0.65, 1e-9);
}

// ---- flags ----

TEST(Flags, AreAbsentFromAnOrdinaryPoint) {
  EXPECT_THAT(OnePoint(counted_sum(float_sum("v", kReadTimeS / 0.9), 1, 1))->flags, IsEmpty());
}

TEST(Flags, FollowTheTime) {
  Measurement sum = counted_sum(float_sum("v", 1e-3), 1, 1);
  sum.time->noisy = true;
  sum.time->throttled_samples = 1;
  EXPECT_THAT(OnePoint(sum)->flags, ElementsAre(Flag::noisy, Flag::throttled));
}

TEST(Flags, APowerCapOverHalfOfTheSamplesIsNotThrottling) {
  Measurement sum = counted_sum(float_sum("v", 1e-3), 1, 1);
  sum.time->samples_s.assign(10, 1e-3);
  sum.time->clock_event_reasons = {{{"power cap", 5}}};
  EXPECT_THAT(OnePoint(sum)->flags, ElementsAre(Flag::power_capped));
  sum.time->clock_event_reasons = {{{"power cap", 4}, {"application clocks", 10}}};
  EXPECT_THAT(OnePoint(sum)->flags, IsEmpty());
}

TEST(Flags, ALaunchThatDoesNotRepeatIsNamedWithTheEvidence) {
  Measurement sum = counted_sum(float_sum("v", kReadTimeS / 0.9), 1, 1);
  sum.counters.insert_or_assign(std::string(counter::kWarpInstructions), CounterValue::measured(1600));
  sum.counters.emplace(std::string(counter::kWarpInstructionsSass), CounterValue::measured(1600));
  EXPECT_THAT(OnePoint(sum)->flags, IsEmpty());
  sum.counters.insert_or_assign(std::string(counter::kWarpInstructionsSass), CounterValue::measured(1700));
  EXPECT_THAT(OnePoint(sum)->flags, ElementsAre(Flag::not_repeatable));
  EXPECT_THAT(OnePoint(sum)->evidence,
              ElementsAre("the hardware counted 1600 warp instructions, instrumentation "
                          "1700 in another launch: 5.9 % apart"));
  sum.counter_spread = {{std::string(counter::kIntegerOps), 0.25}};
  sum.counter_repeats = 3;
  EXPECT_THAT(OnePoint(sum)->evidence,
              ElementsAre("integer_ops differs by 25 % between 3 counts of the same launch"));
}

TEST(Flags, OperationsOfEveryFloatingPointTypeMustRepeat) {
  for (const std::string_view key :
       {counter::kFadd, counter::kFfma2, counter::kDfma, counter::kHmul, counter::kTensorF16Ops,
        counter::kTensorBf16Ops, counter::kTensorTf32Ops, counter::kTensorF8Ops, counter::kTensorF64Ops}) {
    Measurement sum = counted_sum(float_sum("v", kReadTimeS / 0.9), 1, 1);
    sum.counter_spread = {{std::string(key), 0.25}};
    EXPECT_THAT(OnePoint(sum)->flags, ElementsAre(Flag::not_repeatable)) << key;
  }
}

TEST(SmClock, IsThatOfTheSamplesOfTheMedian) {
  Measurement sum = float_sum("v", 1e-3);
  sum.time->sample_clocks_hz = {0, 2e9, 1e9, 1.8e9};
  EXPECT_EQ(sm_clock_hz(sum), 1.8e9);  // in an older run, a clock that could not be read is unknown, not low
  sum.time->throttled_samples = 1;
  EXPECT_EQ(sm_clock_hz(sum), 1.9e9);
  sum.time->sm_clock_hz = 1.7e9;
  EXPECT_EQ(sm_clock_hz(sum), 1.7e9);
  sum.time->sm_clock_hz.reset();
  sum.time->sample_clocks_hz = {0, 0};
  EXPECT_EQ(sm_clock_hz(sum), std::nullopt);
}

TEST(Flags, FollowTheStatus) {
  Measurement sum = counted_sum(float_sum("v", 1e-3), 1, 1);
  sum.status = Status::unverified;
  EXPECT_THAT(OnePoint(sum)->flags, ElementsAre(Flag::unverified));
  sum.status = Status::failed;
  sum.time.reset();
  sum.counters.clear();
  EXPECT_THAT(OnePoint(sum)->flags, ElementsAre(Flag::failed));
}

TEST(Flags, IncludeDeclaredWhenNothingWasCounted) {
  EXPECT_THAT(OnePoint(float_sum("v", 1e-3))->flags, ElementsAre(Flag::declared));
  Measurement refused = float_sum("v", 1e-3);
  refused.counters.emplace("fadd", CounterValue::unavailable("no permission"));
  EXPECT_THAT(OnePoint(refused)->flags, ElementsAre(Flag::declared));
}

TEST(Flags, IncludeCacheResidentBelowNinetyPercentOfTheCompulsoryBytes) {
  EXPECT_THAT(OnePoint(counted_sum(float_sum("v", 1e-3), 0.89, 1))->flags, Contains(Flag::cache_resident));
  EXPECT_THAT(OnePoint(counted_sum(float_sum("v", 1e-3), 0.91, 1))->flags,
              Not(Contains(Flag::cache_resident)));
}

TEST(Flags, IncludeAboveRoofBeyondTheSpreadAndTheInterval) {
  // The read ceiling has a spread of 1 %; the interval of the median adds its half-width of 2 %.
  const auto flags_at = [](double fraction, double half_width) {
    Measurement sum = counted_sum(float_sum("v", kReadTimeS / fraction), 1, 1);
    sum.time->ci_low_s *= 1 - half_width;
    sum.time->ci_high_s *= 1 + half_width;
    return OnePoint(sum)->flags;
  };
  EXPECT_THAT(flags_at(1.009, 0), IsEmpty());
  EXPECT_THAT(flags_at(1.011, 0), ElementsAre(Flag::above_roof));
  EXPECT_THAT(flags_at(1.029, 0.02), IsEmpty());
  EXPECT_THAT(flags_at(1.031, 0.02), ElementsAre(Flag::above_roof));
}

// ---- labels ----

TEST(Labels, AreThoseOfTheCatalogueIfThatIsEnough) {
  rooflinectl::Run run = run_of({float_sum("reduce_v0", 1), float_sum("reduce_v1", 1)});
  run.catalogue.variants[0].label = "V0";
  run.catalogue.variants[1].label = "V1";
  EXPECT_THAT(labels_of(run), ElementsAre("V0", "V1"));
}

TEST(Labels, NameOnlyWhatDiffersWithinAVariant) {
  std::vector<Measurement> sums(7, float_sum("a", 1));
  sums[1].point.axes.set(axis::kBlock, 128);
  for (std::size_t i : {2, 3, 4, 5, 6}) sums[i].point.subject = "b";
  sums[3].point.axes.set(axis::kElements, 8);
  sums[4].point.axes.set(axis::kSize, 1 << 20);
  sums[5].point.axes.set(axis::kDtype, Dtype::f16);
  sums[6].point.axes.set(axis::kCache, CacheState::warm);
  rooflinectl::Run run = run_of(sums);
  run.catalogue.variants[0].label = "A";
  run.catalogue.variants[1].label = "B";
  EXPECT_THAT(labels_of(run), ElementsAre("A b256", "A b128", "B 2^28 f32 cold", "B e8 2^28 f32 cold",
                                          "B 2^20 f32 cold", "B 2^28 f16 cold", "B 2^28 f32 warm"));
}

TEST(Labels, WriteSizesThatAreNoPowersOfTwoInFull) {
  std::vector<Measurement> sums(4, float_sum("a", 1));
  sums[0].point.axes.set(axis::kSize, 1000);
  sums[1].point.axes.set(axis::kSize, 0);
  sums[2].point.axes.set(axis::kSize, 64);
  sums[3].point.axes.set(axis::kSize, (1ull << 32) + 1);
  rooflinectl::Run run = run_of(sums);
  run.catalogue.variants[0].label = "A";
  EXPECT_THAT(labels_of(run), ElementsAre("A 1000", "A 0", "A 64", "A 4294967297"));
}

TEST(Labels, AreIdsWhereTwoVariantsShareALabelOrTheCatalogueHasNone) {
  rooflinectl::Run run =
      run_of({float_sum("reduce_v6_a", 1), float_sum("reduce_v6_b", 1), float_sum("reduce_v7", 1)});
  run.catalogue.variants[0].label = "V6";
  run.catalogue.variants[1].label = "V6";
  run.catalogue.variants.pop_back();
  EXPECT_THAT(labels_of(run), ElementsAre("reduce_v6_a", "reduce_v6_b", "reduce_v7"));
}

TEST(Labels, AreUniqueForEveryCombinationOfAttributes) {
  std::vector<Measurement> sums;
  for (unsigned bits = 0; bits < 128; ++bits) {
    Measurement sum = float_sum(bits & 1 ? "a" : "b", 1);
    if (bits & 2) sum.point.axes.set(axis::kBlock, 512);
    if (bits & 4) sum.point.axes.set(axis::kSize, 12345);
    if (bits & 8) constructed::set_dtype(sum, Dtype::f16);
    if (bits & 16) sum.point.axes.set(axis::kCache, CacheState::warm);
    if (bits & 32) sum.point.axes.set(axis::kElements, 8);
    if (bits & 64) sum.point.axes.set(axis::kMode, LaunchMode::plain);
    sums.push_back(sum);
  }
  std::vector<std::string> labels = labels_of(run_of(sums));
  std::sort(labels.begin(), labels.end());
  EXPECT_EQ(labels.size(), 128u);
  EXPECT_EQ(std::adjacent_find(labels.begin(), labels.end()), labels.end());
}

// ---- ladder ----

/// The steps of the first experiment as `from→to`, by variant and block size.
std::vector<std::string> steps_of(const Analysis& analysis) {
  std::vector<std::string> steps;
  for (const LadderStep& step : analysis.experiments.at(0).steps) {
    const auto text = [](const RooflinePoint& point) {
      return fmt::format("{}.{}", point.measurement->point.subject,
                         *point.measurement->point.axes.number(axis::kBlock));
    };
    steps.push_back(text(*step.from) + "→" + text(*step.to));
  }
  return steps;
}

TEST(Ladder, StepsFromEachVersionToTheNext) {
  const rooflinectl::Run run = run_of({float_sum("v0", 4e-3), float_sum("v1", 3e-3), float_sum("v2", 1e-3)});
  const Analysis analysis = analyse(run);
  EXPECT_THAT(steps_of(analysis), ElementsAre("v0.256→v1.256", "v1.256→v2.256"));
  EXPECT_DOUBLE_EQ(analysis.experiments[0].steps[0].speedup, 4.0 / 3);
  EXPECT_DOUBLE_EQ(analysis.experiments[0].steps[1].speedup, 3);
}

/// A kernel from a file with one result.
FileKernel file_kernel(const std::string& id, const std::string& result) {
  FileKernel kernel;
  kernel.id = id;
  FileKernelArgument argument;
  argument.name = result;
  argument.kind = ArgumentKind::out;
  kernel.arguments = {argument};
  return kernel;
}

TEST(Ladder, StepsBetweenKernelsFromFilesThatWriteTheSame) {
  rooflinectl::Run run = run_of({float_sum("a", 4e-3), float_sum("b", 3e-3), float_sum("c", 1e-3)});
  run.catalogue.variants.clear();
  EXPECT_THAT(steps_of(analyse(run)), IsEmpty());
  run.plan.kernels = {file_kernel("a", "y"), file_kernel("b", "other"), file_kernel("c", "y")};
  EXPECT_THAT(steps_of(analyse(run)), ElementsAre("a.256→c.256"));
}

TEST(Ladder, StepsOnlyBetweenComparablePoints) {
  Measurement block = float_sum("v1", 1);
  block.point.axes.set(axis::kBlock, 128);
  Measurement dtype = float_sum("v1", 1);
  dtype.point.axes.set(axis::kDtype, Dtype::f16);
  Measurement size = float_sum("v1", 1);
  size.point.axes.set(axis::kSize, 1024);
  Measurement cache = float_sum("v1", 1);
  cache.point.axes.set(axis::kCache, CacheState::warm);
  rooflinectl::Run run = run_of({float_sum("v0", 1), block, dtype, size, cache, float_sum("other_family", 1),
                                 float_sum("complete", 1), float_sum("v1", 1), block});
  run.catalogue.variants[2].family = "other";
  run.catalogue.variants[3].output = OutputKind::scalar;
  EXPECT_THAT(steps_of(analyse(run)), ElementsAre("v0.256→v1.256", "v1.128→v1.128"));
}

TEST(Analyse, ShowsMeasurementsThatAreNotInThePlan) {
  Measurement unplanned = float_sum("v0", 2e-3);
  unplanned.point.axes.set(axis::kSize, 1 << 20);
  Measurement kernel = float_sum("my_kernel", 3e-3);
  kernel.point = {"program", "my_kernel", {}};
  kernel.point.axes.set("grid", 132);
  rooflinectl::Run run = run_of({float_sum("v0", 1e-3)});
  run.measurements.push_back(unplanned);
  run.measurements.push_back(kernel);
  const Analysis analysis = analyse(run);
  ASSERT_EQ(analysis.experiments.size(), 2);
  ASSERT_EQ(analysis.experiments[0].points.size(), 2);
  EXPECT_THAT(analysis.experiments[0].points[1].label, HasSubstr("2^20"));
  EXPECT_EQ(analysis.experiments[1].name, "program");
  ASSERT_EQ(analysis.experiments[1].points.size(), 1);
  EXPECT_EQ(analysis.experiments[1].points[0].label, "my_kernel");
}

TEST(Ladder, HasNoStepBetweenTimesThatWereTakenDifferently) {
  Measurement plain = float_sum("v1", 1);
  plain.time->mode = LaunchMode::plain;
  Measurement graph = float_sum("v0", 1);
  graph.time->mode = LaunchMode::graph;
  rooflinectl::Run run = run_of({graph, plain});
  EXPECT_THAT(steps_of(analyse(run)), IsEmpty());
  run.measurements[1].time->mode = LaunchMode::graph;
  EXPECT_THAT(steps_of(analyse(run)), ElementsAre("v0.256→v1.256"));
}

TEST(Ladder, ComparesVersionsAtEqualElementsPerThread) {
  const auto with_elements = [](const char* id, unsigned elements) {
    Measurement sum = float_sum(id, 1);
    sum.point.axes.set(axis::kElements, elements);
    return sum;
  };
  const rooflinectl::Run run =
      run_of({float_sum("tree", 1), with_elements("warp", 1), with_elements("warp", 8),
              with_elements("warp", 128), with_elements("block", 1), with_elements("block", 128)});
  const Analysis analysis = analyse(run);
  std::vector<std::string> steps;
  for (const LadderStep& step : analysis.experiments[0].steps) {
    const auto text = [](const RooflinePoint& point) {
      const PointId& id = point.measurement->point;
      return fmt::format("{}.{}", id.subject, id.axes.number(axis::kElements).value_or(0));
    };
    steps.push_back(text(*step.from) + "→" + text(*step.to));
  }
  EXPECT_THAT(steps, ElementsAre("tree.0→warp.1", "warp.1→warp.8", "warp.1→block.1", "warp.8→warp.128",
                                 "warp.128→block.128", "block.1→block.128"));
}

TEST(Ladder, HasAGapWhereAVersionWasNotTimed) {
  Measurement failed = float_sum("v1", 1);
  failed.time.reset();
  const rooflinectl::Run run = run_of({float_sum("v0", 1), failed, float_sum("v2", 1), float_sum("v3", 1)});
  EXPECT_THAT(steps_of(analyse(run)), ElementsAre("v2.256→v3.256"));
}

TEST(Ladder, StepsStayValidWhenTheAnalysisIsMoved) {
  const rooflinectl::Run run = run_of({float_sum("v0", 1), float_sum("v1", 1)});
  Analysis analysis = analyse(run);
  const Analysis moved = std::move(analysis);
  EXPECT_EQ(moved.experiments[0].steps[0].to, &moved.experiments[0].points[1]);
}

/// The names of what changed from `from` to `to`, in order.
std::vector<std::string_view> changes_between(const Measurement& from, const Measurement& to) {
  const rooflinectl::Run run = run_of({from, to});
  const Analysis analysis = analyse(run);
  std::vector<std::string_view> names;
  for (const CounterChange& change : analysis.experiments[0].steps.at(0).counter_changes)
    names.push_back(change.quantity->name);
  return names;
}

TEST(Ladder, NamesFirstWhatChangedByAsMuchAsTheTime) {
  const Measurement from =
      counted(counted_sum(float_sum("v2", 1.3), 1.5, 1), {{counter::kSharedLoadWavefronts, 8e6},
                                                          {counter::kSharedStoreWavefronts, 8e6},
                                                          {counter::kSharedLoadInstructions, 1e6},
                                                          {counter::kSharedStoreInstructions, 1e6},
                                                          {counter::kOccupancy, 0.80},
                                                          {counter::kWarpExecutionEfficiency, 0.50},
                                                          {counter::kWarpInstructions, 1.29e9}});
  const Measurement to =
      counted(counted_sum(float_sum("v3", 1), 1, 1.25), {{counter::kSharedLoadWavefronts, 1e6},
                                                         {counter::kSharedStoreWavefronts, 1e6},
                                                         {counter::kSharedLoadInstructions, 1e6},
                                                         {counter::kSharedStoreInstructions, 1e6},
                                                         {counter::kOccupancy, 0.83},
                                                         {counter::kWarpExecutionEfficiency, 1.00},
                                                         {counter::kWarpInstructions, 1e9}});
  // The time falls to 1 / 1.3: instructions by 1.29, traffic by 1.5, lanes at work by 2, wavefronts by 8.
  // More operations explain nothing.
  EXPECT_THAT(
      changes_between(from, to),
      ElementsAre("warp instructions per element", "DRAM bytes per element", "warp execution efficiency",
                  "shared wavefronts per instruction", "executed FLOP per element"));
  // On the way back more operations do explain why it is slower.
  EXPECT_THAT(
      changes_between(to, from),
      ElementsAre("warp instructions per element", "DRAM bytes per element", "warp execution efficiency",
                  "shared wavefronts per instruction", "executed FLOP per element"));
}

TEST(Ladder, NamesFirstWhatTheSlowerVersionWasBoundBy) {
  // Three times the compulsory traffic at 75 % of the bandwidth; then nothing is near its limit.
  const Measurement from =
      counted(counted_sum(float_sum("v0", 4 * kReadTimeS), 3, 1), {{counter::kWarpInstructions, 2e6}});
  const Measurement to =
      counted(counted_sum(float_sum("v1", 2 * kReadTimeS), 1, 1), {{counter::kWarpInstructions, 1e6}});
  EXPECT_THAT(changes_between(from, to),
              ElementsAre("DRAM bytes per element", "warp instructions per element"));
  EXPECT_THAT(changes_between(to, from),
              ElementsAre("DRAM bytes per element", "warp instructions per element"));
}

TEST(Ladder, NamesLastWhatChangedFromOrToZero) {
  const Measurement from = counted(counted_sum(float_sum("v0", 2), 2, 1),
                                   {{counter::kSharedBytes, 0}, {counter::kIntegerOps, 1e6}});
  const Measurement to = counted(counted_sum(float_sum("v1", 1), 1, 1),
                                 {{counter::kSharedBytes, 1e6}, {counter::kIntegerOps, 9e6}});
  EXPECT_THAT(
      changes_between(from, to),
      ElementsAre("DRAM bytes per element", "integer instructions per element", "shared bytes per element"));
}

TEST(Ladder, DoesNotNameARatioThatStaysNegligible) {
  const auto diverging = [](const char* id, double divergent) {
    return counted(float_sum(id, 1),
                   {{counter::kBranchTargets, 1e6}, {counter::kBranchTargetsDivergent, divergent}});
  };
  const rooflinectl::Run negligible = run_of({diverging("v0", 10), diverging("v1", 100)});
  EXPECT_THAT(analyse(negligible).experiments[0].steps[0].counter_changes, IsEmpty());

  const rooflinectl::Run from_zero = run_of({diverging("v0", 0), diverging("v1", 1e5)});
  const Analysis analysis = analyse(from_zero);
  ASSERT_EQ(analysis.experiments[0].steps[0].counter_changes.size(), 1u);
  EXPECT_EQ(analysis.experiments[0].steps[0].counter_changes[0].quantity, &quantity::kBranchDivergence);
  EXPECT_DOUBLE_EQ(analysis.experiments[0].steps[0].counter_changes[0].to, 0.1);
}

// ---- quantities ----

TEST(Quantities, AreAbsentWithoutTheirCounters) {
  EXPECT_THAT(quantities_of(float_sum("v", 1)), IsEmpty());
  Measurement refused = float_sum("v", 1);
  refused.counters.emplace(std::string(counter::kOccupancy), CounterValue::unavailable("no permission"));
  EXPECT_THAT(quantities_of(refused), IsEmpty());
}

TEST(Quantities, FollowTheirFormulas) {
  Measurement measurement = counted_sum(float_sum("v", 1), 1, 1);
  measurement.point.axes.set(axis::kSize, 1000);
  measurement.work.operations[Dtype::f32].flops = 999;
  measurement.launch = {.grid = 4, .block = 256, .bytes_in_flight_per_block = 4096};
  const auto quantities = quantities_of(counted(measurement, {{counter::kFadd, 1000},
                                                              {counter::kFmul, 200},
                                                              {counter::kFfma, 30},
                                                              {counter::kDramReadBytes, 4000},
                                                              {counter::kDramWriteBytes, 500},
                                                              {counter::kL2Bytes, 6000},
                                                              {counter::kL2AtomicOperations, 2},
                                                              {counter::kSharedBytes, 8000},
                                                              {counter::kWarpInstructions, 250},
                                                              {counter::kIntegerOps, 3000},
                                                              {counter::kWarpExecutionEfficiency, 0.9},
                                                              {counter::kWarpNonpredExecutionEfficiency, 0.8},
                                                              {counter::kOccupancy, 0.7},
                                                              {counter::kBranchTargets, 400},
                                                              {counter::kBranchTargetsDivergent, 100},
                                                              {counter::kSharedLoadWavefronts, 90},
                                                              {counter::kSharedStoreWavefronts, 30},
                                                              {counter::kSharedLoadInstructions, 50},
                                                              {counter::kSharedStoreInstructions, 10},
                                                              {counter::kGlobalLoadSectorEfficiency, 0.6}}));
  EXPECT_THAT(quantities,
              UnorderedElementsAre(Pair("executed FLOP per element", DoubleNear(1.26, 1e-12)),
                                   Pair("DRAM bytes per element", DoubleNear(4.5, 1e-12)),
                                   Pair("L2 bytes per element", DoubleNear(6, 1e-12)),
                                   Pair("atomic operations per element", DoubleNear(0.002, 1e-12)),
                                   Pair("bytes in flight per thread", DoubleNear(16, 1e-12)),
                                   Pair("shared bytes per element", DoubleNear(8, 1e-12)),
                                   Pair("warp instructions per element", DoubleNear(0.25, 1e-12)),
                                   Pair("integer instructions per element", DoubleNear(3, 1e-12)),
                                   Pair("warp execution efficiency", DoubleNear(0.9, 1e-12)),
                                   Pair("non-predicated warp execution efficiency", DoubleNear(0.8, 1e-12)),
                                   Pair("occupancy", DoubleNear(0.7, 1e-12)),
                                   Pair("divergent branches", DoubleNear(0.25, 1e-12)),
                                   Pair("shared wavefronts per instruction", DoubleNear(2, 1e-12)),
                                   Pair("global load sector efficiency", DoubleNear(0.6, 1e-12))));
}

TEST(Quantities, DoNotDivideByZero) {
  Measurement empty = counted_sum(float_sum("v", 1), 1, 1);
  empty.point.axes.set(axis::kSize, 0);
  EXPECT_THAT(quantities_of(counted(empty, {{counter::kBranchTargets, 0},
                                            {counter::kBranchTargetsDivergent, 0},
                                            {counter::kSharedLoadWavefronts, 0},
                                            {counter::kSharedStoreWavefronts, 0},
                                            {counter::kSharedLoadInstructions, 0},
                                            {counter::kSharedStoreInstructions, 0}})),
              IsEmpty());
}

// ---- the whole run ----

TEST(Analyse, KeepsThePlansOrder) {
  rooflinectl::Run run = run_of({float_sum("v0", 1), float_sum("v1", 1), float_sum("v2", 1)});
  std::swap(run.measurements[0], run.measurements[2]);
  EXPECT_THAT(labels_of(run), ElementsAre("label of v0", "label of v1", "label of v2"));
}

TEST(Analyse, LeavesOutPointsThatWereNotMeasured) {
  rooflinectl::Run run = run_of({float_sum("v0", 1), float_sum("v1", 1)});
  run.measurements.erase(run.measurements.begin());
  EXPECT_THAT(labels_of(run), ElementsAre("label of v1"));
}

TEST(Analyse, KeepsExperimentsApart) {
  Measurement elsewhere = float_sum("v1", 1);
  elsewhere.point.experiment = "seeds";
  rooflinectl::Run run = run_of({float_sum("v0", 1), elsewhere});
  run.plan.experiments[1].title = "The seeds' own size";
  const Analysis analysis = analyse(run);
  ASSERT_EQ(analysis.experiments.size(), 2u);
  EXPECT_EQ(analysis.experiments[1].name, "seeds");
  EXPECT_EQ(analysis.experiments[1].title, "The seeds' own size");
  EXPECT_EQ(analysis.experiments[1].points.size(), 1u);
  EXPECT_THAT(analysis.experiments[1].steps, IsEmpty());
}

TEST(Analyse, SurvivesAnyRunThatCanBeRead) {
  const Analysis full = analyse(constructed::full_run());
  EXPECT_EQ(full.experiments.size(), 2u);
  EXPECT_THAT(analyse(rooflinectl::Run{}).experiments, IsEmpty());

  rooflinectl::Run zeros = run_of({float_sum("v0", 0), float_sum("v1", 0)});
  for (Ceiling& each : zeros.ceilings) each.value = 0;
  const Analysis analysis = analyse(zeros);
  EXPECT_EQ(analysis.experiments[0].points[0].flop_per_s, std::nullopt);
  EXPECT_EQ(analysis.experiments[0].points[0].roof, std::nullopt);
  EXPECT_THAT(analysis.experiments[0].steps, IsEmpty());
}

TEST(AnalysePoint, IsJudgedByWhatItExecutedIfItDeclaresNothing) {
  const rooflinectl::Run run = constructed::program_run();
  std::size_t judged = 0;
  for (const Measurement& of_program : run.measurements) {
    Measurement of_file = of_program;
    of_file.launches.reset();
    const RooflinePoint expected = analyse_point(run, of_program);
    const RooflinePoint point = analyse_point(run, of_file);
    ASSERT_EQ(point.roof.has_value(), expected.roof.has_value());
    EXPECT_EQ(point.flops_executed, expected.flops_executed);
    EXPECT_EQ(point.useful_bytes_per_s, std::nullopt);
    if (!point.roof) continue;
    ++judged;
    EXPECT_EQ(point.roof->time_s, expected.roof->time_s);
    of_file.work.read_bytes = 1e6;
    EXPECT_FALSE(has_executed_work_alone(of_file));
  }
  EXPECT_GT(judged, 3);
}

TEST(FindCeiling, NeedsIdSourceAndDevice) {
  const rooflinectl::Run run = run_of({});
  ASSERT_NE(find_ceiling(run, "f32_add", CeilingSource::theoretical, 0), nullptr);
  EXPECT_EQ(find_ceiling(run, "f32_add", CeilingSource::theoretical, 0)->value, 1.1 * kAddPerS);
  EXPECT_EQ(find_ceiling(run, "f32_add", CeilingSource::measured, 0)->value, kAddPerS);
  EXPECT_EQ(find_ceiling(run, "dram", CeilingSource::measured, 0), nullptr);
  EXPECT_EQ(find_ceiling(run, "f32_add", CeilingSource::measured, 1), nullptr);
}

}  // namespace
}  // namespace rooflinectl::analysis_test
