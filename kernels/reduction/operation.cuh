// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "kernels/data.h"

/// What kernels combine two values with, as function objects: `none<Value>()` leaves every other value as it
/// is.
namespace rooflinectl::kernels {

struct Sum {
  static constexpr Operation kOperation = Operation::sum;
  template <typename Value>
  static __host__ __device__ constexpr Value none() {
    return Value{};
  }
  /// Integers wrap round: they are added as unsigned ones.
  template <typename Value>
  __device__ Value operator()(Value a, Value b) const {
    if constexpr (std::is_integral_v<Value>) {
      using Unsigned = std::make_unsigned_t<Value>;
      return static_cast<Value>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
    } else {
      return a + b;
    }
  }
};

/// The end of the range of a type: an infinity for floats.
template <typename Value, bool kGreatest>
inline constexpr Value kEndOfRange = [] {
  using Limits = std::numeric_limits<Value>;
  if (Limits::has_infinity) return kGreatest ? Limits::infinity() : -Limits::infinity();
  return kGreatest ? Limits::max() : Limits::lowest();
}();

/// The lesser of two values; NaN where one of them is NaN.
struct Minimum {
  static constexpr Operation kOperation = Operation::minimum;
  template <typename Value>
  static __host__ __device__ constexpr Value none() {
    return kEndOfRange<Value, true>;
  }
  template <typename Value>
  __device__ Value operator()(Value a, Value b) const {
#if __CUDA_ARCH__ >= 800
    if constexpr (std::is_same_v<Value, float>) {
      asm("min.NaN.f32 %0, %0, %1;" : "+f"(a) : "f"(b));
      return a;
    }
#endif
    return a < b || a != a ? a : b;
  }
};

/// The greater of two values; NaN where one of them is NaN.
struct Maximum {
  static constexpr Operation kOperation = Operation::maximum;
  template <typename Value>
  static __host__ __device__ constexpr Value none() {
    return kEndOfRange<Value, false>;
  }
  template <typename Value>
  __device__ Value operator()(Value a, Value b) const {
#if __CUDA_ARCH__ >= 800
    if constexpr (std::is_same_v<Value, float>) {
      asm("max.NaN.f32 %0, %0, %1;" : "+f"(a) : "f"(b));
      return a;
    }
#endif
    return a > b || a != a ? a : b;
  }
};

}  // namespace rooflinectl::kernels
