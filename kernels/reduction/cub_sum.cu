// SPDX-License-Identifier: Apache-2.0
//
// cub_sum: the sum of NVIDIA's CUB library, for comparison.
//
// - Idea: `cub::DeviceReduce::Sum`; for 16-bit floats `cub::DeviceReduce::TransformReduce`, which adds them
//   up in float as our variants do.
// - Launch shape: CUB's own, which it does not report; one scalar. Its temporary storage is allocated
//   beforehand.
// - Per element: read once.
// - Minimum sm: 7.5.
#include <cub/device/device_reduce.cuh>
#include <limits>

#include "kernels/cuda_check.h"
#include "kernels/reduction/dispatch.h"
#include "kernels/reduction/element.cuh"
#include "kernels/reduction/reference_sum.h"

namespace rooflinectl::kernels::cub_sum {

namespace {

struct ToFloat {
  template <typename T>
  __device__ float operator()(T value) const {
    return to_accumulator(value);
  }
};

/// CUB's two calls in one: without storage it only returns how many bytes it needs.
template <typename T, typename Count>
cudaError_t reduce(void* d_storage, std::size_t& storage_bytes, const T* d_input, Accumulator<T>* d_output,
                   Count n, cudaStream_t stream) {
  if constexpr (std::is_same_v<T, Accumulator<T>>) {
    return cub::DeviceReduce::Sum(d_storage, storage_bytes, d_input, d_output, n, stream);
  } else {
    return cub::DeviceReduce::TransformReduce(d_storage, storage_bytes, d_input, d_output, n,
                                              cuda::std::plus<>{}, ToFloat{}, 0.0F, stream);
  }
}

/// Sizes that 32 bits hold are counted in 32 bits, as CUB's callers do for speed.
void reduce(const Problem& problem, const Buffers& buffers, std::size_t& storage_bytes, cudaStream_t stream) {
  with_element_type(problem.dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    const auto* d_input = static_cast<const T*>(buffers.d_input);
    auto* d_output = static_cast<Accumulator<T>*>(buffers.d_output);
    const bool fits = problem.n <= std::uint64_t{std::numeric_limits<std::int32_t>::max()};
    check(fits ? reduce(buffers.d_workspace, storage_bytes, d_input, d_output,
                        static_cast<std::int32_t>(problem.n), stream)
               : reduce(buffers.d_workspace, storage_bytes, d_input, d_output,
                        static_cast<std::int64_t>(problem.n), stream),
          "cub::DeviceReduce");
  });
}

std::size_t storage_bytes(const Problem& problem) {
  std::size_t bytes = 0;
  reduce(problem, {}, bytes, nullptr);
  return bytes;
}

void launch(const Problem& problem, const Buffers& buffers, cudaStream_t stream) {
  std::size_t bytes = storage_bytes(problem);
  reduce(problem, buffers, bytes, stream);
}

const Registration registration([] {
  Variant variant = reference::variant("cub_sum", "CUB", "cub::DeviceReduce, for comparison", launch);
  variant.workspace_bytes = storage_bytes;
  return variant;
}());

}  // namespace

}  // namespace rooflinectl::kernels::cub_sum
