// SPDX-License-Identifier: Apache-2.0
#include "collector/points/variant_point.h"

#include <fmt/format.h>

#include <algorithm>

#include "collector/points/prepared_point.h"
#include "core/error.h"
#include "kernels/cuda_check.h"
#include "kernels/data.h"

namespace rooflinectl {

namespace {

/// Bytes of one input, with room behind it for the poison that shows an over-read.
std::size_t input_stride(const Reduction& reduction) {
  return align_up(reduction.n_elements * size_bytes(reduction.dtype)) + kAlignment;
}

const kernels::Variant* require_variant(const std::string& id) {
  const kernels::Variant* variant = kernels::find_variant(id);
  if (variant == nullptr) throw Error(ErrorKind::usage, fmt::format("there is no variant '{}'", id));
  return variant;
}

}  // namespace

LaunchPlan launch_plan(const PointId& id, const DeviceInfo& device) {
  const kernels::Variant* variant = require_variant(id.subject);
  const Reduction reduction = reduction_of(id);
  return launch_plan(
      {.input_bytes = input_stride(reduction),
       .cache = reduction.cache,
       .changes_inputs = variant->info.destroys_input,
       .must_be_plain = variant->waits_for_device || reduction.launch_mode == LaunchMode::plain},
      device);
}

std::size_t variant_input_bytes(const PointId& id, int copies) {
  return input_stride(reduction_of(id)) * static_cast<std::size_t>(copies);
}

VariantPoint::VariantPoint(const PointId& id, Workbench& bench, const Stream& stream, int copies)
    : PreparedPoint(id),
      reduction_(reduction_of(id)),
      variant_(require_variant(id.subject)),
      problem_{reduction_.dtype, reduction_.n_elements, reduction_.block_size,
               reduction_.elements_per_thread.value_or(0)},
      bench_(bench),
      stream_(stream),
      copies_(copies),
      input_stride_bytes_(input_stride(reduction_)),
      output_bytes_(kernels::output_count(*variant_, problem_) * size_bytes(accumulator(reduction_.dtype))),
      workspace_bytes_(kernels::workspace_bytes(*variant_, problem_)) {
  bench_.inputs.require(input_stride_bytes_ * static_cast<std::size_t>(copies));
  bench_.output.require(align_up(output_bytes_) + kAlignment);
  bench_.workspace.require(std::max(workspace_bytes_, kAlignment));
}

kernels::Buffers VariantPoint::buffers(int copy) const {
  auto* first = static_cast<std::byte*>(bench_.inputs.data());
  return {first + static_cast<std::size_t>(copy) * input_stride_bytes_, bench_.output.data(),
          bench_.workspace.data()};
}

std::optional<KernelResources> VariantPoint::resources() {
  if (variant_->waits_for_device) return std::nullopt;
  return kernel_resources([this] { launch(0); }, stream_);
}

void VariantPoint::fill_inputs() {
  for (int copy = 0; copy < copies_; ++copy) {
    kernels::fill(kTimedData, problem_.dtype, buffers(copy).d_input, problem_.n, stream_);
  }
  kernels::check(cudaMemsetAsync(bench_.workspace.data(), 0, bench_.workspace.bytes(), stream_),
                 "cudaMemsetAsync");
}

VerificationMemory VariantPoint::memory() const {
  return {.input = {buffers(0).d_input, input_stride_bytes_},
          .output = {bench_.output.data(), bench_.output.bytes()},
          .workspace = {bench_.workspace.data(), bench_.workspace.bytes()}};
}

void VariantPoint::launch(int copy) {
  variant_->launch(problem_, buffers(copy), stream_);
}

std::optional<Verification> VariantPoint::verify() {
  return rooflinectl::verify(*variant_, problem_, memory(), bench_.references, stream_);
}

TimedWork VariantPoint::timed_work(const LaunchPlan& plan) {
  fill_inputs();
  TimedWork work = timed_launches(id(), plan, copies_, [this](int copy) { launch(copy); });
  if (variant_->info.destroys_input) work.prepare = [this] { fill_inputs(); };
  return work;
}

void VariantPoint::poison_output() {
  kernels::poison(bench_.output.data(), output_bytes_, stream_);
}

ResultCheck VariantPoint::check_output() {
  return compare_output(*variant_, problem_, kTimedData, memory(), bench_.references, stream_);
}

}  // namespace rooflinectl
