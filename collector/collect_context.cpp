// SPDX-License-Identifier: Apache-2.0
#include "collector/collect_context.h"

#include <cuda_runtime_api.h>

#include "collector/device/device.h"
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
      timer(device, stream) {}

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
    if (point.variant().info.destroys_input) point.fill_inputs();
  }
  context.stream.synchronize();
}

void launch_in_range(const CollectContext& context, PreparedPoint& point) {
  const NvtxRange range(range_name(point.id()));
  point.launch(0);
  context.stream.synchronize();
}

}  // namespace rooflinectl
