// SPDX-License-Identifier: Apache-2.0
//
// The part of verification that needs no device: results made up here are compared with the reference.

#include "collector/points/verification.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/error.h"

namespace rooflinectl {
namespace {

using kernels::DataSet;
using kernels::Exact;
using kernels::Problem;
using kernels::ReferenceSum;
using kernels::Variant;

constexpr std::uint64_t kElements = 1000;  // four partials of 256, the last one short

const Problem kProblem{.dtype = Dtype::f32, .n = kElements, .block_size = 256};

const Variant& partials() {
  return *kernels::find_variant("reduce_v3_sequential");
}
const Variant& scalar() {
  return *kernels::find_variant("sum_atomic");
}

/// What a perfect kernel would leave behind.
std::vector<Exact> right_results(DataSet data_set) {
  std::vector<Exact> results;
  for (std::uint64_t begin = 0; begin < kElements; begin += 256) {
    double sum = 0;
    for (std::uint64_t i = begin; i < std::min(begin + 256, kElements); ++i) {
      sum += kernels::element(data_set, Dtype::f32, i);
    }
    results.push_back(static_cast<float>(sum));
  }
  return results;
}

ResultCheck compare_partials(DataSet data_set, const std::vector<Exact>& results) {
  kernels::ReferenceSums references;
  return compare(partials(), kProblem, data_set, results, references);
}

TEST(Verification, AcceptsRightResultsOfEveryDataSet) {
  for (const DataSet data_set : kernels::kAllDataSets) {
    const ResultCheck comparison = compare_partials(data_set, right_results(data_set));
    EXPECT_TRUE(comparison.passed) << to_string(data_set) << ": " << comparison.mismatch;
    EXPECT_LT(comparison.worst_error_over_bound, 1);
  }
}

TEST(Verification, NamesTheFirstWrongResult) {
  std::vector<Exact> results = right_results(DataSet::integers);
  const Exact expected = results[3];
  results[3] += 1;
  const ResultCheck comparison = compare_partials(DataSet::integers, results);
  EXPECT_FALSE(comparison.passed);
  EXPECT_THAT(comparison.mismatch, testing::StartsWith("result 3 of 4 (elements 768 to 1000) is "));
  EXPECT_THAT(comparison.mismatch,
              testing::EndsWith("expected " + std::to_string(static_cast<int>(expected))));
}

TEST(Verification, ComparesEachPartialWithItsOwnElements) {
  std::vector<Exact> results = right_results(DataSet::uniform);
  std::swap(results[0], results[1]);
  EXPECT_FALSE(compare_partials(DataSet::uniform, results).passed);
}

TEST(Verification, AcceptsErrorsUpToTheBoundOnly) {
  const double factor = kernels::gamma_factor(partials().longest_chain(kProblem), Dtype::f32).value();
  const std::vector<Exact> right = right_results(DataSet::uniform);
  const double bound = factor * static_cast<double>(right[0]);  // uniform data are their own magnitudes
  std::vector<Exact> results = right;
  results[0] = static_cast<float>(static_cast<double>(right[0]) + 0.8 * bound);
  const ResultCheck near = compare_partials(DataSet::uniform, results);
  EXPECT_TRUE(near.passed) << near.mismatch;
  EXPECT_NEAR(near.worst_error_over_bound, 0.8, 0.1);
  results[0] = static_cast<float>(static_cast<double>(right[0]) + 1.2 * bound);
  EXPECT_FALSE(compare_partials(DataSet::uniform, results).passed);
}

TEST(Verification, RefusesResultsThatWereNeverWritten) {
  std::vector<Exact> results = right_results(DataSet::integers);
  results[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(compare_partials(DataSet::integers, results).passed);
}

TEST(Verification, RefusesTheWrongKindOfInfinity) {
  std::vector<Exact> results = right_results(DataSet::infinity);
  ASSERT_TRUE(std::isinf(results[0]));
  results[0] = -results[0];
  EXPECT_FALSE(compare_partials(DataSet::infinity, results).passed);
  results[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(compare_partials(DataSet::infinity, results).passed);
}

TEST(Verification, RefusesANumberWhereNanIsRight) {
  std::vector<Exact> results = right_results(DataSet::nan);
  ASSERT_TRUE(std::isnan(results[0]));
  results[0] = 0;
  EXPECT_FALSE(compare_partials(DataSet::nan, results).passed);
}

TEST(Verification, RefusesToLeaveElementsOut) {
  std::vector<Exact> results = right_results(DataSet::integers);
  results.pop_back();
  const ResultCheck comparison = compare_partials(DataSet::integers, results);
  EXPECT_FALSE(comparison.passed);
  EXPECT_EQ(comparison.mismatch, "3 results of 256 elements each leave out 232 of 1000 elements");
}

TEST(Verification, TakesAnEmptySumForZero) {
  const Problem empty{.dtype = Dtype::f32, .n = 0, .block_size = 256};
  kernels::ReferenceSums references;
  EXPECT_TRUE(compare(scalar(), empty, DataSet::integers, std::vector<Exact>{0}, references).passed);
  EXPECT_FALSE(compare(scalar(), empty, DataSet::integers, std::vector<Exact>{1}, references).passed);
  EXPECT_TRUE(compare(partials(), empty, DataSet::integers, std::vector<Exact>{}, references).passed);
}

TEST(Verification, TakesIntegersModulo2To32) {
  kernels::ReferenceSums references;
  Problem problem = kProblem;
  problem.dtype = Dtype::i32;
  const ReferenceSum sum = references.of(DataSet::wide_exponents, Dtype::i32, 0, problem.n);
  const std::vector<Exact> right = {sum.sum};
  EXPECT_GT(sum.sum_of_magnitudes, 0x1p31) << "large enough to wrap";
  EXPECT_TRUE(compare(scalar(), problem, DataSet::wide_exponents, right, references).passed);
  EXPECT_FALSE(
      compare(scalar(), problem, DataSet::wide_exponents, std::vector{right[0] + 1}, references).passed);
}

TEST(Verification, TakesTheLeastElementExactly) {
  kernels::ReferenceSums references;
  const Variant& minimum = *kernels::find_variant("min_best");
  const Exact least =
      kernels::reference_extreme(kernels::Operation::minimum, DataSet::uniform, Dtype::f32, kElements);
  EXPECT_TRUE(compare(minimum, kProblem, DataSet::uniform, std::vector{least}, references).passed);
  const Exact next = std::nextafter(static_cast<float>(least), 1.0F);
  EXPECT_FALSE(compare(minimum, kProblem, DataSet::uniform, std::vector{next}, references).passed);
}

TEST(Verification, HasNoBoundForVeryLongChains) {
  const Problem large{.dtype = Dtype::f32, .n = 1 << 21, .block_size = 256};
  kernels::ReferenceSums references;
  EXPECT_THROW(compare(scalar(), large, DataSet::uniform, std::vector<Exact>{0}, references), Error);
}

}  // namespace
}  // namespace rooflinectl
