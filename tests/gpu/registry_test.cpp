// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/ceiling.h"
#include "kernels/variant.h"
#include "runner/machine/catalogue.h"

namespace rooflinectl::kernels {
namespace {

/// Every way to ask for a variant, at a few sizes.
std::vector<Problem> problems_of(const Variant& variant) {
  std::vector<Problem> problems;
  const std::vector<int> elements_per_thread =
      variant.info.default_elements_per_thread
          ? std::vector{1, *variant.info.default_elements_per_thread, 128}
          : std::vector{0};
  for (const std::uint64_t n : {0ULL, 1ULL, 256ULL, 257ULL, 1'048'579ULL, (1ULL << 32) + 5}) {
    for (const int block_size : variant.info.block_sizes) {
      for (const int elements : elements_per_thread) {
        problems.push_back(
            {.dtype = Dtype::f32, .n = n, .block_size = block_size, .elements_per_thread = elements});
      }
    }
  }
  return problems;
}

/// What a build without the collector lists is what the collector has. `registered` have the file of each id.
void expect_listed(const std::vector<std::string_view>& listed,
                   const std::map<std::string, std::string>& registered, const std::string& name) {
  for (const std::string_view id : listed) {
    EXPECT_TRUE(registered.contains(std::string(id))) << name << " '" << id << "' registers another id";
  }
  for (const auto& [id, file] : registered) {
    EXPECT_THAT(listed, testing::Contains(id)) << name << " of '" << id << "' in " << file << " is another";
  }
}

TEST(Registry, VariantIdsAreFileNames) {
  std::map<std::string, std::string> ids;
  for (const Variant& variant : all_variants()) ids.emplace(variant.info.id, variant.file);
  expect_listed(kVariantIds, ids, "the name of the file");
}

TEST(Registry, CeilingIdsAreNamesOfRegistrations) {
  std::map<std::string, std::string> ids;
  for (const CeilingBenchmark& benchmark : all_ceiling_benchmarks()) {
    ids.emplace(benchmark.id, benchmark.file);
  }
  expect_listed(kCeilingIds, ids, "the name of the CeilingRegistration");
}

TEST(Registry, VariantsAreSortedWithNumbersByValue) {
  const auto place = [](std::string_view id) { return find_variant(id) - all_variants().data(); };
  EXPECT_LT(place("reduce_v0_global"), place("reduce_v1_shared"));
  EXPECT_LT(place("reduce_v6_unroll_complete"), place("reduce_v6_unroll_complete_manual"));
  EXPECT_LT(place("reduce_v8_warp_shuffle"), place("sum_atomic"));
}

TEST(Registry, FindsVariantsById) {
  for (const Variant& variant : all_variants()) EXPECT_EQ(find_variant(variant.info.id), &variant);
  EXPECT_EQ(find_variant("reduce_v9_missing"), nullptr);
}

TEST(Registry, DescriptionsAreComplete) {
  std::map<std::string, std::string> labels;  // label → id
  for (const Variant& variant : all_variants()) {
    SCOPED_TRACE(variant.info.id);
    EXPECT_FALSE(variant.info.title.empty());
    const auto [first, is_new] = labels.emplace(variant.info.label, variant.info.id);
    EXPECT_TRUE(is_new) << variant.info.id << ".cu and " << first->second << ".cu have the same label, "
                        << variant.info.label;
    EXPECT_FALSE(variant.info.dtypes.empty());
    EXPECT_THAT(variant.info.block_sizes, testing::Contains(variant.info.default_block_size));
    EXPECT_NE(variant.launch, nullptr);
  }
}

TEST(Registry, TheTreeInGlobalMemoryDestroysItsInput) {
  EXPECT_TRUE(find_variant("reduce_v0_global")->info.destroys_input);
  EXPECT_FALSE(find_variant("reduce_v1_shared")->info.destroys_input);
}

TEST(Registry, PartialsCoverEveryElementOnce) {
  for (const Variant& variant : all_variants()) {
    if (variant.info.output != OutputKind::partials) continue;
    SCOPED_TRACE(variant.info.id);
    for (const Problem& problem : problems_of(variant)) {
      const std::uint64_t covered = variant.shape(problem).grid * variant.elements_per_partial(problem);
      EXPECT_GE(covered, problem.n);
      EXPECT_LT(covered, problem.n + variant.elements_per_partial(problem));
    }
  }
}

TEST(Registry, ScalarsHaveOneResultAtAnySize) {
  for (const Variant& variant : all_variants()) {
    if (variant.info.output != OutputKind::scalar) continue;
    for (const Problem& problem : problems_of(variant)) EXPECT_EQ(output_count(variant, problem), 1U);
  }
}

TEST(Registry, WorkIsWhatTheAlgorithmCannotAvoid) {
  for (const Variant& variant : all_variants()) {
    SCOPED_TRACE(variant.info.id);
    for (const Problem& problem : problems_of(variant)) {
      const auto n = static_cast<double>(problem.n);
      const auto results = static_cast<double>(output_count(variant, problem));
      const Work work = variant.work(problem);
      EXPECT_EQ(work.read_bytes, 4 * n);
      EXPECT_EQ(work.written_bytes, 4 * results);
      EXPECT_EQ(work.flops(), std::max(0.0, n - results));
      for (const auto& [precision, done] : work.operations) EXPECT_EQ(done.fma_flops, 0);
    }
  }
}

/// A chain through which every element of a block passes cannot be shorter than the logarithm of their
/// number.
TEST(Registry, LongestChainsAreLongEnough) {
  for (const Variant& variant : all_variants()) {
    SCOPED_TRACE(variant.info.id);
    for (const Problem& problem : problems_of(variant)) {
      const std::uint64_t elements = std::min(problem.n, variant.elements_per_partial(problem));
      EXPECT_GE(std::exp2(static_cast<double>(variant.longest_chain(problem))),
                static_cast<double>(elements));
    }
  }
}

TEST(Registry, NoBlockAsksForMoreThanItsShareOfTheInput) {
  for (const Variant& variant : all_variants()) {
    SCOPED_TRACE(variant.info.id);
    EXPECT_EQ(variant.loads == nullptr, variant.info.family == "reference");
    for (const Problem& problem : problems_of(variant)) {
      const LaunchShape shape = launch_shape(variant, problem);
      EXPECT_EQ(shape.bytes_in_flight_per_block.has_value(), variant.loads != nullptr && shape.grid > 0);
      if (!shape.bytes_in_flight_per_block || problem.n < shape.grid) continue;
      EXPECT_GE(*shape.bytes_in_flight_per_block, 4);
      EXPECT_LE((*shape.bytes_in_flight_per_block - 4) * static_cast<double>(shape.grid),
                4 * static_cast<double>(problem.n));
    }
  }
}

TEST(Registry, BytesInFlightAreThreadsTimesLoadsTimesTheirWidth) {
  constexpr Problem kLarge{
      .dtype = Dtype::f32, .n = std::uint64_t{1} << 28, .block_size = 256, .elements_per_thread = 0};
  const auto bytes = [&](std::string_view id, Problem problem) {
    return launch_shape(*find_variant(id), problem).bytes_in_flight_per_block.value();
  };
  EXPECT_EQ(bytes("reduce_v3_sequential", kLarge), 256 * 1 * 4);
  EXPECT_EQ(bytes("reduce_v4_add_on_load", kLarge), 256 * 2 * 4);
  EXPECT_EQ(bytes("sum_mailbox", kLarge), 256 * 4 * 16);
  EXPECT_EQ(bytes("sum_bulk_copy", kLarge), 4 * 16384) << "four tiles of 16 KiB";
  Problem small = kLarge;
  small.n = 1000;
  EXPECT_EQ(bytes("sum_mailbox", small), 4000) << "all of the input";
}

TEST(Registry, CeilingsNameTheCountersThatConfirmThem) {
  for (const CeilingBenchmark& benchmark : all_ceiling_benchmarks()) {
    const bool has_none = benchmark.kind == CeilingKind::latency || benchmark.kind == CeilingKind::transfer;
    EXPECT_EQ(benchmark.count.keys.empty(), has_none) << benchmark.id;
    const bool is_tensor = benchmark.operation == "tensor";
    const bool has_scales = benchmark.products && benchmark.products->scales != BlockScales::none;
    EXPECT_EQ(benchmark.matrix.has_value(), is_tensor && !has_scales) << benchmark.id;
    EXPECT_EQ(benchmark.products.has_value(), is_tensor) << benchmark.id;
  }
}

/// A ceiling with a theoretical peak names it; without one, the file's header explains why.
TEST(Registry, CeilingsHaveAPeakWhereCuptiKnowsOne) {
  for (const CeilingBenchmark& benchmark : all_ceiling_benchmarks()) {
    const bool is_integer_instruction = benchmark.subject.starts_with("i") && benchmark.operation != "tensor";
    const bool has_none = benchmark.kind == CeilingKind::latency || benchmark.kind == CeilingKind::transfer ||
                          benchmark.subject == "dram" || benchmark.operation == "write" ||
                          is_integer_instruction || benchmark.id == "f16_tensor_f16" ||
                          (benchmark.products && benchmark.products->scales != BlockScales::none);
    EXPECT_EQ(benchmark.peak.has_value(), !has_none) << benchmark.file << ": `peak` of " << benchmark.id;
  }
}

/// The identity of a Tensor Core ceiling.
TEST(Registry, NoTwoCeilingsAreOfTheSameProducts) {
  for (const CeilingBenchmark& benchmark : all_ceiling_benchmarks()) {
    if (!benchmark.products) continue;
    EXPECT_EQ(
        std::count_if(all_ceiling_benchmarks().begin(), all_ceiling_benchmarks().end(),
                      [&](const CeilingBenchmark& other) { return other.products == benchmark.products; }),
        1)
        << benchmark.id;
    EXPECT_TRUE(benchmark.id.starts_with(fmt::format("{}_tensor", to_string(benchmark.products->type))));
  }
}

TEST(Registry, KernelsOfBlackwellAreLaunchedNowhereElse) {
  std::size_t found = 0;
  for (const CeilingBenchmark& benchmark : all_ceiling_benchmarks()) {
    SCOPED_TRACE(benchmark.id);
    for (const int chip : {75, 80, 86, 87, 88, 89, 90, 110}) {
      EXPECT_EQ(&benchmark_on(benchmark, chip), &benchmark);
      EXPECT_TRUE(benchmark.compute_capabilities.empty() || !has_code_for(benchmark, chip)) << chip;
    }
    EXPECT_EQ(&benchmark_on(benchmark, 120), &benchmark);
    const CeilingBenchmark& other = benchmark_on(benchmark, 103);
    if (&other == &benchmark) continue;
    ++found;
    EXPECT_EQ(other.stands_for, benchmark.id);
    EXPECT_EQ(other.products, benchmark.products);
    EXPECT_EQ(other.count.keys, benchmark.count.keys);
    EXPECT_FALSE(has_code_for(other, 120));
    EXPECT_GT(other.amount({}, 148, other.shapes.front().block), 148e9);
  }
  EXPECT_EQ(found, stand_in_benchmarks().size());
  EXPECT_EQ(found, 6);
}

TEST(Registry, PeaksOfCeilingsAreInTheUnitsOfTheCeiling) {
  for (const CeilingBenchmark& benchmark : all_ceiling_benchmarks()) {
    if (!benchmark.peak) continue;
    SCOPED_TRACE(benchmark.id);
    const CeilingPeak& peak = *benchmark.peak;
    ASSERT_FALSE(peak.metrics.empty());
    for (const std::string_view metric : peak.metrics) EXPECT_TRUE(metric.ends_with(".sum.peak_sustained"));
    if (benchmark.kind == CeilingKind::compute) {
      EXPECT_EQ(peak.factor, benchmark.count.scale) << "operations of what the counter counts";
      const bool is_named = peak.metrics.front().find(benchmark.operation) != std::string_view::npos;
      EXPECT_TRUE(is_named) << peak.metrics.front();
    } else {
      EXPECT_GT(peak.factor, 1) << "bytes";
    }
    EXPECT_EQ(peak.clock == ClockDomain::l2, benchmark.subject == "l2");
    for (const CeilingBenchmark& other : all_ceiling_benchmarks()) {
      if (!other.peak || other.peak->metrics.front() != peak.metrics.front()) continue;
      EXPECT_EQ(other.peak->metrics, peak.metrics) << "shares its metric with " << other.id;
    }
  }
}

TEST(Registry, CeilingsDeclareAnAmountForEveryShape) {
  for (const CeilingBenchmark& benchmark : all_ceiling_benchmarks()) {
    SCOPED_TRACE(benchmark.id);
    const CeilingBuffers buffers{.bytes = std::size_t{1} << 30,
                                 .pinned_bytes = std::size_t{1} << 28,
                                 .peer_bytes = std::size_t{1} << 28};
    EXPECT_FALSE(benchmark.shapes.empty());
    for (const CeilingShape& shape : benchmark.shapes) {
      const double amount = benchmark.amount(buffers, shape.grid(132), shape.block);
      EXPECT_GT(amount, 0);
      if (benchmark.subject != "dram" || benchmark.kind == CeilingKind::latency) continue;
      if (benchmark.operation == "mix") {  // one buffer whole, and a part of the other
        EXPECT_GT(amount, static_cast<double>(buffers.bytes));
        EXPECT_LE(amount, 4.0 / 3 * static_cast<double>(buffers.bytes));
        continue;
      }
      const double buffers_moved = benchmark.operation == "copy" || benchmark.operation == "read" ? 2
                                   : benchmark.operation == "triad"                               ? 1.5
                                                                                                  : 1;
      EXPECT_EQ(amount, buffers_moved * static_cast<double>(buffers.bytes));
    }
  }
}

}  // namespace
}  // namespace rooflinectl::kernels
