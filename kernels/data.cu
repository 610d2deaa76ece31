// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <type_traits>

#include "core/error.h"
#include "kernels/cuda_check.h"
#include "kernels/data.h"
#include "kernels/reduction/dispatch.h"

namespace rooflinectl::kernels {

namespace {

template <typename T>
__global__ void fill_elements(DataSet data_set, Dtype dtype, T* d_data, std::uint64_t n,
                              std::uint64_t first) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) {
    if constexpr (std::is_integral_v<T>) {
      d_data[i] = static_cast<T>(integer_element(data_set, dtype, first + i));
    } else {
      d_data[i] = static_cast<T>(element(data_set, dtype, first + i));
    }
  }
}

}  // namespace

std::string_view to_string(DataSet data_set) {
  switch (data_set) {
    case DataSet::integers:
      return "integers";
    case DataSet::uniform:
      return "uniform";
    case DataSet::ones:
      return "ones";
    case DataSet::cancelling:
      return "cancelling";
    case DataSet::wide_exponents:
      return "wide exponents";
    case DataSet::nan:
      return "nan";
    case DataSet::infinity:
      return "infinity";
    case DataSet::negative_zero:
      return "negative zero";
  }
  return "?";
}

void fill(DataSet data_set, Dtype dtype, void* d_data, std::uint64_t n, cudaStream_t stream,
          std::uint64_t first) {
  if (!has_data(data_set, dtype)) {
    throw Error(ErrorKind::usage,
                "no " + std::string(to_string(data_set)) + " data of type " + std::string(to_string(dtype)));
  }
  if (n == 0) return;
  constexpr std::uint64_t kBlock = 256;
  constexpr std::uint64_t kLargestGrid = 1 << 16;
  const auto grid = static_cast<unsigned>(std::min((n + kBlock - 1) / kBlock, kLargestGrid));
  with_element_type(dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    fill_elements<<<grid, kBlock, 0, stream>>>(data_set, dtype, static_cast<T*>(d_data), n, first);
  });
  check_launch("fill_elements");
}

void poison(void* d_data, std::size_t bytes, cudaStream_t stream) {
  check(cudaMemsetAsync(d_data, 0xFF, bytes, stream), "cudaMemsetAsync");
}

}  // namespace rooflinectl::kernels
