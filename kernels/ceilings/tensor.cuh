// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/ceilings/compute.cuh"

/// What the Tensor Core benchmarks share: chains of `mma.sync`, each with 16 × 8 accumulators per warp. On
/// Hopper this instruction does not reach the rate of the asynchronous ones that cuBLASLt uses, so it is only
/// the fallback where that library is missing.
namespace rooflinectl::kernels::tensor {

/// The accumulators of a thread: 16 × 8 over 32 lanes.
template <typename Value>
struct Accumulators {
  Value values[4];
};

/// The depth of a product whose elements of `element_bytes` fill four registers of A and two of B.
constexpr int depth(int element_bytes) {
  return 32 / element_bytes;
}

/// Operations per thread of a 16 × 8 × `depth` product: a multiply-add is two.
constexpr int operations(int depth) {
  return 2 * 16 * 8 * depth / 32;
}

/// What products of that type are, with the accumulator that cuBLASLt has for it.
inline TensorProducts products(MatrixType matrix) {
  using enum TensorElement;
  switch (matrix) {
    case MatrixType::f64:
      return {.type = f64, .accumulator = f64};
    case MatrixType::f16:
      return {.type = f16, .accumulator = f32};
    case MatrixType::f16_sums_in_f16:
      return {.type = f16, .accumulator = f16};
    case MatrixType::bf16:
      return {.type = bf16, .accumulator = f32};
    case MatrixType::tf32:
      return {.type = tf32, .accumulator = f32};
    case MatrixType::f8:
      return {.type = f8, .accumulator = f32};
    case MatrixType::i8:
      return {.type = i8, .accumulator = i32};
  }
  return {};
}

/// `product(accumulators, a, b)` is one instruction; `pattern` is a register full of ones of the element
/// type.
template <typename Value, typename Product>
__device__ void run(void* d_sink, std::uint32_t pattern, const Product& product) {
  const std::uint32_t a[4] = {pattern, pattern, pattern, pattern};
  const std::uint32_t b[2] = {pattern, pattern};
  compute::run_chains<Accumulators<Value>>(
      d_sink,
      [](int chain) {
        return Accumulators<Value>{{Value(chain), Value(1), Value(2), Value(3)}};
      },
      [&](Accumulators<Value> accumulators) {
        product(accumulators.values, a, b);
        return accumulators;
      });
}

/// `peak_metrics`: how many operations the chip completes per cycle. Only metrics that leave out sparse
/// products: the others promise twice what a dense one can do.
template <compute::Kernel& kernel, int element_bytes>
CeilingBenchmark benchmark(const std::string& subject, MatrixType matrix, int minimum_sm,
                           std::string_view counter, std::vector<std::string_view> peak_metrics) {
  CeilingBenchmark result =
      compute::benchmark<kernel, operations(depth(element_bytes))>(subject, "tensor", counter, {});
  result.count.scale = 1;  // operations are counted, not instructions
  if (!peak_metrics.empty()) result.peak = {.metrics = std::move(peak_metrics)};
  result.minimum_sm = minimum_sm;
  result.matrix = matrix;
  result.products = products(matrix);
  return result;
}

}  // namespace rooflinectl::kernels::tensor
