// SPDX-License-Identifier: Apache-2.0
//
// What the hardware counts against what each variant must execute and move. Skipped where there are no
// counters.

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "collector/ceilings/ceilings.h"
#include "collector/cupti/profiler.h"
#include "collector/device/device.h"
#include "collector/device/instruments.h"
#include "collector/points/prepared_point.h"
#include "core/error.h"
#include "kernels/ceiling.h"
#include "kernels/data.h"
#include "tests/gpu/device.h"

namespace rooflinectl {
namespace {

constexpr std::uint64_t kElements = std::uint64_t{1} << 25;

/// A variant at block size 256 and the f32 additions that it executes per element: those of the whole blocks
/// that the source describes, less those that the compiler leaves to the one lane that writes the result.
struct Expectation {
  std::string variant;
  std::optional<int> elements_per_thread;
  double fadd_per_element = 0;
};

std::vector<Expectation> expectations() {
  std::vector<Expectation> list;
  constexpr double kTree = 255.0 / 256;  // 256 values to one
  for (const char* id :
       {"reduce_v0_global", "reduce_v1_shared", "reduce_v2_strided", "reduce_v3_sequential"}) {
    list.push_back({id, std::nullopt, kTree});
  }
  list.push_back({"reduce_v4_add_on_load", std::nullopt, (256 + 255) / 512.0});
  // The last six steps are done by all 32 lanes.
  constexpr double kLastWarpByAllLanes = (256 + 128 + 64 + 6 * 32) / 512.0;
  for (const char* id :
       {"reduce_v5_unroll_last_warp", "reduce_v6_unroll_complete", "reduce_v6_unroll_complete_manual"}) {
    list.push_back({id, std::nullopt, kLastWarpByAllLanes});
  }
  list.push_back({"reduce_v7_multi_add", std::nullopt, (32768 + 128 + 64 + 6 * 32) / 32768.0});
  // One lane alone does the last step.
  list.push_back({"reduce_v8_warp_shuffle", std::nullopt, (32768 + 128 + 64 + 5 * 32 + 1) / 32768.0});
  list.push_back({"sum_atomic", std::nullopt, 0});  // atomic additions are not FADDs
  for (const int e : {1, 8, 128}) {
    list.push_back({"sum_warp_shuffle", e, (e + 4 + 1.0 / 32) / e});
    list.push_back({"sum_smem_tree", e, (e + kTree) / e});
    // Five shuffle steps by all lanes, then five by those of the first warp.
    list.push_back({"sum_block_shuffle", e, (e + 5 + 5 * 32 / 256.0) / e});
  }
  return list;
}

/// Atomic additions by threads, from the source.
double atomics_of(const Expectation& expectation) {
  if (!expectation.variant.starts_with("sum_")) return 0;
  const double threads = static_cast<double>(kElements) / expectation.elements_per_thread.value_or(1);
  if (expectation.variant == "sum_atomic") return threads;
  return expectation.variant == "sum_warp_shuffle" ? threads / 32 : threads / 256;
}

bool has_barriers(const Expectation& expectation) {
  return expectation.variant != "sum_atomic" && expectation.variant != "sum_warp_shuffle";
}

PointId point_of(const Expectation& expectation) {
  return {.experiment = "test",
          .subject = expectation.variant,
          .axes = axes_of({.n_elements = kElements,
                           .block_size = 256,
                           .elements_per_thread = expectation.elements_per_thread})};
}

class CountersTest : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped()) return;
    device_ = select_device("0");
    try {
      profiler_ = open_profiler(device_.index, basic_metrics());
    } catch (const Error& error) {
      GTEST_SKIP() << "no counters: " << error.what();
    }
  }

  DeviceInfo device_;
  std::unique_ptr<Profiler> profiler_;
};

TEST_F(CountersTest, AgreeWithTheWorkOfEveryVariant) {
  const Stream stream;
  CacheFlush flush(device_.l2_bytes);
  Workbench bench;
  std::vector<std::unique_ptr<VariantPoint>> points;
  std::vector<CountedRange> ranges;
  const std::vector<Expectation> expected = expectations();
  points.reserve(expected.size());
  for (const Expectation& expectation : expected) {
    VariantPoint& point =
        *points.emplace_back(std::make_unique<VariantPoint>(point_of(expectation), bench, stream, 1));
    ranges.push_back({[&] {
                        point.fill_inputs();
                        flush.enqueue(stream);
                        stream.synchronize();
                      },
                      [&] {
                        point.launch(0);
                        stream.synchronize();
                      }});
  }
  const std::vector<Counters> counters = profiler_->count(ranges);

  ASSERT_EQ(counters.size(), expected.size());
  const auto n = static_cast<double>(kElements);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    SCOPED_TRACE(range_name(points[i]->id()));
    const auto fadd = value_of(counters[i], counter::kFadd);
    ASSERT_TRUE(fadd);
    EXPECT_NEAR(*fadd / n, expected[i].fadd_per_element, 0.001 * expected[i].fadd_per_element);
    const auto read_bytes = value_of(counters[i], counter::kDramReadBytes);
    ASSERT_TRUE(read_bytes);
    EXPECT_NEAR(*read_bytes / n, 4, 0.02 * 4);
    // Counted by hardware in one pass and by instrumentation in another: the launch must do the same in both.
    EXPECT_EQ(value_of(counters[i], counter::kWarpInstructions),
              value_of(counters[i], counter::kWarpInstructionsSass));
    EXPECT_EQ(value_of(counters[i], counter::kL2AtomicOperations).value_or(-1), atomics_of(expected[i]));
    EXPECT_EQ(value_of(counters[i], counter::kL2AtomicBusiestSlice).value_or(-1), atomics_of(expected[i]))
        << "all have one address";
    const double waiting = value_of(counters[i], counter::kBarrierStallWarpCycles).value_or(-1);
    EXPECT_LT(waiting, value_of(counters[i], counter::kActiveWarpCycles).value_or(0));
    if (has_barriers(expected[i])) {
      EXPECT_GT(waiting, 0);
    } else {
      EXPECT_EQ(waiting, 0);
    }
  }
}

TEST_F(CountersTest, OfTensorOperationsAgreeWithTheMatrixProductsOfTheSource) {
  if (device_.compute_capability < 80) GTEST_SKIP() << "no variant for these Tensor Cores";
  const Stream stream;
  Workbench bench;
  const std::unique_ptr<Profiler> tensor_profiler = open_profiler(device_.index, tensor_metrics());
  const auto count = [&](const char* variant, Dtype dtype) {
    VariantPoint point({.experiment = "test",
                        .subject = variant,
                        .axes = axes_of({.dtype = dtype, .n_elements = kElements, .block_size = 256})},
                       bench, stream, 1);
    const CountedRange range{[&] {
                               point.fill_inputs();
                               stream.synchronize();
                             },
                             [&] {
                               point.launch(0);
                               stream.synchronize();
                             }};
    Counters counters = profiler_->count({range}).front();
    counters.merge(tensor_profiler->count({range}).front());
    return counters;
  };
  // A product of 16 x 8 x 16 per 256 elements, and one instruction for it.
  constexpr double kProducts = kElements / 256.0;
  constexpr double kOperations = kProducts * 2 * 16 * 8 * 16;
  for (const auto& [dtype, key, other] :
       {std::tuple{Dtype::f16, counter::kTensorF16Ops, counter::kTensorBf16Ops},
        std::tuple{Dtype::bf16, counter::kTensorBf16Ops, counter::kTensorF16Ops}}) {
    const Counters counters = count("sum_tensor", dtype);
    EXPECT_EQ(tensor_instructions(counters), kProducts);
    EXPECT_EQ(value_of(counters, key), kOperations);
    EXPECT_EQ(value_of(counters, other), 0);
    EXPECT_EQ(executed_tensor_ops(counters), kOperations);
  }
  for (const char* variant : {"sum_vector", "sum_best"}) {
    const Counters counters = count(variant, Dtype::f16);
    EXPECT_EQ(tensor_instructions(counters), 0) << variant;
    EXPECT_EQ(executed_tensor_ops(counters), 0) << variant;
  }
}

TEST_F(CountersTest, ConfirmEveryCeiling) {
  const Stream stream;
  Timer timer(device_, stream);
  CeilingBench bench(device_, timer, stream);
  for (const kernels::CeilingBenchmark& benchmark : kernels::all_ceiling_benchmarks()) {
    if (!bench.obstacle(benchmark)) bench.measure(benchmark);
  }
  const std::unique_ptr<Profiler> profiler =
      open_profiler(device_.index, ceiling_metrics(kernels::all_ceiling_benchmarks()));
  const std::vector<CountedRange> ranges = bench.ranges();
  const std::vector<Counters> counters = profiler->count(ranges);
  const std::vector<Ceiling> ceilings = bench.confirmed(counters);
  ASSERT_EQ(ceilings.size(), ranges.size());
  for (const Ceiling& ceiling : ceilings) {
    ASSERT_TRUE(ceiling.confirmation) << ceiling.id;
    EXPECT_TRUE(ceiling.confirmation->agrees) << ceiling.id << ": " << ceiling.confirmation->detail;
  }
  EXPECT_FALSE(theoretical_ceilings(device_, kernels::all_ceiling_benchmarks(), counters.front()).empty());
}

TEST_F(CountersTest, TellWritesToL2AndWavefrontsOfTheDataPipe) {
  const Stream stream;
  Timer timer(device_, stream);
  CeilingBench bench(device_, timer, stream);
  std::vector<std::string> ids;
  for (const kernels::CeilingBenchmark& benchmark : kernels::all_ceiling_benchmarks()) {
    const bool is_meant = benchmark.id == "l2_read" || benchmark.id == "l2_write" ||
                          benchmark.id == "dram_mix_25" || benchmark.id == "shared_read";
    if (!is_meant) continue;
    bench.measure(benchmark);
    ids.push_back(benchmark.id);
  }
  const std::vector<Counters> counted = profiler_->count(bench.ranges());
  ASSERT_EQ(counted.size(), ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto of = [&](std::string_view key) {
      EXPECT_TRUE(value_of(counted[i], key)) << key << " of " << ids[i];
      return value_of(counted[i], key).value_or(0);
    };
    const double written = of(counter::kL2WriteBytes) / of(counter::kL2Bytes);
    const double share = ids[i] == "l2_write" ? 1 : ids[i] == "dram_mix_25" ? 0.25 : 0;
    if (ids[i] != "shared_read") {
      EXPECT_NEAR(written, share, 0.01) << ids[i];
    }
    const double least = std::max(of(counter::kSharedBytes), of(counter::kL1Bytes)) / 128;
    EXPECT_GE(of(counter::kDataPipeWavefronts), 0.99 * least) << ids[i];
    if (ids[i] == "shared_read") {
      EXPECT_NEAR(of(counter::kSharedWavefronts), of(counter::kSharedBytes) / 128,
                  0.01 * of(counter::kSharedWavefronts));
      EXPECT_NEAR(of(counter::kDataPipeWavefronts), of(counter::kSharedWavefronts),
                  0.02 * of(counter::kSharedWavefronts));
    }
  }
}

TEST_F(CountersTest, OfCeilingsAreTakenWithOurOwnTensorKernelToo) {
  // The kernel that runs where cuBLASLt is missing: each thread block declares what the Tensor Cores count.
  const Stream stream;
  const std::unique_ptr<Profiler> profiler =
      open_profiler(device_.index, ceiling_metrics(kernels::all_ceiling_benchmarks()));
  for (const kernels::CeilingBenchmark& benchmark : kernels::all_ceiling_benchmarks()) {
    if (!benchmark.matrix || benchmark.minimum_sm > device_.compute_capability) continue;
    const kernels::CeilingBuffers none;
    const CountedRange range{[] {},
                             [&] {
                               benchmark.launch(none, 1, 256, stream);
                               stream.synchronize();
                             }};
    const Counters counters = profiler->count({range}).front();
    const Confirmation confirmation =
        confirm(benchmark, benchmark.amount(none, 1, 256), counters, device_.l2_bytes);
    if (benchmark.id == "f8_tensor" && device_.compute_capability == 90) {
      // Hopper executes mma.sync of 8-bit floats as f16: the ceiling is then reported as not confirmed.
      EXPECT_GT(value_of(counters, counter::kTensorF16Ops).value_or(0), 0);
      continue;
    }
    EXPECT_TRUE(confirmation.agrees) << benchmark.id << ": " << confirmation.detail;
  }
}

}  // namespace
}  // namespace rooflinectl
