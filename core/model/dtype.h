// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "core/enum_names.h"

namespace rooflinectl {

/// The element types that a variant can reduce.
enum class Dtype { f64, f32, f16, bf16, i32, i64 };

inline constexpr auto kAllDtypes = kEnumerators<Dtype>;

/// Size of one element in bytes.
constexpr std::size_t size_bytes(Dtype dtype) {
  switch (dtype) {
    case Dtype::f64:
    case Dtype::i64:
      return 8;
    case Dtype::f32:
    case Dtype::i32:
      return 4;
    case Dtype::f16:
    case Dtype::bf16:
      return 2;
  }
  return 0;
}

constexpr bool is_integer(Dtype dtype) {
  return dtype == Dtype::i32 || dtype == Dtype::i64;
}

/// The type that sums of `dtype` are accumulated and returned in: float for the 16-bit floats, else `dtype`.
constexpr Dtype accumulator(Dtype dtype) {
  return dtype == Dtype::f16 || dtype == Dtype::bf16 ? Dtype::f32 : dtype;
}

}  // namespace rooflinectl
