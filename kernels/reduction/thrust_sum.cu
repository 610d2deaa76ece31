// SPDX-License-Identifier: Apache-2.0
//
// thrust_sum: the sum of NVIDIA's Thrust library, for comparison.
//
// - Idea: `thrust::reduce`, which returns the sum to the host; for 16-bit floats `thrust::transform_reduce`,
//   which adds them up in float.
// - Launch shape: Thrust's own, which it does not report. It waits for the device and so cannot be part of a
//   CUDA graph: its time includes the way to the host and, for one scalar on the device, back. The memory
//   that it allocates while it runs is taken from a workspace.
// - Per element: read once.
// - Minimum sm: 7.5.
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>
#include <thrust/system_error.h>
#include <thrust/transform_reduce.h>

#include "kernels/cuda_check.h"
#include "kernels/reduction/dispatch.h"
#include "kernels/reduction/element.cuh"
#include "kernels/reduction/reference_sum.h"

namespace rooflinectl::kernels::thrust_sum {

namespace {

/// Far more than the partial sums of the largest grid.
constexpr std::size_t kWorkspaceBytes = std::size_t{4} << 20;

/// Hands out one piece of memory, which Thrust asks for once per call.
struct Workspace {
  using value_type = char;
  char* d_memory;
  char* allocate(std::ptrdiff_t bytes) const {
    if (static_cast<std::size_t>(bytes) > kWorkspaceBytes)
      throw Error(ErrorKind::measurement,
                  "thrust::reduce wants " + std::to_string(bytes) + " bytes of workspace");
    return d_memory;
  }
  void deallocate(char*, std::size_t) const {}
};

struct ToFloat {
  template <typename T>
  __host__ __device__ float operator()(T value) const {
    return static_cast<float>(value);
  }
};

template <typename T>
Accumulator<T> reduce(Workspace& workspace, const T* d_input, std::uint64_t n, cudaStream_t stream) {
  const auto policy = thrust::cuda::par(workspace).on(stream);
  const auto count = static_cast<std::ptrdiff_t>(n);
  if constexpr (std::is_same_v<T, Accumulator<T>>) {
    return thrust::reduce(policy, d_input, d_input + count);
  } else {
    return thrust::transform_reduce(policy, d_input, d_input + count, ToFloat{}, 0.0F,
                                    cuda::std::plus<float>{});
  }
}

void launch(const Problem& problem, const Buffers& buffers, cudaStream_t stream) {
  Workspace workspace{static_cast<char*>(buffers.d_workspace)};
  with_element_type(problem.dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    try {
      const auto sum = reduce(workspace, static_cast<const T*>(buffers.d_input), problem.n, stream);
      check(cudaMemcpyAsync(buffers.d_output, &sum, sizeof(sum), cudaMemcpyHostToDevice, stream),
            "cudaMemcpyAsync");
    } catch (const thrust::system_error& error) {
      throw Error(ErrorKind::measurement, std::string("thrust::reduce: ") + error.what());
    }
  });
}

std::size_t workspace_bytes(const Problem&) {
  return kWorkspaceBytes;
}

const Registration registration([] {
  Variant variant = reference::variant("thrust_sum", "Thrust", "thrust::reduce, for comparison", launch);
  variant.workspace_bytes = workspace_bytes;
  variant.waits_for_device = true;
  return variant;
}());

}  // namespace

}  // namespace rooflinectl::kernels::thrust_sum
