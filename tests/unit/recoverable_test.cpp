// SPDX-License-Identifier: Apache-2.0
#include "analysis/program/recoverable.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/explain/explanation.h"
#include "analysis/roofline/executed/executed_work.h"
#include "analysis/roofline/point.h"
#include "reports/charts/model/chart_model.h"
#include "reports/sentences/sentences.h"
#include "tests/support/program_run.h"

namespace rooflinectl::recoverable_test {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// A run of one program with these groups, whose ceilings are round numbers.
Run run_of(std::vector<Measurement> measurements) {
  Run run = constructed::program_run();
  run.ceilings.clear();
  const auto add = [&](std::string id, CeilingKind kind, std::string subject, std::string operation,
                       double value) {
    run.ceilings.push_back(constructed::ceiling(std::move(id), kind, CeilingSource::measured,
                                                std::move(subject), std::move(operation), value, ""));
  };
  add("dram_read", CeilingKind::bandwidth, "dram", "read", 4e12);
  add("dram_copy", CeilingKind::bandwidth, "dram", "copy", 4e12);
  add("dram_write", CeilingKind::bandwidth, "dram", "write", 4e12);
  add("l2_read", CeilingKind::bandwidth, "l2", "read", 8e12);
  add("l1_read", CeilingKind::bandwidth, "l1", "read", 30e12);
  add("shared_read", CeilingKind::bandwidth, "shared", "read", 30e12);
  add("f32_add", CeilingKind::compute, "f32", "add", 30e12);
  add("f32_fma", CeilingKind::compute, "f32", "fma", 60e12);
  add("f16_fma", CeilingKind::compute, "f16", "fma", 120e12);
  add("i32_add", CeilingKind::compute, "i32", "add", 30e12);
  add("i32_fma", CeilingKind::compute, "i32", "fma", 30e12);
  add("graph_node", CeilingKind::latency, "", "launch in a graph", 0.5e-6);
  add("bf16_tensor", CeilingKind::compute, "bf16", "tensor", 900e12);
  run.measurements = std::move(measurements);
  run.application->devices.clear();
  return run;
}

/// 100 µs, ten launches. 200 MB from DRAM take 50 µs, from L2 25 µs.
Measurement streaming(std::string_view name = "copy") {
  constructed::ProgramKernel kernel = {name, "64", "128", "", 100, 10, 100, 100, 200, 200};
  Measurement measurement = constructed::program_measurement(kernel, true);
  measurement.resources->shared_bytes_per_block = 1024;
  return measurement;
}

/// The same in an NVTX range.
Measurement streaming_in(std::string_view path, std::string_view name) {
  Measurement measurement = streaming(name);
  measurement.point.axes.set("path", std::string(path));
  return measurement;
}

void set(Measurement& measurement, std::string_view key, double value) {
  measurement.counters.insert_or_assign(std::string(key), CounterValue::measured(value));
}

void refuse(Measurement& measurement, std::string_view key) {
  measurement.counters.insert_or_assign(std::string(key), CounterValue::unavailable("too late"));
}

/// The only point of a run, with the run that it points into.
struct OnePoint {
  explicit OnePoint(const Measurement& measurement) : run(run_of({measurement})), analysis(analyse(run)) {}
  OnePoint(const OnePoint&) = delete;
  OnePoint& operator=(const OnePoint&) = delete;
  const RooflinePoint* operator->() const { return &analysis.experiments.at(0).points.at(0); }
  const RooflinePoint& operator*() const { return *operator->(); }

  Run run;
  Analysis analysis;
};

std::vector<std::string_view> ids_of(const RooflinePoint& point) {
  std::vector<std::string_view> ids;
  for (const Finding& finding : explain(run_of({*point.measurement}), point).findings)
    ids.push_back(finding.rule);
  return ids;
}

void expect_without_operations(const Measurement& measurement) {
  const OnePoint point(measurement);
  EXPECT_FALSE(point->flops_executed);
  EXPECT_EQ(point->executed_missing, "fadd: too late");
}

TEST(ObservedPoint, HasNoUsefulNumbers) {
  const OnePoint point(streaming());
  EXPECT_FALSE(point->ai_useful);
  EXPECT_FALSE(point->flop_per_s);
  EXPECT_FALSE(point->useful_bytes_per_s);
  EXPECT_FALSE(point->redundancy);
  EXPECT_THAT(point->flags, IsEmpty());
}

TEST(ObservedPoint, WithoutFlopsIsHeldAgainstTheBandwidthThatNeedsLongest) {
  const OnePoint point(streaming());
  ASSERT_TRUE(point->roof);
  EXPECT_EQ(point->roof->resource, Bound::dram);
  EXPECT_EQ(point->roof->ceilings, CeilingIds{"dram_copy"});
  EXPECT_DOUBLE_EQ(point->roof->relative_spread, 0.002);
  EXPECT_DOUBLE_EQ(*point->fraction_of_roofline, 0.5);
  EXPECT_EQ(point->flops_executed, 0);
  EXPECT_EQ(point->executed_missing, "");
}

// Nine launches of 60 µs and one of 560 µs: their counters are means too.
TEST(ObservedPoint, IsHeldAgainstTheMeanTimeWhereLaunchesDiffer) {
  Measurement measurement = streaming();
  measurement.time->median_s = 60e-6;
  measurement.launches->total_s = 1.1e-3;
  const OnePoint point(measurement);
  EXPECT_DOUBLE_EQ(*point->fraction_of_roofline, 50.0 / 110);
  EXPECT_NEAR(*point->dram_bytes_per_s, 200e6 / 110e-6, 1);
  EXPECT_THAT(point->implausible, IsEmpty());
}

TEST(ObservedPoint, IsHeldAgainstACacheThatServesIt) {
  Measurement measurement = streaming();
  set(measurement, counter::kDramReadBytes, 0);
  set(measurement, counter::kDramWriteBytes, 0);
  set(measurement, counter::kL2Bytes, 640e6);  // 80 µs
  set(measurement, counter::kL1Bytes, 640e6);
  const OnePoint point(measurement);
  EXPECT_EQ(point->roof->resource, Bound::l2);
  EXPECT_DOUBLE_EQ(*point->fraction_of_roofline, 0.8);
  EXPECT_EQ(point->bound, Bound::l2);
}

TEST(ObservedPoint, AddsUpTheOperationsOfAllTypes) {
  Measurement measurement = streaming();
  set(measurement, counter::kFadd, 3e8);
  set(measurement, counter::kFfma, 1e8);
  set(measurement, counter::kDadd, 0);
  set(measurement, counter::kTensorPipeInstructions, 100);
  set(measurement, counter::kTensorBf16Ops, 7.2e10);  // 80 µs
  const OnePoint point(measurement);
  EXPECT_DOUBLE_EQ(*point->flops_executed, 3e8 + 2e8 + 7.2e10);
  EXPECT_DOUBLE_EQ(*point->ai_executed, (5e8 + 7.2e10) / 200e6);
  EXPECT_EQ(point->roof->resource, Bound::tensor);
  EXPECT_EQ(point->roof->ceilings, CeilingIds{"bf16_tensor"});
  EXPECT_NEAR(*point->fraction_of_roofline, 0.8, 1e-12);
  EXPECT_EQ(point->bound, Bound::tensor);
  // 2e8 / 60e12 + 3e8 / 30e12
  EXPECT_NEAR(*find_use(*point, Bound::fp32)->time_s, 13.333e-6, 1e-9);
  EXPECT_EQ(find_use(*point, Bound::fp32)->ceilings, (CeilingIds{"f32_fma", "f32_add"}));
}

TEST(ObservedPoint, IsUnderBothCeilingsOfAMix) {
  Measurement measurement = streaming();
  set(measurement, counter::kFadd, 3e8);
  set(measurement, counter::kFfma, 1e8);
  const OnePoint point(measurement);
  const auto is_roof = [&](const char* id) {
    Ceiling ceiling;
    ceiling.id = id;
    return is_roof_of_program(ceiling, {*point});
  };
  EXPECT_TRUE(is_roof("f32_fma"));
  EXPECT_TRUE(is_roof("f32_add"));
  EXPECT_FALSE(is_roof("f64_fma"));
  EXPECT_EQ(executed_type(*point), "FP32");
  EXPECT_EQ(ceilings_text(main_pipe(point->resources)->ceilings), "f32_fma + f32_add");
}

// Packed or not, an instruction keeps the pipe busy for as long: 120e12 / 4 of them per second.
TEST(ObservedPoint, HasATimeOfHalfPrecisionInstructionsButNotTheirOperations) {
  Measurement measurement = streaming();
  set(measurement, counter::kHfma, 1.8e9);
  const OnePoint point(measurement);
  EXPECT_NEAR(*find_use(*point, Bound::fp16)->time_s, 60e-6, 1e-12);
  EXPECT_EQ(point->roof->resource, Bound::fp16);
  EXPECT_FALSE(point->flops_executed);
  EXPECT_THAT(point->executed_missing, HasSubstr("FP16 or BF16 instructions"));
}

// Compilers write `HFMA2 R1, -RZ, RZ, 0, 1` for `R1 = 1`.
TEST(ObservedPoint, DoesNotTakeConstantsInRegistersForHalfPrecision) {
  Measurement measurement = streaming();
  const double threads = static_cast<double>(measurement.launch.grid) * measurement.launch.block;
  set(measurement, counter::kFfma, threads);
  set(measurement, counter::kHfma, 2 * threads);
  EXPECT_EQ(OnePoint(measurement)->flops_executed, 2 * threads);
  set(measurement, counter::kHadd, 1);
  EXPECT_FALSE(OnePoint(measurement)->flops_executed) << "it does compute in FP16";
}

/// Warp instructions that the schedulers issue in that time at the highest clock.
double issued_in(double time_s) {
  const Run run = run_of({});
  return 4 * run.device().sm_count * run.device().sm_clock_hz * time_s;
}

TEST(ObservedPoint, HasIssueSlotsAsARoofAndNoneOfIntegers) {
  Measurement measurement = streaming();
  set(measurement, counter::kWarpInstructions, issued_in(70e-6));
  const OnePoint point(measurement);
  EXPECT_NEAR(*find_use(*point, Bound::issue_slots)->time_s, 70e-6, 1e-12);
  EXPECT_EQ(find_use(*point, Bound::int32), nullptr);
  EXPECT_EQ(point->roof->resource, Bound::issue_slots);
  EXPECT_NEAR(*point->fraction_of_roofline, 0.7, 1e-9);
  EXPECT_EQ(point->bound, Bound::issue_slots);
  EXPECT_EQ(point->flops_executed, 0);
}

TEST(ObservedPoint, IsBoundByThePipeThatMostIssueSlotsAreFor) {
  Measurement measurement = streaming();
  set(measurement, counter::kWarpInstructions, issued_in(80e-6));
  set(measurement, counter::kFfma, 30e12 * 65e-6);
  EXPECT_EQ(OnePoint(measurement)->bound, Bound::fp32);
  set(measurement, counter::kFfma, 30e12 * 59e-6);
  EXPECT_EQ(OnePoint(measurement)->bound, Bound::issue_slots);
}

// 64 lanes of an SM compare, shift and add integers, 16 have special functions: 2 and 0.5 warp instructions
// per cycle of the 4 that are issued.
TEST(ObservedPoint, IsBoundByThePipesOfIntegersAndSpecialFunctions) {
  Measurement measurement = streaming();
  set(measurement, counter::kWarpInstructions, issued_in(70e-6));
  set(measurement, counter::kAluPipeInstructions, issued_in(80e-6) / 2);
  set(measurement, counter::kXuPipeInstructions, issued_in(30e-6) / 8);
  const OnePoint integers(measurement);
  EXPECT_EQ(integers->bound, Bound::alu);
  EXPECT_EQ(integers->roof->resource, Bound::alu);
  EXPECT_NEAR(*integers->fraction_of_roofline, 0.8, 1e-9);
  EXPECT_EQ(integers->roof->ceilings, CeilingIds{"2 per SM and cycle"});
  EXPECT_THAT(integers->roof->compute_ceilings, IsEmpty()) << "it does no floating-point operations";
  set(measurement, counter::kAluPipeInstructions, issued_in(50e-6) / 2);
  EXPECT_EQ(OnePoint(measurement)->bound, Bound::issue_slots) << "less than three quarters of what is issued";
  set(measurement, counter::kXuPipeInstructions, issued_in(65e-6) / 8);
  const OnePoint functions(measurement);
  EXPECT_EQ(functions->bound, Bound::xu);
  EXPECT_EQ(functions->roof->resource, Bound::xu);
  EXPECT_THAT(ids_of(*functions), ElementsAre("xu"));
}

TEST(ObservedPoint, HasTheAluAndXuOfItsChip) {
  Measurement measurement = streaming();
  set(measurement, counter::kAluPipeInstructions, 1e6);
  set(measurement, counter::kXuPipeInstructions, 1e6);
  const auto times = [&](int compute_capability) {
    auto run = run_of({measurement});
    run.devices.front().compute_capability = compute_capability;
    const Analysis analysis = analyse(run);
    const RooflinePoint& point = analysis.experiments.at(0).points.at(0);
    return std::pair(*find_use(point, Bound::alu)->time_s, *find_use(point, Bound::xu)->time_s);
  };
  const auto [alu_s, xu_s] = times(90);
  EXPECT_DOUBLE_EQ(xu_s, 4 * alu_s);
  EXPECT_DOUBLE_EQ(times(120).first, alu_s);
  EXPECT_DOUBLE_EQ(times(103).second, xu_s / 2);
  EXPECT_DOUBLE_EQ(times(80).second, xu_s);
}

TEST(ObservedPoint, OfSparseProductsIsHeldAgainstTheSparseCeiling) {
  Measurement measurement = streaming();
  set(measurement, counter::kTensorPipeInstructions, 100);
  set(measurement, counter::kTensorBf16Ops, 900e12 * 130e-6);
  measurement.launches->has_sparse_products = true;
  const OnePoint point(measurement);
  EXPECT_NEAR(*point->fraction_of_roofline, 0.65, 1e-9);
  EXPECT_EQ(point->bound, Bound::tensor);
  EXPECT_EQ(point->roof->ceilings, CeilingIds{"bf16_tensor × 2"});
  EXPECT_EQ(executed_type(*point), "BF16 Tensor");
}

Ceiling tensor_ceiling(std::string id, TensorProducts products, double value) {
  Ceiling ceiling = constructed::ceiling(std::move(id), CeilingKind::compute, CeilingSource::measured, "",
                                         "tensor", value, "");
  ceiling.products = products;
  return ceiling;
}

TEST(ObservedPoint, IsHeldAgainstTheCeilingOfItsProducts) {
  constexpr TensorProducts kUsual = {.type = TensorElement::f16, .accumulator = TensorElement::f32};
  constexpr TensorProducts kShortSums = {.type = TensorElement::f16, .accumulator = TensorElement::f16};
  Measurement measurement = streaming();
  set(measurement, counter::kTensorPipeInstructions, 100);
  set(measurement, counter::kTensorF16Ops, 900e12 * 130e-6);
  measurement.launches->products = kShortSums;
  auto run = run_of({measurement});
  run.ceilings.push_back(tensor_ceiling("f16_tensor", kUsual, 900e12));
  const auto tensor = [&run] {
    const Analysis analysis = analyse(run);
    return *find_use(analysis.experiments.at(0).points.at(0), Bound::tensor);
  };
  EXPECT_EQ(tensor().ceilings, CeilingIds{"f16_tensor"});
  EXPECT_EQ(tensor().stands_in, "f16_tensor for FP16 products with FP16 sums");
  run.ceilings.push_back(tensor_ceiling("f16_tensor_f16", kShortSums, 1800e12));
  EXPECT_EQ(tensor().ceilings, CeilingIds{"f16_tensor_f16"});
  EXPECT_EQ(tensor().stands_in, "");
  EXPECT_DOUBLE_EQ(*tensor().time_s, 65e-6);
  for (auto products : {std::optional(kUsual), std::optional<TensorProducts>()}) {
    run.measurements.front().launches->products = products;
    EXPECT_EQ(tensor().ceilings, CeilingIds{"f16_tensor"});
    EXPECT_EQ(tensor().stands_in, "");
  }
  run.measurements.front().launches->products = kShortSums;
  run.measurements.front().launches->has_sparse_products = true;
  EXPECT_EQ(tensor().ceilings, CeilingIds{"f16_tensor_f16 × 2"});
}

// Counters do not tell them from FP8.
TEST(ObservedPoint, OfFp4IsHeldAgainstItsOwnCeiling) {
  constexpr TensorProducts kFp4 = {
      .type = TensorElement::f4, .accumulator = TensorElement::f32, .scales = BlockScales::nv};
  Measurement measurement = streaming();
  set(measurement, counter::kTensorPipeInstructions, 100);
  set(measurement, counter::kTensorF8Ops, 900e12 * 130e-6);
  measurement.launches->products = kFp4;
  auto run = run_of({measurement});
  run.ceilings.push_back(tensor_ceiling("f8_tensor", {TensorElement::f8, TensorElement::f32}, 900e12));
  const auto tensor = [&run] {
    const Analysis analysis = analyse(run);
    return *find_use(analysis.experiments.at(0).points.at(0), Bound::tensor);
  };
  EXPECT_EQ(tensor().stands_in, "f8_tensor for FP4 products with NV scales and FP32 sums");
  run.ceilings.push_back(tensor_ceiling("f4_tensor_nv", kFp4, 1800e12));
  EXPECT_EQ(tensor().ceilings, CeilingIds{"f4_tensor_nv"});
}

// Whatever is not counted of it: its blocks have none.
TEST(ObservedPoint, WithoutSharedMemoryDoesNotWaitForIt) {
  Measurement measurement = streaming();
  refuse(measurement, counter::kSharedBytes);
  EXPECT_EQ(OnePoint(measurement)->bound, Bound::unknown);
  measurement.resources->shared_bytes_per_block = 0;
  EXPECT_EQ(OnePoint(measurement)->bound, Bound::latency);
  EXPECT_EQ(find_use(*OnePoint(measurement), Bound::shared)->time_s, 0);
}

TEST(ObservedPoint, BesideOthersIsSlowedDownByThem) {
  Measurement measurement = streaming();
  measurement.launches->overlapped_s = 0.49 * measurement.launches->total_s;
  EXPECT_EQ(OnePoint(measurement)->bound, Bound::latency);
  measurement.launches->overlapped_s = 0.51 * measurement.launches->total_s;
  EXPECT_EQ(OnePoint(measurement)->bound, Bound::other_kernels);
  EXPECT_THAT(ids_of(*OnePoint(measurement)), ElementsAre("other-kernels"));
  refuse(measurement, counter::kSharedBytes);
  EXPECT_EQ(OnePoint(measurement)->bound, Bound::other_kernels) << "known, whatever else is not";
  set(measurement, counter::kDramReadBytes, 4e12 * 65e-6);
  EXPECT_EQ(OnePoint(measurement)->bound, Bound::dram) << "at the roof in spite of them";
}

TEST(ObservedPoint, WithManyInstructionsWaitsForThem) {
  Measurement measurement = streaming();
  measurement.launch.grid = 8UL * static_cast<unsigned>(run_of({}).device().sm_count);
  set(measurement, counter::kDramReadBytes, 80e6);
  set(measurement, counter::kDramWriteBytes, 80e6);
  set(measurement, counter::kWarpInstructions, issued_in(41e-6));
  const OnePoint point(measurement);
  EXPECT_EQ(point->bound, Bound::instruction_latency);
  EXPECT_EQ(ids_of(*point).front(), "instruction-latency-of-many");
  set(measurement, counter::kDramWriteBytes, 100e6);
  EXPECT_EQ(OnePoint(measurement)->bound, Bound::latency) << "it may as well wait for DRAM";
}

// Each of 50,000 instructions may have kept its warp for 33 cycles, and a barrier for 0.2 million: the other
// half of 3.7 million is for memory.
TEST(ObservedPoint, WhoseInstructionsCannotHaveTakenItsTimeWaitsForMemory) {
  Measurement measurement = streaming();
  set(measurement, counter::kWarpInstructions, 50'000);
  set(measurement, counter::kBarrierStallWarpCycles, 0.2e6);
  set(measurement, counter::kActiveWarpCycles, 3.69e6);
  EXPECT_EQ(OnePoint(measurement)->bound, Bound::latency);
  set(measurement, counter::kActiveWarpCycles, 3.71e6);
  EXPECT_EQ(OnePoint(measurement)->bound, Bound::memory_latency);
  EXPECT_THAT(ids_of(*OnePoint(measurement)), ElementsAre("memory-latency"));
  set(measurement, counter::kDadd, 1);
  EXPECT_NE(OnePoint(measurement)->bound, Bound::memory_latency) << "FP64 takes longer on some chips";
  set(measurement, counter::kDadd, 0);
  set(measurement, counter::kLongScoreboardStallWarpCycles, 0.9e6);
  EXPECT_EQ(OnePoint(measurement)->bound, Bound::latency) << "as counted";
}

// Then L1 moved less than twice the bytes of L2, which is slower.
TEST(ObservedPoint, IsJudgedIfBulkCopiesBypassTheCountersOfL1) {
  Measurement measurement = streaming();
  measurement.counters.insert_or_assign(std::string(counter::kL1Bytes),
                                        CounterValue::unavailable("not counted"));
  EXPECT_EQ(OnePoint(measurement)->bound, Bound::unknown);
  measurement.counters.insert_or_assign(std::string(counter::kL1Bytes),
                                        CounterValue::unavailable(std::string(counter::kBulkCopiesBypassL1)));
  EXPECT_NE(OnePoint(measurement)->bound, Bound::unknown);
}

// It may be busy, but then warps would wait for it.
TEST(ObservedPoint, IsJudgedWithoutSharedMemoryIfItsWarpsClearlyWaitForMemory) {
  Measurement measurement = streaming();
  refuse(measurement, counter::kSharedBytes);
  set(measurement, counter::kActiveWarpCycles, 4e6);
  set(measurement, counter::kLongScoreboardStallWarpCycles, 1.77e6);
  set(measurement, counter::kShortScoreboardStallWarpCycles, 0.48e6);
  const OnePoint waiting(measurement);
  EXPECT_EQ(waiting->bound, Bound::memory_latency);
  EXPECT_THAT(waiting->verdict.unjudged, Not(IsEmpty()));
  const Finding finding = explain(waiting.run, *waiting).findings.at(0);
  EXPECT_THAT(finding.text, HasSubstr("that was counted"));
  EXPECT_EQ(finding.evidence.at(0).quantity->name, "warp cycles waiting for global memory");
  set(measurement, counter::kShortScoreboardStallWarpCycles, 0.7e6);
  EXPECT_EQ(OnePoint(measurement)->bound, Bound::unknown);
}

// Of a program's kernel, some reasons are counted, which together are less than half.
TEST(ObservedPoint, WaitsForWhatItsWarpsWaitForTwiceAsLong) {
  Measurement measurement = streaming();
  set(measurement, counter::kActiveWarpCycles, 4e6);
  set(measurement, counter::kLongScoreboardStallWarpCycles, 1.1e6);
  set(measurement, counter::kWaitStallWarpCycles, 0.5e6);
  EXPECT_EQ(OnePoint(measurement)->bound, Bound::memory_latency);
  set(measurement, counter::kWaitStallWarpCycles, 0.6e6);
  EXPECT_EQ(OnePoint(measurement)->bound, Bound::latency);
  set(measurement, counter::kLongScoreboardStallWarpCycles, 0.2e6);
  set(measurement, counter::kShortScoreboardStallWarpCycles, 0.5e6);
  EXPECT_EQ(OnePoint(measurement)->bound, Bound::instruction_latency);
  set(measurement, counter::kShortScoreboardStallWarpCycles, 0.3e6);
  EXPECT_EQ(OnePoint(measurement)->bound, Bound::latency) << "less than a quarter";
}

// As of attention that computes a softmax between two products.
TEST(ObservedPoint, WithoutALimitNamesWhatIsNearestToIt) {
  Measurement measurement = streaming();
  const double time_s = time_per_launch_s(measurement);
  const auto device = run_of({}).device();
  const auto use_xu = [&](double share) {
    set(measurement, counter::kXuPipeInstructions,
        share * 0.5 * device.sm_count * device.sm_clock_hz * time_s);
  };
  set(measurement, counter::kTensorPipeInstructions, 1e3);
  set(measurement, counter::kTensorPipeHfma2, 0);
  set(measurement, counter::kTensorBf16Ops, 0.45 * 900e12 * time_s);
  set(measurement, counter::kActiveWarpCycles, 4e6);
  set(measurement, counter::kLongScoreboardStallWarpCycles, 0.1e6);
  set(measurement, counter::kShortScoreboardStallWarpCycles, 1.5e6);
  const auto found = [&] {
    const OnePoint point(measurement);
    EXPECT_EQ(point->bound, Bound::instruction_latency);
    return explain(point.run, *point).findings.at(0);
  };
  const auto has = [](const Quantity& quantity) {
    return Contains(testing::Field(&QuantityValue::quantity, &quantity));
  };
  use_xu(0.4);
  EXPECT_EQ(found().rule, "instruction-latency-of-products-and-exponentials");
  use_xu(0.3);
  EXPECT_THAT(found().rule, Not(HasSubstr("products")));
  EXPECT_THAT(found().evidence, AllOf(has(quantity::kTensorShare), has(quantity::kXuShare)));
}

/// Of 1.2 waves, in which SMs have warps for `share` of the time.
Measurement two_waves(double share, std::string_view name = "copy") {
  Measurement measurement = streaming(name);
  const double sms = run_of({}).device().sm_count;
  measurement.launch.grid = static_cast<std::uint64_t>(sms * 8 * 1.2);
  set(measurement, counter::kOccupancy, 0.5);
  set(measurement, counter::kSmClockHz, 1e9);
  set(measurement, counter::kActiveWarpCycles, share * 0.5 * 64 * sms * 1e9 * time_per_launch_s(measurement));
  return measurement;
}

TEST(ObservedPoint, OfSeveralWavesIsATailIfTheLastLeavesSmsIdle) {
  EXPECT_EQ(OnePoint(two_waves(0.65))->bound, Bound::tail);
  EXPECT_NE(OnePoint(two_waves(0.85))->bound, Bound::tail);
  Measurement uncounted = two_waves(0.85);
  refuse(uncounted, counter::kOccupancy);
  EXPECT_EQ(OnePoint(uncounted)->bound, Bound::tail) << "by its waves";
}

TEST(ObservedPoint, IsToldToSplitWhatItDoesOnlyIfItMultipliesMatrices) {
  const auto advice = [](const Measurement& measurement) {
    const OnePoint point(measurement);
    return std::string(explain(point.run, *point).findings.at(0).next_step);
  };
  Measurement product = two_waves(0.6, "ampere_sgemm_128x64_nn");
  EXPECT_THAT(advice(product), HasSubstr("split-K"));
  Measurement copy = two_waves(0.6, constructed::kAddName);
  EXPECT_THAT(advice(copy), Not(HasSubstr("split-K")));
  for (Measurement* one : {&product, &copy}) one->launch.grid = 1;
  EXPECT_THAT(advice(product), HasSubstr("split-K"));
  EXPECT_THAT(advice(copy), Not(HasSubstr("split-K")));
}

// Half of the block slots are free, and each warp has 256 instructions to execute.
TEST(ObservedPoint, OfHalfAWaveOfLongBlocksIsATail) {
  Measurement measurement = streaming();
  const double sms = run_of({}).device().sm_count;
  measurement.launch.grid = static_cast<std::uint64_t>(sms * 8 * 0.49);
  measurement.launch.block = 128;
  const double warps = 4.0 * static_cast<double>(measurement.launch.grid);
  set(measurement, counter::kWarpInstructions, 256 * warps);
  EXPECT_EQ(OnePoint(measurement)->bound, Bound::tail);
  set(measurement, counter::kActiveWarpCycles, 4e6);
  set(measurement, counter::kLongScoreboardStallWarpCycles, 0.9e6);
  EXPECT_EQ(OnePoint(measurement)->bound, Bound::tail) << "what its warps wait for is no cause";
  set(measurement, counter::kLongScoreboardStallWarpCycles, 1.1e6);
  EXPECT_EQ(OnePoint(measurement)->bound, Bound::memory_latency);
  measurement.counters.erase(std::string(counter::kLongScoreboardStallWarpCycles));
  set(measurement, counter::kWarpInstructions, 255 * warps);
  EXPECT_EQ(OnePoint(measurement)->bound, Bound::latency) << "more blocks would cost more than they gain";
}

TEST(ObservedPoint, HasOneDataPipeForL1AndSharedMemory) {
  Measurement measurement = streaming();
  set(measurement, counter::kDramReadBytes, 0);
  set(measurement, counter::kDramWriteBytes, 0);
  set(measurement, counter::kL1Bytes, 30e12 * 35e-6);
  set(measurement, counter::kSharedBytes, 30e12 * 30e-6);
  const OnePoint both(measurement);
  EXPECT_NEAR(*find_use(*both, Bound::l1)->time_s, 65e-6, 1e-12);
  EXPECT_NEAR(*find_use(*both, Bound::shared)->time_s, 30e-6, 1e-12);
  EXPECT_EQ(both->bound, Bound::l1);
  set(measurement, counter::kDataPipeWavefronts, 30e12 * 90e-6 / 128);
  EXPECT_NEAR(*find_use(*OnePoint(measurement), Bound::l1)->time_s, 90e-6, 1e-12) << "as counted";
}

// Of XLA's products: 805 MB of 822 MB that L1 was asked for were copied to shared memory.
TEST(ObservedPoint, DoesNotCountCopiesToSharedMemoryTwice) {
  Measurement measurement = streaming();
  set(measurement, counter::kDramReadBytes, 0);
  set(measurement, counter::kDramWriteBytes, 0);
  set(measurement, counter::kL1Bytes, 30e12 * 35e-6);
  set(measurement, counter::kSharedBytes, 30e12 * 40e-6);
  set(measurement, counter::kSharedWavefronts, 30e12 * 40e-6 / 128);
  const auto pipe_s = [&](double loads_s) {
    set(measurement, counter::kSharedLoadWavefronts, 30e12 * loads_s / 128);
    set(measurement, counter::kSharedStoreWavefronts, 0);
    return *find_use(*OnePoint(measurement), Bound::shared)->time_s;
  };
  EXPECT_NEAR(pipe_s(40e-6), 75e-6, 1e-12) << "all of it loads";
  EXPECT_NEAR(pipe_s(20e-6), 55e-6, 1e-12) << "half of it copies";
  EXPECT_NEAR(pipe_s(0), 40e-6, 1e-12);
}

TEST(ObservedPoint, CountsWavefrontsOfAllAccessesToSharedMemory) {
  Measurement measurement = streaming();
  set(measurement, counter::kL1Bytes, 0);
  set(measurement, counter::kSharedBytes, 30e12 * 10e-6);
  set(measurement, counter::kSharedLoadWavefronts, 30e12 * 20e-6 / 128);
  EXPECT_NEAR(*find_use(*OnePoint(measurement), Bound::shared)->time_s, 20e-6, 1e-12);
  set(measurement, counter::kSharedWavefronts, 30e12 * 40e-6 / 128);
  EXPECT_NEAR(*find_use(*OnePoint(measurement), Bound::shared)->time_s, 40e-6, 1e-12);
}

// V12: NCCL's processes are not instrumented, but the hardware counts the data pipe.
TEST(ObservedPoint, WithAnIdleDataPipeCannotBeBoundBySharedMemory) {
  Measurement measurement = streaming();
  refuse(measurement, counter::kSharedBytes);
  set(measurement, counter::kTensorPipeInstructions, 0);
  set(measurement, counter::kTensorPipeHfma2, 0);
  EXPECT_EQ(OnePoint(measurement)->bound, Bound::unknown);
  set(measurement, counter::kDataPipeWavefronts, 30e12 * 50e-6 / 128);
  EXPECT_EQ(OnePoint(measurement)->bound, Bound::latency);
}

TEST(ObservedPoint, IsHeldAgainstL2ByReadsAndWrites) {
  auto run = run_of({streaming()});
  run.ceilings.push_back(constructed::ceiling("l2_write", CeilingKind::bandwidth, CeilingSource::measured,
                                              "l2", "write", 4e12, ""));
  set(run.measurements.front(), counter::kL2Bytes, 240e6);
  set(run.measurements.front(), counter::kL2WriteBytes, 80e6);
  const Analysis analysis = analyse(run);
  const ResourceUse& use = *find_use(analysis.experiments.at(0).points.at(0), Bound::l2);
  EXPECT_NEAR(*use.time_s, 160e6 / 8e12 + 80e6 / 4e12, 1e-12);
  EXPECT_THAT(use.ceilings, testing::ElementsAre("l2_read", "l2_write"));
}

// 4 kB are set while 200 MB that others left in L2 go to DRAM.
TEST(ObservedPoint, IsNotHeldAgainstWhatOthersLeftInL2) {
  Measurement measurement = streaming();
  set(measurement, counter::kL2Bytes, 4096);
  set(measurement, counter::kL1Bytes, 4096);
  const OnePoint point(measurement);
  EXPECT_LT(*point->fraction_of_roofline, 0.001);
  EXPECT_EQ(point->dram_bytes, 200e6) << "as counted";
}

// Each line that a kernel brings into L2 may drive out one of others.
TEST(ObservedPoint, IsHeldAgainstWhatItDrivesOutOfL2) {
  Measurement measurement = streaming();
  const auto with = [&](double l2_bytes, double l2_write_bytes) {
    set(measurement, counter::kL2Bytes, l2_bytes);
    set(measurement, counter::kL2WriteBytes, l2_write_bytes);
    return find_use(*OnePoint(measurement), Bound::dram)->amount;
  };
  EXPECT_EQ(with(200e6, 0), 200e6) << "100 MB read, 100 MB of others";
  EXPECT_EQ(with(20e6, 0), 80e6) << "40 MB read, at most, and as many of others";
}

TEST(ObservedPoint, SaysWhatOthersLeftInL2IfDramIsItsRoof) {
  Measurement measurement = streaming();
  set(measurement, counter::kL2WriteBytes, 80e6);
  EXPECT_THAT(OnePoint(measurement)->evidence,
              Contains(HasSubstr("20 of the 200 MB that DRAM moved are earlier kernels' data")));
  set(measurement, counter::kL2WriteBytes, 95e6);
  EXPECT_THAT(OnePoint(measurement)->evidence, Not(Contains(HasSubstr("earlier kernels"))));
}

// V9: those of flash attention's gradients go to millions of addresses.
TEST(ObservedPoint, WithAtomicsOnManySlicesOfL2IsNotBoundByThem) {
  Measurement measurement = streaming();
  set(measurement, counter::kL2AtomicOperations, 2e6);
  EXPECT_EQ(OnePoint(measurement)->bound, Bound::unknown);
  set(measurement, counter::kL2AtomicBusiestSlice, 2e6 / 96);
  auto run = run_of({measurement});
  run.ceilings.push_back(constructed::ceiling("atomic_i32", CeilingKind::latency, CeilingSource::measured,
                                              "i32", "atomic", 1e-9, ""));
  const Analysis analysis = analyse(run);
  const RooflinePoint& point = analysis.experiments.at(0).points.at(0);
  EXPECT_EQ(point.bound, Bound::latency);
  EXPECT_THAT(point.verdict.unjudged, IsEmpty());
}

// One address would take 75 % of the time, as many as there are in a slice take 30 %.
TEST(ObservedPoint, IsBoundByAtomicsOnlyIfFewSlicesOfL2HaveThem) {
  const auto bound_with = [](double slices) {
    Measurement measurement = streaming();
    set(measurement, counter::kFadd, 1e6);
    set(measurement, counter::kL2AtomicOperations, slices * 75'000);
    set(measurement, counter::kL2AtomicBusiestSlice, 75'000);
    auto run = run_of({measurement});
    for (const auto& [type, each_s] : {std::pair("f32", 1e-9), {"i32", 0.4e-9}}) {
      run.ceilings.push_back(constructed::ceiling(fmt::format("atomic_{}", type), CeilingKind::latency,
                                                  CeilingSource::measured, type, "atomic", each_s, ""));
    }
    return analyse(run).experiments.at(0).points.at(0).bound;
  };
  EXPECT_EQ(bound_with(1), Bound::atomics);
  EXPECT_EQ(bound_with(20), Bound::atomics);
  EXPECT_EQ(bound_with(94), Bound::latency);
}

TEST(ObservedPoint, HasIntervalsFromItsTimesAndTheSpreadOfItsCounts) {
  Measurement measurement = streaming();
  measurement.counter_repeats = 3;
  measurement.counter_spread = {{"dram_read_bytes", 0.1}, {"dram_write_bytes", 0.1}};
  const OnePoint point(measurement);
  ASSERT_TRUE(point->fraction_interval);
  EXPECT_NEAR(point->fraction_interval->high, 0.5 * 1.1304, 1e-3) << "1.304 times the range of three";
  EXPECT_NEAR(point->fraction_interval->low, 0.5 / 1.1304, 1e-3);
  EXPECT_NEAR(point->launches->recoverable_interval_s->low, 1e-3 * (1 - 0.5 * 1.1304), 1e-6);
  measurement.counter_spread.clear();
  EXPECT_NEAR(OnePoint(measurement)->fraction_interval->high, 0.5 * (1 + 32e-9 / 100e-6), 1e-6)
      << "one tick of the timer";
  measurement.counter_repeats = 1;
  EXPECT_FALSE(OnePoint(measurement)->fraction_interval) << "nobody knows how launches differ";
}

TEST(ObservedPoint, HasNoIntensityOfDifferentLaunches) {
  Measurement measurement = streaming();
  set(measurement, counter::kFadd, 3e8);
  EXPECT_TRUE(OnePoint(measurement)->ai_executed);
  measurement.counter_spread = {{"fadd", 4.5}};
  EXPECT_FALSE(OnePoint(measurement)->ai_executed);
  measurement.launches->period = 25;
  EXPECT_TRUE(OnePoint(measurement)->ai_executed);
}

TEST(ObservedPoint, NamesTheClustersOfItsWork) {
  Measurement measurement = streaming();
  measurement.launches->clusters = WorkClusters{"tensor_bf16_ops", {{0.75, 1e9}, {0.25, 4e9}}};
  EXPECT_THAT(
      OnePoint(measurement)->evidence,
      Contains(HasSubstr("different work: by tensor_bf16_ops, 75 % do the least, 25 % 4.0 times as much;")));
}

TEST(ObservedPoint, HasTensorCoresAtItsClock) {
  Measurement measurement = streaming();
  set(measurement, counter::kTensorPipeInstructions, 1e6);
  set(measurement, counter::kTensorPipeHfma2, 0);
  set(measurement, counter::kTensorBf16Ops, 900e12 * 80e-6);
  set(measurement, counter::kSmClockHz, 1.6e9);
  auto run = run_of({measurement});
  for (Ceiling& ceiling : run.ceilings) {
    if (ceiling.id == "bf16_tensor") ceiling.sm_clock_hz = 1.8e9;
  }
  run.ceilings.push_back(constructed::ceiling("bf16_tensor_sustained", CeilingKind::compute,
                                              CeilingSource::measured, "bf16", "sustained", 850e12, ""));
  const Analysis analysis = analyse(run);
  const ResourceUse& use = *find_use(analysis.experiments.at(0).points.at(0), Bound::tensor);
  EXPECT_NEAR(*use.time_s, 80e-6, 1e-12);
  EXPECT_NEAR(*use.time_at_clock_s, 90e-6, 1e-12);
  EXPECT_NEAR(*use.sustained_time_s, 80e-6 * 900 / 850, 1e-12);
}

TEST(ObservedPoint, ThatWasNotCountedNamesTheReasonAndHasNoZeros) {
  Measurement measurement = streaming();
  for (const auto& [key, value] : Counters(measurement.counters)) refuse(measurement, key);
  const OnePoint point(measurement);
  EXPECT_FALSE(point->roof);
  EXPECT_EQ(point->roof_missing, "DRAM bytes not counted: too late");
  EXPECT_FALSE(point->dram_bytes);
  EXPECT_FALSE(point->flops_executed);
  EXPECT_THAT(point->executed_missing, HasSubstr("too late"));
  EXPECT_THAT(point->levels, IsEmpty());
  EXPECT_THAT(point->verdict.shares, IsEmpty());
  EXPECT_EQ(point->bound, Bound::unknown);
  EXPECT_THAT(point->flags, ElementsAre(Flag::not_counted));
}

TEST(ObservedPoint, WithoutItsOperationsHasNoRoofButItsLevels) {
  Measurement measurement = streaming();
  refuse(measurement, counter::kFadd);
  const OnePoint point(measurement);
  EXPECT_FALSE(point->roof);
  EXPECT_EQ(point->roof_missing, "FP32 operations not counted: too late");
  EXPECT_DOUBLE_EQ(*find_level(*point, MemoryLevel::dram)->utilisation, 0.5);
}

// Like a CUDA graph, whose kernels are not instrumented: 200 MB take 50 µs.
TEST(ObservedPoint, HasARoofWhereItsPipesExecutedTooLittleToBeIt) {
  const auto with_pipes = [](double fma, double fp64) {
    Measurement measurement = streaming();
    for (const auto key :
         {counter::kFadd, counter::kFfma, counter::kDfma, counter::kHfma, counter::kIntegerOps})
      refuse(measurement, key);
    set(measurement, counter::kFmaPipeInstructions, fma);
    set(measurement, counter::kFp64PipeInstructions, fp64);
    return measurement;
  };
  // 64 operations each at 60e12 per second: 43 µs at most.
  const OnePoint little(with_pipes(40e6, 0));
  ASSERT_TRUE(little->roof) << little->roof_missing;
  EXPECT_EQ(little->roof->resource, Bound::dram);
  EXPECT_DOUBLE_EQ(*little->fraction_of_roofline, 0.5);
  EXPECT_FALSE(little->flops_executed);
  EXPECT_FALSE(is_fully_counted(*little->measurement));

  EXPECT_EQ(OnePoint(with_pipes(50e6, 0))->roof_missing, "FP32 operations not counted: too late");
  EXPECT_FALSE(OnePoint(with_pipes(1e6, 1))->roof) << "there is no ceiling of FP64";
  // 128 operations each at 120e12 per second: 53 µs at most.
  Measurement half = with_pipes(0, 0);
  set(half, counter::kFp16PipeInstructions, 50e6);
  EXPECT_FALSE(OnePoint(half)->roof);
}

// Like a product in a CUDA graph, or beside NCCL.
TEST(ObservedPoint, HasTheOperationsOfItsTensorCoresWhereAllOthersAreNegligible) {
  const auto product = [](double fma, double fp64) {
    Measurement measurement = streaming("gemm");
    for (const auto key : {counter::kFadd, counter::kFfma, counter::kHfma}) refuse(measurement, key);
    set(measurement, counter::kTensorPipeInstructions, 1e6);
    set(measurement, counter::kTensorBf16Ops, 64e9);
    set(measurement, counter::kFmaPipeInstructions, fma);
    set(measurement, counter::kFp64PipeInstructions, fp64);
    return measurement;
  };
  // Of 32 lanes that do two packed multiply-adds each: 128 operations an instruction, 0.99 % of 64e9.
  const OnePoint point(product(4.95e6, 0));
  EXPECT_EQ(point->flops_executed, 64e9);
  EXPECT_DOUBLE_EQ(point->roof->flop_per_s, 900e12);
  EXPECT_FALSE(is_fully_counted(*point->measurement));

  expect_without_operations(product(5.05e6, 0));
  expect_without_operations(product(0, 10.1e6));  // two operations a lane
  Measurement packed = product(0, 0);
  set(packed, counter::kTensorPipeHfma2, 5.05e6);
  set(packed, counter::kTensorPipeInstructions, 1e6 + 5.05e6);
  expect_without_operations(packed);
  Measurement half = product(0, 0);
  set(half, counter::kFp16PipeInstructions, 5.05e6);
  expect_without_operations(half);
  Measurement uncounted = product(0, 0);
  refuse(uncounted, counter::kFp64PipeInstructions);
  expect_without_operations(uncounted);
  Measurement atomics = product(0, 0);
  set(atomics, counter::kL2AtomicOperations, 1e9);
  EXPECT_THAT(OnePoint(atomics)->executed_missing, HasSubstr("atomic operations"));
}

TEST(ObservedPoint, ThatWaitsForOtherGpusHasNoRoof) {
  Measurement measurement = streaming();
  measurement.launches->symbol =
      "_Z39ncclDevKernel_AllReduce_Sum_f32_RING_LL24ncclDevKernelArgsStorageILm4096EE";
  const OnePoint point(measurement);
  EXPECT_FALSE(point->roof);
  EXPECT_THAT(point->roof_missing, HasSubstr("other GPUs"));
  EXPECT_EQ(point->bound, Bound::communication);
  const std::vector<Finding> findings = explain(point.run, *point).findings;
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].rule, "communication");
  EXPECT_TRUE(point->dram_bytes_per_s);
}

TEST(ObservedPoint, WithoutTheOperationsOfItsTensorInstructionsHasNoRoof) {
  Measurement measurement = streaming();
  set(measurement, counter::kTensorPipeInstructions, 5000);
  const OnePoint point(measurement);
  EXPECT_FALSE(point->roof);
  EXPECT_THAT(point->roof_missing, HasSubstr("5000 tensor instructions"));
}

TEST(ObservedPoint, HasARoofThoughL1AndSharedMemoryAreNotKnown) {
  Measurement measurement = streaming();
  refuse(measurement, counter::kL1Bytes);
  refuse(measurement, counter::kSharedBytes);
  const OnePoint point(measurement);
  EXPECT_EQ(find_level(*point, MemoryLevel::l1), nullptr);
  EXPECT_EQ(find_level(*point, MemoryLevel::shared), nullptr);
  EXPECT_EQ(find_use(*point, Bound::l1)->missing, "L1 bytes not counted: too late");
  EXPECT_DOUBLE_EQ(*point->fraction_of_roofline, 0.5);
  // One of the two may be what it waits for.
  EXPECT_EQ(point->bound, Bound::unknown);
}

TEST(ObservedPoint, WithManyAtomicsIsNotCalledLatencyBound) {
  Measurement measurement = streaming();
  EXPECT_EQ(OnePoint(measurement)->bound, Bound::latency);
  set(measurement, counter::kL2AtomicOperations, 1e6);
  EXPECT_EQ(OnePoint(measurement)->bound, Bound::unknown);
}

TEST(ObservedPoint, IsExplainedWithoutRulesOverDeclaredWork) {
  const OnePoint point(streaming());
  const PointExplanation explanation = explain(point.run, *point);
  for (const UnjudgedRule& rule : explanation.unjudged) {
    EXPECT_THAT(rule.missing, testing::Each(testing::Not(HasSubstr("compulsory")))) << rule.rule;
    EXPECT_THAT(rule.missing, testing::Each(testing::Not(HasSubstr("redundancy")))) << rule.rule;
  }
}

TEST(ObservedPoint, HasScatteredLoadsWhereSectorsAreWastedAndL2IsBusy) {
  const auto finds = [](double efficiency, double l2_bytes) {
    Measurement measurement = streaming();
    set(measurement, counter::kGlobalLoadSectorEfficiency, efficiency);
    set(measurement, counter::kL2Bytes, l2_bytes);
    set(measurement, counter::kL1Bytes, l2_bytes);
    const OnePoint point(measurement);
    const std::vector<Finding> findings = explain(point.run, *point).findings;
    return std::any_of(findings.begin(), findings.end(),
                       [](const Finding& finding) { return finding.rule == "scattered-loads"; });
  };
  EXPECT_TRUE(finds(0.3, 320e6));  // 40 of 100 µs
  EXPECT_FALSE(finds(0.6, 320e6));
  EXPECT_FALSE(finds(0.3, 160e6));
}

/// The advice on a kernel of that name, half as fast as DRAM, whose registers leave room for few blocks.
PointExplanation advice_on(std::string_view name) {
  Measurement measurement = streaming(name);
  measurement.launch.grid = 132 * 16;
  measurement.resources = KernelResources{255, 0, 1, 1};
  set(measurement, counter::kOccupancy, 0.05);
  const OnePoint point(measurement);
  return explain(point.run, *point);
}

TEST(ObservedPoint, OfALibraryIsNotAdvisedToChangeItsSource) {
  const auto finds = [](const PointExplanation& explanation, std::string_view rule) {
    return std::any_of(explanation.findings.begin(), explanation.findings.end(),
                       [&](const Finding& finding) { return finding.rule == rule; });
  };
  const PointExplanation own = advice_on("void stream<float>(float*)");
  const PointExplanation library = advice_on(constructed::kAddName);
  EXPECT_TRUE(finds(own, "register-limited"));
  EXPECT_FALSE(finds(library, "register-limited"));
  ASSERT_FALSE(library.findings.empty());
  EXPECT_THAT(own.findings.front().next_step, HasSubstr("Use fewer registers"));
  EXPECT_EQ(library.findings.front().rule, "latency");
  EXPECT_THAT(library.findings.front().next_step, HasSubstr("a larger batch"));
}

TEST(ObservedPoint, OfALibraryHasAdviceThoughItsBoundIsUnknown) {
  const auto ids = [](std::string_view name) {
    Measurement measurement = streaming(name);
    set(measurement, counter::kL2AtomicOperations, 1e6);
    const OnePoint point(measurement);
    std::vector<std::string_view> found;
    for (const Finding& finding : explain(point.run, *point).findings) found.push_back(finding.rule);
    return found;
  };
  EXPECT_THAT(ids("cudnn_generated_fort_native_sdpa_sm90_flash_bprop"), ElementsAre("library-kernel"));
  EXPECT_THAT(ids("attention"), IsEmpty());
}

TEST(Rules, HaveAdviceForKernelsOfLibrariesOnEveryVerdict) {
  for (const Rule& rule : rules()) {
    EXPECT_TRUE(rule.importance != Importance::bound || !rule.step_for_library.empty()) << rule.id;
    for (const char* source : {"__launch_bounds__", "unroll", "__syncthreads", "pad ", "torch.compile"}) {
      if (rule.id == "unvectorised") continue;  // of PyTorch
      EXPECT_EQ(rule.step_for_library.find(source), std::string_view::npos) << rule.id;
    }
  }
}

TEST(Recoverable, IsWhatAllLaunchesTakeBeyondTheRoof) {
  Measurement far = streaming("far");
  far.time->median_s = 200e-6;
  far.launches->total_s = 10 * 200e-6;
  const auto run = run_of({streaming("near"), far});
  const Analysis analysis = analyse(run);
  const auto program = program_use(run, analysis.experiments.at(0));
  ASSERT_TRUE(program);
  EXPECT_DOUBLE_EQ(program->kernel_s, 3e-3);
  ASSERT_EQ(program->groups.size(), 2U);
  const RooflinePoint& longest = *program->groups[0];
  EXPECT_EQ(longest.label, "far");
  EXPECT_DOUBLE_EQ(*longest.launches->recoverable_s, 2e-3 * 0.75);
  EXPECT_DOUBLE_EQ(*program->groups[1]->launches->recoverable_s, 1e-3 * 0.5);
  EXPECT_DOUBLE_EQ(longest.launches->share, 2.0 / 3);
  EXPECT_THAT(program->recoverable, ElementsAre(program->groups[0], program->groups[1]));
  EXPECT_EQ(program->concentration.kernels, 1U);
  EXPECT_DOUBLE_EQ(program->concentration.share, 2.0 / 3);
}

TEST(Recoverable, IsKnownOfAStepWhereTheStepsOfOneProcessAreCounted) {
  Measurement measurement = streaming_in("step", "copy");
  measurement.launches->count = 30;  // 10 of them were traced
  auto run = run_of({measurement});
  run.application->processes = {{.id = 1}};
  run.application->ranges = {
      {.path = "step", .count = 15, .undisturbed = 9, .median_s = 1e-3, .p95_s = 1e-3, .interval_s = 1e-3}};
  const auto of_step = [&] {
    return analyse(run).experiments.at(0).points.at(0).launches->recoverable_per_step_s;
  };
  // 50 of 100 µs, twice a step.
  EXPECT_THAT(of_step(), testing::Optional(DoubleNear(2 * 50e-6, 1e-12)));
  run.application->processes = {{.id = 1}, {.id = 2}};
  EXPECT_EQ(of_step(), std::nullopt) << "whose steps they are is not known";
  run.application->processes = {{.id = 1}};
  run.application->ranges.clear();
  EXPECT_EQ(of_step(), std::nullopt);
}

TEST(Recoverable, LeavesOutOfAStepWhatRanInRangesThatNeverCameWhileStepsWereTimed) {
  auto run = run_of(
      {streaming_in("step/forward", "copy"), streaming_in("tuning/trial", "trial"), streaming("set-up")});
  run.application->processes = {{.id = 1}};
  run.application->ranges = {
      {.path = "step", .count = 15, .undisturbed = 9, .median_s = 1e-3, .p95_s = 1e-3, .interval_s = 1e-3},
      {.path = "tuning", .count = 4, .undisturbed = 0}};
  const auto analysis = analyse(run);
  const auto& points = analysis.experiments.at(0).points;
  EXPECT_EQ(points[0].launches->in_steps_s, points[0].launches->total_s);
  EXPECT_EQ(points[1].launches->in_steps_s, 0);
  EXPECT_GT(*points[1].launches->recoverable_s, 0);
  EXPECT_EQ(points[1].launches->recoverable_per_step_s, 0);
  EXPECT_EQ(points[2].launches->in_steps_s, points[2].launches->total_s) << "nobody knows when it ran";

  const auto program = program_use(run, analysis.experiments.at(0));
  EXPECT_EQ(program->groups_beside_steps, 1U);
  EXPECT_DOUBLE_EQ(program->in_steps_s, program->kernel_s - points[1].launches->total_s);
  EXPECT_THAT(program->recoverable, testing::Not(testing::Contains(&points[1])));
  EXPECT_DOUBLE_EQ(time_share(*program, program->in_steps_s), program->busy_share().value_or(1));
  for (const Loss& loss : losses(*program))
    EXPECT_THAT(loss.groups, testing::Not(testing::Contains(&points[1])));
  for (const RangeUse& range : program->ranges) {
    EXPECT_EQ(range.in_steps_s, range.path.starts_with("tuning") ? 0 : range.total_s) << range.path;
  }

  run.application->ranges[1].undisturbed = 1;
  EXPECT_GT(analyse(run).experiments.at(0).points[1].launches->in_steps_s, 0);
}

TEST(Recoverable, OfAKernelInSeveralShapesIsNamedWhereItIsMoreThanThatOfAnyGroup) {
  const auto shape = [](std::string_view name, std::uint64_t grid, double factor) {
    Measurement measurement = streaming(name);
    measurement.point.axes.set("grid", grid);
    measurement.launches->total_s *= factor;
    return measurement;
  };
  const auto most = [](const rooflinectl::Run& run) -> std::size_t {
    const Analysis analysis = analyse(run);
    const auto savings = kernel_savings(*program_use(run, analysis.experiments.at(0)));
    return savings.empty() ? 0 : savings.front().groups.size();
  };
  // Of 10 launches of 100, 85 and 75 µs, the roof needs 50.
  EXPECT_EQ(most(run_of({shape("a", 1, 1), shape("b", 1, 0.85), shape("b", 2, 0.85)})), 2U);
  EXPECT_EQ(most(run_of({shape("a", 1, 1), shape("b", 1, 0.75), shape("b", 2, 0.75)})), 0U);
  EXPECT_EQ(most(run_of({shape("a", 1, 1), shape("b", 1, 0.6)})), 0U);
}

TEST(TimeByLimit, SumsTheKernelsThatOneThingBounds) {
  const auto run = constructed::program_run();
  const Analysis analysis = analyse(run);
  const auto program = program_use(run, analysis.experiments.at(0));
  ASSERT_TRUE(program);
  const std::vector<TimeLimit> limits = time_by_limit(*program);
  ASSERT_GT(limits.size(), 1U);
  double share = 0;
  double recoverable_s = 0;
  std::size_t groups = 0;
  for (std::size_t i = 0; i < limits.size(); ++i) {
    EXPECT_GE(limits[i > 0 ? i - 1 : 0].in_steps_s, limits[i].in_steps_s);
    for (const RooflinePoint* group : limits[i].groups) {
      EXPECT_EQ(group->bound, limits[i].bound);
      EXPECT_LE(group->launches->total_s, limits[i].groups.front()->launches->total_s);
    }
    share += limits[i].share;
    recoverable_s += limits[i].recoverable_s;
    groups += limits[i].groups.size();
  }
  EXPECT_NEAR(share, 1, 1e-9);
  EXPECT_EQ(groups, program->groups.size());
  double all_s = 0;
  for (const RooflinePoint* group : program->recoverable) all_s += *group->launches->recoverable_s;
  EXPECT_NEAR(recoverable_s, all_s, 1e-12);
}

TEST(Recoverable, LeavesOutGroupsWithoutARoofAndStatesTheirShare) {
  Measurement uncounted = streaming("uncounted");
  for (const auto& [key, value] : Counters(uncounted.counters)) refuse(uncounted, key);
  uncounted.launches->total_s = 3e-3;
  const auto run = run_of({streaming(), uncounted});
  const Analysis analysis = analyse(run);
  const auto program = program_use(run, analysis.experiments.at(0));
  EXPECT_THAT(program->recoverable, ElementsAre(program->groups[1]));
  EXPECT_DOUBLE_EQ(program->roofless_share, 0.75);
  EXPECT_DOUBLE_EQ(program->counted_share, 0.25);
}

TEST(Recoverable, IsNeverNegative) {
  Measurement measurement = streaming();
  measurement.time->median_s = 40e-6;
  for (double& sample_s : measurement.time->samples_s) sample_s = 40e-6;
  measurement.launches->total_s = 400e-6;
  const OnePoint point(measurement);
  const auto program = program_use(point.run, point.analysis.experiments.at(0));
  EXPECT_EQ(point->launches->recoverable_s, 0);
  EXPECT_THAT(program->recoverable, IsEmpty());
  EXPECT_THAT(point->flags, ElementsAre(Flag::above_roof));
}

TEST(Recoverable, IsMarkedWhereOtherKernelsRanMeanwhile) {
  Measurement measurement = streaming();
  measurement.launches->overlapped_s = 0.4e-3;
  const auto run = run_of({measurement});
  const Analysis analysis = analyse(run);
  const auto program = program_use(run, analysis.experiments.at(0));
  EXPECT_TRUE(program->groups[0]->launches->is_overlapped);
  EXPECT_DOUBLE_EQ(program->overlapped_share, 0.4);
}

TEST(Recoverable, CountsTheTimeOfKernelsThatAreInNoGroup) {
  auto run = run_of({streaming()});
  run.application->devices = {
      {.device = 0, .span_s = 4e-3, .untraced_s = 1e-3, .busy_s = 2.4e-3, .kernel_s = 2e-3}};
  const Analysis analysis = analyse(run);
  const auto program = program_use(run, analysis.experiments.at(0));
  EXPECT_DOUBLE_EQ(program->groups[0]->launches->share, 0.5);
  EXPECT_DOUBLE_EQ(*program->busy_share(), 0.8);
}

TEST(Ranges, SumWhatRanInsideOfThem) {
  Measurement a = streaming_in("step/forward", "a");
  set(a, counter::kFadd, 4e8);
  Measurement b = streaming_in("step/backward", "b");
  b.launches->total_s = 2e-3;
  Measurement c = streaming_in("step", "c");
  refuse(c, counter::kDramReadBytes);
  const auto run = run_of({a, b, c, streaming("outside")});
  const Analysis analysis = analyse(run);
  const std::vector<RangeUse> ranges = program_use(run, analysis.experiments.at(0))->ranges;
  ASSERT_EQ(ranges.size(), 3U);
  EXPECT_EQ(ranges[0].path, "step");
  EXPECT_EQ(ranges[1].path, "step/backward");
  EXPECT_EQ(ranges[2].path, "step/forward");
  EXPECT_EQ(ranges[2].depth, 1U);
  EXPECT_DOUBLE_EQ(ranges[0].total_s, 4e-3);
  EXPECT_DOUBLE_EQ(ranges[0].share, 0.8);
  // For c the operations are known to be none, but not the bytes.
  EXPECT_DOUBLE_EQ(*ranges[0].flop_per_s(), 10 * 4e8 / 4e-3);
  EXPECT_TRUE(ranges[0].has_all_flops());
  EXPECT_FALSE(ranges[0].ai());
  EXPECT_DOUBLE_EQ(*ranges[1].flop_per_s(), 0);
  EXPECT_DOUBLE_EQ(*ranges[2].ai(), 4e8 / 200e6);
}

TEST(Ranges, HaveAtLeastTheOperationsThatAreKnown) {
  Measurement known = streaming_in("step", "known");
  set(known, counter::kFadd, 4e8);
  Measurement unknown = streaming_in("step", "unknown");
  refuse(unknown, counter::kFadd);
  const auto of = [&](double unknown_s) {
    unknown.launches->total_s = unknown_s;
    const auto run = run_of({known, unknown});
    const Analysis analysis = analyse(run);
    return program_use(run, analysis.experiments.at(0))->ranges.at(0);
  };
  const RangeUse range = of(3e-3);
  EXPECT_DOUBLE_EQ(*range.flop_per_s(), 10 * 4e8 / 4e-3);
  EXPECT_DOUBLE_EQ(*range.ai(), 4e8 / 400e6);

  EXPECT_FALSE(of(0.02e-3).has_all_flops());
  EXPECT_TRUE(of(0.005e-3).has_all_flops());
  refuse(known, counter::kFadd);
  EXPECT_FALSE(of(1e-3).flop_per_s());
  EXPECT_FALSE(RangeUse{}.flop_per_s());
}

/// A device that was busy for 1 ms, and idle for the rest.
Run idle_run(std::vector<IdleGaps> gaps) {
  auto run = run_of({streaming()});
  run.measurements[0].launches->gaps_before = 3;
  run.measurements[0].launches->idle_before_s = 0.1e-3;
  run.application->devices = {{.device = 0, .undisturbed = UndisturbedUse{1e-3, std::move(gaps)}}};
  run.application->transfers = {{0, TransferKind::set, 10, 2e9, 1e-3, 2, 0.3e-3},
                                {1, TransferKind::set, 10, 2e9, 1e-3, 2, 0.3e-3}};
  return run;
}

IdleCause cause_of(std::vector<IdleGaps> gaps) {
  const auto run = idle_run(std::move(gaps));
  const Analysis analysis = analyse(run);
  return program_use(run, analysis.experiments.at(0))->idle->cause;
}

TEST(Ranges, OfWhichOneTellsHowLongAStepTakes) {
  auto run = constructed::program_run();
  const auto step = [&] {
    const Analysis analysis = analyse(run);
    const RangeTimes* found = program_use(run, analysis.experiments.front())->step;
    return found == nullptr ? std::string() : found->path;
  };
  EXPECT_EQ(step(), "step");
  const auto of = [&](std::string_view path) -> RangeTimes& {
    return *std::find_if(run.application->ranges.begin(), run.application->ranges.end(),
                         [&](const RangeTimes& range) { return range.path == path; });
  };
  of("step").count = 1;
  EXPECT_EQ(step(), "step/forward") << "what repeats within a range that does not";
  of("evaluate").count = 2;
  of("step/forward").interval_s.reset();
  EXPECT_EQ(step(), "step/optimizer");
  of("step/optimizer").path = "step/ncclAllReduce";
  for (Measurement& measurement : run.measurements) {
    if (measurement.point.axes.text("path") == "step/optimizer") {
      measurement.point.axes.set("path", std::string("step/ncclAllReduce"));
    }
  }
  EXPECT_EQ(step(), "step/forward/block") << "NCCL's functions are called many times in a step";
  run.application->ranges.clear();
  EXPECT_EQ(step(), "");
}

TEST(IdleTime, IsNamedByTheLengthsThatHaveMostOfIt) {
  const IdleGaps shortest = {5e-6, 100, 0.1e-3};
  EXPECT_EQ(cause_of({shortest, {100e-6, 10, 0.1e-3}, {{}, 1, 0.2e-3}}), IdleCause::launches);
  EXPECT_EQ(cause_of({shortest, {100e-6, 10, 0.09e-3}, {{}, 1, 0.2e-3}}), IdleCause::elsewhere);
  EXPECT_EQ(cause_of({shortest, {200e-6, 2, 0.15e-3}, {1e-3, 2, 0.15e-3}}), IdleCause::between_launches);
  EXPECT_EQ(cause_of({shortest, {1e-3, 2, 0.1e-3}, {{}, 1, 0.1e-3}}), IdleCause::unclear);
  EXPECT_EQ(cause_of({shortest}), IdleCause::unclear) << "a GPU that is busy for nine tenths is not idle";
}

TEST(IdleTime, OfFewLongGapsIsNotThatOfSteps) {
  auto run = idle_run({{5e-6, 200, 0.1e-3}, {1e-3, 40, 0.1e-3}, {{}, 3, 2e-3}});
  run.measurements[0].point.axes.set("path", std::string("step"));
  run.application->processes = {{.id = 1}};
  run.application->ranges = {{.path = "step",
                              .count = 110,
                              .undisturbed = 100,
                              .median_s = 1e-5,
                              .p95_s = 1e-5,
                              .interval_s = 12e-6}};
  const auto idle_of = [&](const auto& one) {
    const Analysis analysis = analyse(one);
    return *program_use(one, analysis.experiments.at(0))->idle;
  };
  const IdleUse idle = idle_of(run);
  EXPECT_DOUBLE_EQ(idle.share, 0.2 / 1.2);
  EXPECT_EQ(idle.beside_steps.count, 3U);
  EXPECT_DOUBLE_EQ(idle.beside_steps.total_s, 2e-3);
  EXPECT_EQ(idle.gaps.size(), 2U);
  EXPECT_TRUE(idle.before.empty()) << "before a kernel that followed one of the long gaps";
  run.application->ranges.clear();
  EXPECT_DOUBLE_EQ(idle_of(run).share, 2.2 / 3.2) << "what repeats no more often than the gaps";
  run.measurements[0].launches->count = 100;
  EXPECT_DOUBLE_EQ(idle_of(run).share, 0.2 / 1.2) << "without steps, the kernel that takes most time repeats";
}

TEST(IdleTime, IsRankedByWhatRanNext) {
  const auto run = idle_run({{5e-6, 5, 0.4e-3}});
  const Analysis analysis = analyse(run);
  const auto program = program_use(run, analysis.experiments.at(0));
  EXPECT_DOUBLE_EQ(program->idle->share, 0.4 / 1.4);
  EXPECT_DOUBLE_EQ(*program->busy_share(), 1 / 1.4);
  EXPECT_EQ(program->idle->cause_gaps, 5U);
  ASSERT_EQ(program->idle->before.size(), 2U) << "the other device has its own";
  EXPECT_EQ(program->idle->before[0].transfer->kind, TransferKind::set);
  EXPECT_DOUBLE_EQ(program->idle->before[0].share, 0.75);
  EXPECT_EQ(program->idle->before[1].group, program->groups[0]);
  EXPECT_EQ(program->idle->before[1].gaps, 3U);
}

TEST(Transfers, OfTheHostAreHeldAgainstItsLinkWhateverTheirMemory) {
  auto run = run_of({streaming()});
  for (const auto& [id, value] : {std::pair("pcie_h2d", 50e9), std::pair("pcie_d2h", 40e9)}) {
    Ceiling ceiling;
    ceiling.id = id;
    ceiling.kind = CeilingKind::transfer;
    ceiling.value = value;
    run.ceilings.push_back(ceiling);
  }
  run.application->transfers = {{0, TransferKind::host_to_device, 1, 50e6, 4e-3},
                                {0, TransferKind::device_to_pageable, 1, 12e6, 3e-3},
                                {0, TransferKind::pageable_to_device, 1, 10e6, 2e-3},
                                {0, TransferKind::device_to_host, 1, 20e6, 1e-3},
                                {0, TransferKind::peer_to_peer, 1, 20e6, 0.5e-3}};
  const Analysis analysis = analyse(run);
  const auto rates = program_use(run, analysis.experiments.at(0))->transfers;
  ASSERT_EQ(rates.size(), 5U);
  EXPECT_DOUBLE_EQ(*rates[0].fraction, 0.25);
  EXPECT_EQ(rates[0].ceiling, "pcie_h2d");
  EXPECT_DOUBLE_EQ(*rates[1].fraction, 0.1);
  EXPECT_EQ(rates[1].ceiling, "pcie_d2h");
  EXPECT_DOUBLE_EQ(*rates[2].fraction, 0.1);
  EXPECT_EQ(rates[2].ceiling, "pcie_h2d");
  EXPECT_DOUBLE_EQ(*rates[3].fraction, 0.5);
  EXPECT_FALSE(rates[4].fraction) << "the link between devices has no ceiling";
}

TEST(Transfers, AreHeldAgainstDramWhereTheyStayOnTheDevice) {
  auto run = run_of({streaming()});
  run.application->transfers = {{0, TransferKind::device_to_device, 10, 1e9, 1e-3},
                                {0, TransferKind::set, 10, 2e9, 1e-3},
                                {0, TransferKind::host_to_device, 1, 50e6, 2e-3},
                                {1, TransferKind::set, 10, 2e9, 1e-3}};
  const Analysis analysis = analyse(run);
  const auto rates = program_use(run, analysis.experiments.at(0))->transfers;
  ASSERT_EQ(rates.size(), 3U);
  EXPECT_EQ(rates[0].use->kind, TransferKind::host_to_device);
  EXPECT_DOUBLE_EQ(*rates[0].bytes_per_s, 25e9);
  EXPECT_FALSE(rates[0].fraction) << "the run is older than the ceiling of its link";
  EXPECT_DOUBLE_EQ(*rates[1].fraction, 0.5);  // read and written
  EXPECT_DOUBLE_EQ(*rates[2].fraction, 0.5);
}

std::vector<std::string> labels_of(const Run& run) {
  const Analysis analysis = analyse(run);
  std::vector<std::string> labels;
  for (const RooflinePoint& point : analysis.experiments.at(0).points) labels.push_back(point.label);
  return labels;
}

TEST(KernelLabels, HaveShapeAndPathOnlyWhereTheyTell) {
  const std::vector<std::string> labels = labels_of(constructed::program_run());
  EXPECT_THAT(labels, testing::Contains(std::string(constructed::kGemmName) + " grid 132"));
  EXPECT_THAT(labels, testing::Contains("vectorized_layer_norm<f32> in forward"));
  EXPECT_THAT(labels, testing::Contains("vectorized_layer_norm<f32> in block"));
  EXPECT_THAT(labels, testing::Contains("elementwise<add, bf16>"));
  EXPECT_THAT(labels, testing::Contains("CUDA graph of 12 nodes"));
  const std::set<std::string> different(labels.begin(), labels.end());
  EXPECT_EQ(different.size(), labels.size());
}

TEST(KernelLabels, TakeTheInnermostRangesThatTell) {
  const auto in = [](const std::string& path) {
    Measurement measurement = streaming();
    measurement.point.axes.set("path", path);
    return measurement;
  };
  EXPECT_THAT(labels_of(run_of({in("step/a/attention"), in("step/b/attention"), in("step")})),
              ElementsAre("copy in a/attention", "copy in b/attention", "copy in step"));
}

TEST(KernelLabels, HaveTheFewestDetailsThatNoOtherGroupHas) {
  const auto of = [](std::uint64_t grid, std::uint64_t shared) {
    Measurement measurement = streaming();
    measurement.point.axes.set("grid", grid);
    measurement.point.axes.set("shared", shared);
    return measurement;
  };
  EXPECT_THAT(labels_of(run_of({of(1, 64), of(1, 128), of(2, 64)})),
              ElementsAre("copy grid 1 shared 64", "copy shared 128", "copy grid 2"));
}

TEST(KernelLabels, ComeFromTheSymbolWhereTheNameWasCut) {
  Measurement measurement = streaming("templates::...44acaf53c3a5");
  measurement.launches->symbol = "_Z3addPKfS0_Pfm";
  EXPECT_THAT(labels_of(run_of({measurement})), ElementsAre("add"));
}

TEST(KernelLabels, NameRankAndProcessWhereTheRestIsTheSame) {
  Measurement first = streaming();
  first.rank = 0;
  Measurement second = streaming();
  second.rank = 1;
  EXPECT_THAT(labels_of(run_of({first, second})), ElementsAre("copy rank 0", "copy rank 1"));
  Measurement third = streaming();
  third.process = 4712;
  auto run = run_of({streaming(), third});
  run.application->processes = {{.id = 4711}, {.id = 4712}};
  EXPECT_THAT(labels_of(run), ElementsAre("copy process 1", "copy process 2"));
}

}  // namespace
}  // namespace rooflinectl::recoverable_test
