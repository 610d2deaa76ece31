// SPDX-License-Identifier: Apache-2.0
#include "collector/points/prepared_point.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "collector/device/device.h"
#include "collector/points/point_memory.h"
#include "core/error.h"
#include "kernels/cuda_check.h"
#include "kernels/data.h"

namespace rooflinectl {

namespace {

constexpr int kMostLaunches = 64;
/// A graph takes about this long, or is one launch: two events around it cost about 3 µs on an H200.
constexpr double kGraphSeconds = 200e-6;
/// If the device does not report how fast its memory is: a typical value.
constexpr double kUnknownBytesPerSecond = 1e12;

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
  if (variant->waits_for_device || reduction.launch_mode == LaunchMode::plain)
    return {LaunchMode::plain, 1, 1};
  // As many launches as the fastest pass over the input allows in that time; for a small input, which may fit
  // into L2, as many as a graph may have. Their inputs take little more memory than the device reads in that
  // time.
  const double speed =
      dram_bytes_per_second(device) > 0 ? dram_bytes_per_second(device) : kUnknownBytesPerSecond;
  const double wanted = std::ceil(kGraphSeconds * speed / static_cast<double>(input_stride(reduction)));
  LaunchPlan plan;
  plan.launches_per_graph = static_cast<int>(std::clamp(wanted, 1.0, static_cast<double>(kMostLaunches)));
  plan.inputs = plan.launches_per_graph;
  if (reduction.cache == CacheState::cold) return plan;
  plan.inputs = 1;
  if (variant->info.destroys_input) {
    // Inputs that were just restored are warm as long as all of them fit into half of L2.
    const std::size_t most = std::max<std::size_t>(device.l2_bytes / 2 / input_stride(reduction), 1);
    plan.inputs = static_cast<int>(std::min(most, static_cast<std::size_t>(plan.launches_per_graph)));
    plan.launches_per_graph = plan.inputs;
  }
  return plan;
}

void place_inputs(std::span<const PointId> points, Workbench& bench, const DeviceInfo& device) {
  constexpr std::size_t kForTheRest = std::size_t{1} << 30;
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  kernels::check(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
  std::size_t most = 0;
  for (const PointId& point : points) {
    if (kernels::find_variant(point.subject) == nullptr || reduction_of(point).gpus) continue;
    const std::size_t bytes =
        input_stride(reduction_of(point)) * static_cast<std::size_t>(launch_plan(point, device).inputs);
    if (bytes + kForTheRest <= free_bytes) most = std::max(most, bytes);
  }
  bench.inputs.require(most);
}

PreparedPoint::PreparedPoint(const PointId& id, Workbench& bench, const Stream& stream, int copies)
    : id_(id),
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

kernels::Buffers PreparedPoint::buffers(int copy) const {
  auto* first = static_cast<std::byte*>(bench_.inputs.data());
  return {first + static_cast<std::size_t>(copy) * input_stride_bytes_, bench_.output.data(),
          bench_.workspace.data()};
}

void PreparedPoint::fill_inputs() {
  for (int copy = 0; copy < copies_; ++copy) {
    kernels::fill(kTimedData, problem_.dtype, buffers(copy).d_input, problem_.n, stream_);
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

TimedWork timed_launches(const PointId& id, const LaunchPlan& plan, int copies,
                         std::function<void(int copy)> launch) {
  TimedWork work;
  work.range_name = range_name(id);
  work.cache = reduction_of(id).cache;
  work.mode = plan.mode;
  work.launches_per_graph = plan.launches_per_graph;
  work.launch = [copies, launch = std::move(launch)](int number) { launch(number % copies); };
  return work;
}

TimedWork PreparedPoint::timed_work(const LaunchPlan& plan) {
  fill_inputs();
  TimedWork work = timed_launches(id_, plan, copies_, [this](int copy) { launch(copy); });
  if (variant_->info.destroys_input) work.prepare = [this] { fill_inputs(); };
  return work;
}

void PreparedPoint::poison_output() {
  kernels::poison(bench_.output.data(), output_bytes_, stream_);
}

ResultCheck PreparedPoint::check_output(kernels::ReferenceSums& references) const {
  return compare_output(*variant_, problem_, kTimedData, memory(), references, stream_);
}

}  // namespace rooflinectl
