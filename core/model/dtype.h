// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace rooflinectl {

/// The element types that a variant can reduce.
enum class Dtype { f64, f32, f16, bf16, i32, i64 };

inline constexpr std::array kAllDtypes = {Dtype::f64,  Dtype::f32, Dtype::f16,
                                          Dtype::bf16, Dtype::i32, Dtype::i64};

std::string_view to_string(Dtype dtype);
std::optional<Dtype> dtype_from(std::string_view name);

/// Size of one element in bytes.
std::size_t size_bytes(Dtype dtype);

bool is_integer(Dtype dtype);

/// The type that sums of `dtype` are accumulated and returned in: float for the 16-bit floats, else `dtype`.
Dtype accumulator(Dtype dtype);

}  // namespace rooflinectl
