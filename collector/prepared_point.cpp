// SPDX-License-Identifier: Apache-2.0
#include "collector/prepared_point.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "kernels/cuda_check.h"
#include "kernels/data.h"

namespace rooflinectl {

namespace {

constexpr std::size_t kAlignment = 256;
constexpr std::size_t kBytesForCopies = std::size_t{512} << 20;
constexpr int kMostLaunches = 64;

std::size_t align_up(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

/// Bytes of one input, with room behind it for the poison that shows an over-read.
std::size_t input_stride(const PointId& id) {
  return align_up(id.n_elements * size_bytes(id.dtype)) + kAlignment;
}

const kernels::Variant* require_variant(const std::string& id) {
  const kernels::Variant* variant = kernels::find_variant(id);
  if (variant == nullptr) throw Error(ErrorKind::usage, fmt::format("there is no variant '{}'", id));
  return variant;
}

}  // namespace

int copies_for_timing(const PointId& id, const DeviceInfo& device) {
  const bool warm = id.cache == CacheState::warm;
  const bool destroys_input = require_variant(id.variant)->info.destroys_input;
  if (warm && !destroys_input) return 1;
  // Inputs that were just restored are warm as long as all of them fit into half of L2.
  const std::size_t budget = warm ? device.l2_bytes / 2 : kBytesForCopies;
  return static_cast<int>(std::clamp<std::size_t>(budget / input_stride(id), 1, kMostLaunches));
}

PreparedPoint::PreparedPoint(const PointId& id, Workbench& bench, const Stream& stream, int copies)
    : id_(id),
      variant_(require_variant(id.variant)),
      problem_{id.dtype, id.n_elements, id.block_size, id.elements_per_thread.value_or(0)},
      bench_(bench),
      stream_(stream),
      copies_(copies),
      input_stride_bytes_(input_stride(id)),
      output_bytes_(kernels::output_count(*variant_, problem_) * size_bytes(accumulator(id.dtype))),
      workspace_bytes_(kernels::workspace_bytes(*variant_, problem_)) {
  bench_.inputs.require(input_stride_bytes_ * static_cast<std::size_t>(copies));
  bench_.output.require(align_up(output_bytes_) + kAlignment);
  bench_.workspace.require(std::max(workspace_bytes_, kAlignment));
}

kernels::Buffers PreparedPoint::buffers(int copy) const {
  auto* first = static_cast<std::byte*>(bench_.inputs.data());
  return {first + static_cast<std::size_t>(copy) * input_stride_bytes_, bench_.output.data(),
          bench_.workspace.data()};
}

void PreparedPoint::fill_inputs() {
  for (int copy = 0; copy < copies_; ++copy) {
    kernels::fill(kernels::DataSet::integers, id_.dtype, buffers(copy).d_input, id_.n_elements, stream_);
  }
  kernels::check(cudaMemsetAsync(bench_.workspace.data(), 0, bench_.workspace.bytes(), stream_),
                 "cudaMemsetAsync");
}

VerificationMemory PreparedPoint::memory() const {
  return {.input = {buffers(0).d_input, input_stride_bytes_},
          .output = {bench_.output.data(), bench_.output.bytes()},
          .workspace = {bench_.workspace.data(), bench_.workspace.bytes()}};
}

void PreparedPoint::launch(int copy) {
  variant_->launch(problem_, buffers(copy), stream_);
}

TimedWork PreparedPoint::timed_work() {
  fill_inputs();
  TimedWork work;
  work.range_name = range_name(id_);
  work.cache = id_.cache;
  work.launch = [this](int launch_number) { launch(launch_number % copies_); };
  const bool repeats_on_one_input = id_.cache == CacheState::warm && !variant_->info.destroys_input;
  work.most_launches = repeats_on_one_input ? kMostLaunches : copies_;
  if (variant_->waits_for_device || id_.launch_mode == LaunchMode::plain) work.most_launches = 1;
  if (variant_->info.destroys_input) work.restore = [this] { fill_inputs(); };
  return work;
}

}  // namespace rooflinectl
