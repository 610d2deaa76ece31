// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "collector/device/instruments.h"
#include "collector/device/nccl_library.h"
#include "core/model/point_id.h"
#include "kernels/data.h"
#include "kernels/variant.h"

namespace rooflinectl {

/// One GPU's part of the elements that several GPUs share, in its memory. That device must be the current one
/// whenever something here is called.
class GpuShare {
 public:
  /// The part of GPU number `gpu` among those of `all`, with `copies` inputs. Throws Error if memory does not
  /// suffice.
  GpuShare(const kernels::Problem& all, int gpu, const kernels::Variant& variant, int copies);

  /// Enqueues the data of the share, and NaN behind each input.
  void fill(kernels::DataSet data_set, int copies, cudaStream_t stream) const;
  /// Enqueues adding up an input into `d_sum`.
  void launch(const kernels::Variant& variant, int copy, void* d_sum, cudaStream_t stream) const;
  /// Enqueues filling the sum of the share with NaN.
  void poison_partial(cudaStream_t stream) const;
  /// Where the sum of the share may be.
  void* partial() const { return partial_.data(); }

 private:
  std::byte* input(int copy) const {
    return static_cast<std::byte*>(inputs_.data()) + static_cast<std::size_t>(copy) * input_stride_bytes_;
  }

  kernels::Share share_;
  kernels::Problem problem_;  // of the share
  std::size_t input_stride_bytes_ = 0;
  DeviceBuffer inputs_;
  DeviceBuffer partial_;
  DeviceBuffer workspace_;
};

/// What a reduction asks of a kernel.
kernels::Problem problem_of(const Reduction& reduction);

/// NCCL's type for sums in this one.
nccl::Type nccl_type(Dtype accumulator);

}  // namespace rooflinectl
