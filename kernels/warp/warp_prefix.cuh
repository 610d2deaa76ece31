// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "kernels/warp/measured.cuh"

namespace rooflinectl::kernels::warp {

/// The sum of the values of all lanes up to this one. All 32 lanes take part.
template <typename T>
__device__ T inclusive_prefix(T value, unsigned lane) {
#pragma unroll
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    const T below = __shfl_up_sync(kFullMask, value, distance);
    if (lane >= distance) value += below;
  }
  return value;
}

/// The scan on the host, of integers modulo their width.
template <typename T>
void scan_reference(std::span<T> values, bool is_exclusive) {
  using Unsigned = std::make_unsigned_t<T>;
  Unsigned sum = 0;
  for (T& value : values) {
    const Unsigned own = static_cast<Unsigned>(value);
    value = static_cast<T>(is_exclusive ? sum : sum + own);
    sum += own;
  }
}

}  // namespace rooflinectl::kernels::warp
