// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime_api.h>

#include <algorithm>

#include "collector/points/prepared_point.h"
#include "collector/points/several_gpus.h"
#include "kernels/cuda_check.h"

namespace rooflinectl {

namespace {

/// Behind each input, for the poison that shows accesses out of bounds.
constexpr std::size_t kInputSlackBytes = 1024;

}  // namespace

GpuShare::GpuShare(const kernels::Problem& all, int gpu, const kernels::Variant& variant, int copies)
    : share_(kernels::share_of(all, gpu)), problem_(all) {
  problem_.n = share_.n;
  problem_.gpus = 1;
  input_stride_bytes_ = align_up(problem_.n * size_bytes(problem_.dtype)) + kInputSlackBytes;
  inputs_ = DeviceBuffer(input_stride_bytes_ * static_cast<std::size_t>(copies));
  partial_ = DeviceBuffer(kAlignment);
  workspace_ = DeviceBuffer(std::max(kernels::workspace_bytes(variant, problem_), kAlignment));
}

void GpuShare::fill(kernels::DataSet data_set, int copies, cudaStream_t stream) const {
  const std::size_t bytes = share_.n * size_bytes(problem_.dtype);
  for (int copy = 0; copy < copies; ++copy) {
    kernels::fill(data_set, problem_.dtype, input(copy), share_.n, stream, share_.begin);
    kernels::poison(input(copy) + bytes, input_stride_bytes_ - bytes, stream);
  }
  kernels::check(cudaMemsetAsync(workspace_.data(), 0, workspace_.bytes(), stream), "cudaMemsetAsync");
}

void GpuShare::launch(const kernels::Variant& variant, int copy, void* d_sum, cudaStream_t stream) const {
  variant.launch(problem_, {input(copy), d_sum, workspace_.data()}, stream);
}

void GpuShare::poison_partial(cudaStream_t stream) const {
  kernels::poison(partial_.data(), partial_.bytes(), stream);
}

kernels::Problem problem_of(const Reduction& reduction) {
  return {.dtype = reduction.dtype,
          .n = reduction.n_elements,
          .block_size = reduction.block_size,
          .elements_per_thread = reduction.elements_per_thread.value_or(0),
          .gpus = reduction.gpus.value_or(1)};
}

nccl::Type nccl_type(Dtype accumulator) {
  switch (accumulator) {
    case Dtype::f64:
      return nccl::Type::f64;
    case Dtype::i32:
      return nccl::Type::i32;
    case Dtype::i64:
      return nccl::Type::i64;
    default:
      return nccl::Type::f32;
  }
}

}  // namespace rooflinectl
