// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "core/model/dtype.h"

namespace rooflinectl::kernels {

/// What a reduction combines its elements with.
enum class Operation { sum, minimum, maximum };

// Input data. Every element is a function of its position alone, so host and device agree on it without a
// copy, and a kernel that reads the wrong elements gets a wrong sum.

enum class DataSet {
  integers,        ///< -7 … 7, zero mean: every sum is exact in float. What is timed.
  uniform,         ///< fractions in [0, 1) with as many bits as the type holds
  ones,            ///< 1
  cancelling,      ///< pairs that cancel, except for a small integer
  wide_exponents,  ///< either sign, magnitudes over 45 (f64), 24 (f32, bf16) or 20 (f16) binades
  nan,             ///< `integers`, with a NaN at every position divisible by `kSpecialPeriod`
  infinity,        ///< `integers`, with an infinity of either sign at those positions
  negative_zero,   ///< -0
};

inline constexpr std::array kAllDataSets = {DataSet::integers,   DataSet::uniform,        DataSet::ones,
                                            DataSet::cancelling, DataSet::wide_exponents, DataSet::nan,
                                            DataSet::infinity,   DataSet::negative_zero};

std::string_view to_string(DataSet data_set);

/// Where the special values of `nan` and `infinity` lie: a prime, so that they move through blocks and lanes.
inline constexpr std::uint64_t kSpecialPeriod = 4099;

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): a bijection of the 64-bit integers.
__host__ __device__ inline std::uint64_t hash(std::uint64_t position) {
  std::uint64_t z = (position + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

__host__ __device__ inline bool is_special(DataSet data_set, std::uint64_t position) {
  return (data_set == DataSet::nan || data_set == DataSet::infinity) && position % kSpecialPeriod == 0;
}

/// Whether elements of that type can make up the data set: integers have no NaN, infinity or -0.
inline bool has_data(DataSet data_set, Dtype dtype) {
  const bool of_floats =
      data_set == DataSet::nan || data_set == DataSet::infinity || data_set == DataSet::negative_zero;
  return !of_floats || !is_integer(dtype);
}

/// What the data sets are made of in one type: how many bits of each hold a value that the type represents
/// exactly.
struct DataShape {
  int fraction_bits;   ///< of `uniform`
  int large_bits;      ///< of the larger one of a cancelling pair
  int binades;         ///< of `wide_exponents`
  double lowest_wide;  ///< unit of `wide_exponents`
};

__host__ __device__ constexpr DataShape data_shape(Dtype dtype) {
  switch (dtype) {
    case Dtype::f64:
    case Dtype::i64:
      return {53, 50, 46, 0x1p-24};
    case Dtype::f16:
      return {11, 10, 21, 0x1p-14};
    case Dtype::bf16:
      return {8, 7, 25, 0x1p-12};
    case Dtype::f32:
    case Dtype::i32:
      break;
  }
  return {24, 20, 25, 0x1p-12};
}

/// The unit of a data set: each finite element is an integer (`numerator`) times this power of two.
__host__ __device__ inline double unit(DataSet data_set, Dtype dtype) {
  if (dtype == Dtype::i32 || dtype == Dtype::i64) return 1;
  const DataShape shape = data_shape(dtype);
  if (data_set == DataSet::uniform) return 1.0 / static_cast<double>(std::int64_t{1} << shape.fraction_bits);
  return data_set == DataSet::wide_exponents ? shape.lowest_wide : 1;
}

/// The element at `position` over the unit, exactly (for i32: modulo 2^32); 0 for special values. At most
/// 2^54 in magnitude.
__host__ __device__ inline std::int64_t numerator(DataSet data_set, Dtype dtype, std::uint64_t position) {
  const DataShape shape = data_shape(dtype);
  const std::uint64_t random = hash(position);
  // The high 32 bits scaled to 0 … 14.
  const std::int64_t small_integer = static_cast<std::int64_t>(((random >> 32) * 15) >> 32) - 7;
  switch (data_set) {
    case DataSet::integers:
      return small_integer;
    case DataSet::uniform:
      return static_cast<std::int64_t>(random >> (64 - shape.fraction_bits));
    case DataSet::ones:
      return 1;
    case DataSet::cancelling: {
      const auto large = static_cast<std::int64_t>(hash(position / 2) >> (64 - shape.large_bits));
      return position % 2 == 0 ? large : small_integer - large;
    }
    case DataSet::wide_exponents: {
      const auto significand = static_cast<std::int64_t>(128 + (random & 127));
      const std::int64_t magnitude = significand << ((random >> 32) % static_cast<unsigned>(shape.binades));
      return (random & 128) != 0 ? -magnitude : magnitude;
    }
    case DataSet::nan:
    case DataSet::infinity:
      return is_special(data_set, position) ? 0 : small_integer;
    case DataSet::negative_zero:
      return 0;
  }
  return 0;
}

/// The element at `position`, of an integer type.
__host__ __device__ inline std::int64_t integer_element(DataSet data_set, Dtype dtype,
                                                        std::uint64_t position) {
  const std::int64_t value = numerator(data_set, dtype, position);
  return dtype == Dtype::i32 ? static_cast<std::int32_t>(value) : value;
}

/// The element at `position`, of a floating-point type, in which it is exact.
__host__ __device__ inline double element(DataSet data_set, Dtype dtype, std::uint64_t position) {
  if (data_set == DataSet::negative_zero) return -0.0;
  if (is_special(data_set, position)) {
    if (data_set == DataSet::nan) return NAN;
    const double infinity = INFINITY;
    return hash(position) % 2 == 0 ? infinity : -infinity;
  }
  return static_cast<double>(numerator(data_set, dtype, position)) * unit(data_set, dtype);
}

/// Enqueues writing `n` elements of the data set to `d_data`, which needs only the alignment of one
/// element: those from position `first` on. Throws Error(usage) if there are no data of that type.
void fill(DataSet data_set, Dtype dtype, void* d_data, std::uint64_t n, cudaStream_t stream,
          std::uint64_t first = 0);

/// Enqueues overwriting `bytes` bytes with NaN (of any floating-point type: every bit is set).
void poison(void* d_data, std::size_t bytes, cudaStream_t stream);

}  // namespace rooflinectl::kernels
