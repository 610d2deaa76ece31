// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>
#include <vector>

namespace rooflinectl::kernels {
namespace {

__extension__ typedef __float128 Quad;

constexpr Dtype kTypes[] = {Dtype::f64, Dtype::f32, Dtype::f16, Dtype::bf16};

/// Element by element, in a type that holds every such sum of these sizes exactly (113 bits of significand).
Exact sum_one_by_one(DataSet data_set, Dtype dtype, std::uint64_t begin, std::uint64_t end) {
  Quad sum = 0;
  for (std::uint64_t i = begin; i < end; ++i) sum += static_cast<Quad>(element(data_set, dtype, i));
  return static_cast<Exact>(sum);
}

Exact magnitude_one_by_one(DataSet data_set, Dtype dtype, std::uint64_t begin, std::uint64_t end) {
  Quad sum = 0;
  for (std::uint64_t i = begin; i < end; ++i) {
    const double value = element(data_set, dtype, i);
    if (std::isfinite(value)) sum += static_cast<Quad>(std::abs(value));
  }
  return static_cast<Exact>(sum);
}

/// Expects `predicate` of the first elements of a data set.
template <typename Predicate>
void expect_of_each_element(DataSet data_set, Dtype dtype, const Predicate& predicate) {
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    const double value = element(data_set, dtype, i);
    ASSERT_TRUE(predicate(i, value)) << to_string(data_set) << " at " << i << ": " << value;
  }
}

TEST(Data, ElementIsNumeratorTimesUnit) {
  for (const DataSet data_set : kAllDataSets) {
    for (const Dtype dtype : kTypes) {
      expect_of_each_element(data_set, dtype, [&](std::uint64_t i, double value) {
        return is_special(data_set, i)
                   ? !std::isfinite(value)
                   : value == static_cast<double>(numerator(data_set, dtype, i)) * unit(data_set, dtype);
      });
    }
  }
}

TEST(Data, ElementsAreExactInTheirType) {
  for (const DataSet data_set : kAllDataSets) {
    if (data_set == DataSet::nan) continue;
    expect_of_each_element(data_set, Dtype::f32, [](std::uint64_t, double value) {
      return static_cast<double>(static_cast<float>(value)) == value;
    });
    expect_of_each_element(data_set, Dtype::f16, [](std::uint64_t, double value) {
      return static_cast<double>(__half2float(__double2half(value))) == value;
    });
    expect_of_each_element(data_set, Dtype::bf16, [](std::uint64_t, double value) {
      return static_cast<double>(__bfloat162float(__double2bfloat16(value))) == value;
    });
  }
}

TEST(Data, IntegersTakeEachOfTheirValuesEquallyOften) {
  std::vector<int> counts(15);
  constexpr int kElements = 150'000;
  for (std::uint64_t i = 0; i < kElements; ++i) {
    const std::int64_t value = numerator(DataSet::integers, Dtype::f32, i);
    ASSERT_LE(std::abs(value), 7);
    ++counts[static_cast<std::size_t>(value + 7)];
  }
  for (const int count : counts) EXPECT_NEAR(count, kElements / 15, 500);  // five standard deviations
}

TEST(Data, UniformFillsItsRange) {
  for (const Dtype dtype : kTypes) {
    double lowest = 1;
    double highest = 0;
    expect_of_each_element(DataSet::uniform, dtype, [&](std::uint64_t, double value) {
      lowest = std::min(lowest, value);
      highest = std::max(highest, value);
      return value >= 0 && value < 1;
    });
    EXPECT_LT(lowest, 0.005);
    EXPECT_GT(highest, 0.995);
  }
}

TEST(Data, CancellingPairsLeaveASmallInteger) {
  for (const Dtype dtype : kTypes) {
    double largest = 0;
    for (std::uint64_t i = 0; i < 10'000; i += 2) {
      const double sum = element(DataSet::cancelling, dtype, i) + element(DataSet::cancelling, dtype, i + 1);
      ASSERT_LE(std::abs(sum), 7) << "at " << i;
      largest = std::max(largest, element(DataSet::cancelling, dtype, i));
    }
    EXPECT_GT(largest, 100);
  }
}

TEST(Data, WideExponentsSpanMoreThanTheSignificand) {
  double lowest = 1;
  double highest = 0;
  expect_of_each_element(DataSet::wide_exponents, Dtype::f32, [&](std::uint64_t, double value) {
    lowest = std::min(lowest, std::abs(value));
    highest = std::max(highest, std::abs(value));
    return value != 0;
  });
  EXPECT_GT(highest / lowest, 0x1p24);
}

TEST(Data, SpecialValuesLieWhereTheyShould) {
  expect_of_each_element(DataSet::nan, Dtype::f32, [](std::uint64_t i, double value) {
    return std::isnan(value) == (i % kSpecialPeriod == 0);
  });
  std::set<double> infinities;
  expect_of_each_element(DataSet::infinity, Dtype::f32, [&](std::uint64_t i, double value) {
    if (std::isinf(value)) infinities.insert(value);
    return std::isinf(value) == (i % kSpecialPeriod == 0);
  });
  EXPECT_EQ(infinities.size(), 2U) << "both signs should occur";
  expect_of_each_element(DataSet::negative_zero, Dtype::f32,
                         [](std::uint64_t, double value) { return value == 0 && std::signbit(value); });
}

TEST(Data, PositionsBeyond32BitsAreTheirOwn) {
  const std::uint64_t far = std::uint64_t{1} << 32;
  int same = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    same +=
        element(DataSet::uniform, Dtype::f32, i) == element(DataSet::uniform, Dtype::f32, far + i) ? 1 : 0;
  }
  EXPECT_LT(same, 3);
}

TEST(ReferenceSums, AreWhatElementByElementGives) {
  // In this order: ranges within what is known already, and ranges that make it grow.
  const std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges = {
      {0, 0},           {0, 1}, {1, 2}, {0, 127}, {0, 128}, {5, 300}, {128, 256}, {100'000, 120'001},
      {32'768, 65'536}, {3, 3}};
  ReferenceSums references;
  for (const DataSet data_set : kAllDataSets) {
    for (const Dtype dtype : kTypes) {
      for (const auto& [begin, end] : ranges) {
        const ReferenceSum reference = references.of(data_set, dtype, begin, end);
        const Exact expected = sum_one_by_one(data_set, dtype, begin, end);
        SCOPED_TRACE(std::string(to_string(data_set)) + " " + std::to_string(begin) + " " +
                     std::to_string(end));
        if (std::isnan(expected)) {
          EXPECT_TRUE(std::isnan(reference.sum));
        } else {
          EXPECT_EQ(reference.sum, expected);
        }
        EXPECT_DOUBLE_EQ(reference.sum_of_magnitudes,
                         static_cast<double>(magnitude_one_by_one(data_set, dtype, begin, end)));
      }
    }
  }
}

TEST(ReferenceSums, PartsAddUpToTheWhole) {
  constexpr std::uint64_t kElements = (1 << 22) + 3;
  ReferenceSums references;
  Exact sum = 0;
  for (std::uint64_t begin = 0; begin < kElements; begin += 512) {
    sum += references.of(DataSet::integers, Dtype::f32, begin, std::min(begin + 512, kElements)).sum;
  }
  EXPECT_EQ(sum, references.of(DataSet::integers, Dtype::f32, 0, kElements).sum);
}

TEST(ReferenceSums, AreNanOrInfiniteOfTheRightKind) {
  ReferenceSums references;
  const Exact first = references.of(DataSet::infinity, Dtype::f32, 0, kSpecialPeriod).sum;
  EXPECT_EQ(first, element(DataSet::infinity, Dtype::f32, 0));
  EXPECT_TRUE(std::isfinite(references.of(DataSet::infinity, Dtype::f32, 1, kSpecialPeriod).sum));
  for (std::uint64_t begin = 0; begin < 50 * kSpecialPeriod; begin += kSpecialPeriod) {
    // Two infinities: infinite if they agree, NaN if not.
    const double expected = element(DataSet::infinity, Dtype::f32, begin) +
                            element(DataSet::infinity, Dtype::f32, begin + kSpecialPeriod);
    const Exact sum = references.of(DataSet::infinity, Dtype::f32, begin, begin + kSpecialPeriod + 1).sum;
    EXPECT_TRUE(sum == expected || (std::isnan(sum) && std::isnan(expected))) << begin << ": " << sum;
  }
  EXPECT_TRUE(std::isnan(references.of(DataSet::nan, Dtype::f32, kSpecialPeriod, kSpecialPeriod + 1).sum));
  EXPECT_TRUE(std::isfinite(references.of(DataSet::nan, Dtype::f32, 1, kSpecialPeriod).sum));
}

TEST(ReferenceSums, OfIntegersWrapRoundAtTheirWidth) {
  ReferenceSums references;
  for (const Dtype dtype : {Dtype::i32, Dtype::i64}) {
    constexpr std::uint64_t kElements = 5000;
    std::uint64_t total = 0;
    for (std::uint64_t i = 0; i < kElements; ++i) {
      total += static_cast<std::uint64_t>(integer_element(DataSet::uniform, dtype, i));
    }
    const Exact expected = dtype == Dtype::i32 ? static_cast<Exact>(static_cast<std::int32_t>(total))
                                               : static_cast<Exact>(static_cast<std::int64_t>(total));
    const ReferenceSum reference = references.of(DataSet::uniform, dtype, 0, kElements);
    EXPECT_EQ(reference.sum, expected) << to_string(dtype);
    EXPECT_NE(reference.sum, reference.sum_of_magnitudes) << "it should wrap";
  }
}

TEST(ReferenceExtreme, IsTheLeastOrGreatestElement) {
  for (const DataSet data_set : {DataSet::integers, DataSet::uniform, DataSet::wide_exponents}) {
    double least = element(data_set, Dtype::f32, 0);
    double greatest = least;
    for (std::uint64_t i = 0; i < 5000; ++i) {
      least = std::min(least, element(data_set, Dtype::f32, i));
      greatest = std::max(greatest, element(data_set, Dtype::f32, i));
    }
    EXPECT_EQ(reference_extreme(Operation::minimum, data_set, Dtype::f32, 5000), least);
    EXPECT_EQ(reference_extreme(Operation::maximum, data_set, Dtype::f32, 5000), greatest);
  }
}

TEST(ReferenceExtreme, IsNanWhereOneElementIs) {
  EXPECT_TRUE(std::isnan(reference_extreme(Operation::minimum, DataSet::nan, Dtype::f32, 10'000)));
  EXPECT_TRUE(std::isnan(reference_extreme(Operation::maximum, DataSet::nan, Dtype::f64, 1)));
}

TEST(ReferenceExtreme, OfNoElementsIsNeutral) {
  EXPECT_EQ(reference_extreme(Operation::minimum, DataSet::integers, Dtype::f32, 0), INFINITY);
  EXPECT_EQ(reference_extreme(Operation::maximum, DataSet::integers, Dtype::i32, 0), -0x1p31);
  EXPECT_EQ(reference_extreme(Operation::minimum, DataSet::integers, Dtype::i64, 0),
            static_cast<Exact>(std::numeric_limits<std::int64_t>::max()));
}

TEST(GammaFactor, FollowsItsDefinition) {
  EXPECT_EQ(gamma_factor(0, Dtype::f32), 0.0);
  EXPECT_DOUBLE_EQ(gamma_factor(1 << 20, Dtype::f32).value(), 0.0625 / 0.9375);
  EXPECT_EQ(gamma_factor(1 << 20, Dtype::bf16), gamma_factor(1 << 20, Dtype::f32));
  EXPECT_DOUBLE_EQ(gamma_factor(std::uint64_t{1} << 49, Dtype::f64).value(), 0.0625 / 0.9375);
}

TEST(GammaFactor, EndsWhereItIsTooLooseToBeUseful) {
  EXPECT_TRUE(gamma_factor(1'677'721, Dtype::f32).has_value());
  EXPECT_FALSE(gamma_factor(1'677'722, Dtype::f32).has_value());
}

/// The bound holds for a plain float loop, whose error comes close to it: it is neither wrong nor useless.
TEST(GammaFactor, BoundsAFloatLoop) {
  constexpr std::uint64_t kElements = 1 << 16;
  ReferenceSums references;
  const ReferenceSum reference = references.of(DataSet::uniform, Dtype::f32, 0, kElements);
  float sum = 0;
  for (std::uint64_t i = 0; i < kElements; ++i)
    sum += static_cast<float>(element(DataSet::uniform, Dtype::f32, i));
  const Exact error = std::abs(static_cast<Exact>(sum) - reference.sum);
  EXPECT_GT(error, 0);
  EXPECT_LE(error, gamma_factor(kElements, Dtype::f32).value() * reference.sum_of_magnitudes);
}

}  // namespace
}  // namespace rooflinectl::kernels
