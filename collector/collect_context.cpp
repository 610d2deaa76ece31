// SPDX-License-Identifier: Apache-2.0
#include "collector/collect_context.h"

#include <cuda_runtime_api.h>

#include "collector/device/device.h"
#include "collector/points/variant_point.h"
#include "collector/timing/nvtx.h"

namespace rooflinectl {

namespace {

/// Room for most outputs. Taken before any other memory: atomic additions to one address take up to 7 %
/// longer or shorter (H200) depending on where in the device it lies; taken first, it lies at the same place
/// in every run.
constexpr std::size_t kOutputBytes = std::size_t{64} << 20;

}  // namespace

CollectContext::CollectContext(const CollectRequest& collect_request, const Emit& emit_message)
    : request(collect_request),
      emit(emit_message),
      points(all_points(collect_request.plan)),
      device(select_device(collect_request.device)),
      bench(kOutputBytes),
      timer(device, stream),
      file_kernels(request, device) {}

LaunchPlan CollectContext::plan_of(const PointId& point) const {
  return file_kernels.has(point) ? file_kernels.plan_of(point) : launch_plan(point, device);
}

std::unique_ptr<PreparedPoint> CollectContext::prepare(const PointId& point, int copies,
                                                       PreparedFor purpose) {
  if (file_kernels.has(point)) return file_kernels.prepare(point, bench, stream, copies, purpose);
  return std::make_unique<VariantPoint>(point, bench, stream, copies);
}

void CollectContext::place_inputs() {
  std::vector<std::size_t> bytes;
  for (const PointId& point : points) {
    if (file_kernels.has(point)) {
      bytes.push_back(file_kernels.input_bytes(point, plan_of(point).inputs));
    } else if (kernels::find_variant(point.subject) != nullptr && !is_of_team(point)) {
      bytes.push_back(variant_input_bytes(point, plan_of(point).inputs));
    }
  }
  rooflinectl::place_inputs(bytes, bench);
}

bool context_is_usable() {
  cudaGetLastError();
  return cudaDeviceSynchronize() == cudaSuccess;
}

bool is_of_team(const PointId& point) {
  return point.axes.find(axis::kGpus) != nullptr;
}

void for_each_experiment(const Plan& plan,
                         const std::function<void(const Experiment&, std::size_t first_point)>& function) {
  std::size_t first_point = 0;
  for (const Experiment& experiment : plan.experiments) {
    function(experiment, first_point);
    first_point += experiment.points.size();
  }
}

void prepare_caches(CollectContext& context, PreparedPoint& point) {
  point.fill_inputs();
  if (point.cache() == CacheState::cold) {
    context.timer.cache_flush().enqueue(context.stream);
  } else {
    point.launch(0);
    if (point.changes_inputs()) point.fill_inputs();
  }
  context.stream.synchronize();
}

void launch_in_range(const CollectContext& context, PreparedPoint& point) {
  const NvtxRange range(range_name(point.id()));
  point.launch(0);
  context.stream.synchronize();
}

}  // namespace rooflinectl
