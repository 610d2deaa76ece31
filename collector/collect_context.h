// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "collector/device/instruments.h"
#include "collector/file_kernels/file_kernels.h"
#include "collector/points/prepared_point.h"
#include "collector/points/several_gpus.h"
#include "collector/timing/timing.h"
#include "core/serial/protocol.h"

namespace rooflinectl {

/// What the steps of a run share: the request, the device that it names, and the memory of points on it.
struct CollectContext {
  using Emit = std::function<void(const Message&)>;

  /// Makes the device current. Throws Error as `select_device`.
  CollectContext(const CollectRequest& request, const Emit& emit);

  LaunchPlan plan_of(const PointId& point) const;
  /// Throws Error if there is no such kernel, or if memory for `copies` inputs does not suffice.
  std::unique_ptr<PreparedPoint> prepare(const PointId& point, int copies, PreparedFor purpose);
  /// Makes room for the inputs of all points. Those over several GPUs have memory of their own.
  void place_inputs();

  const CollectRequest& request;
  const Emit& emit;
  std::vector<PointId> points;  ///< of the request's plan, in its order
  DeviceInfo device;
  Stream stream;
  Workbench bench;
  Timer timer;
  FileKernels file_kernels;
  std::optional<RankTeam> ranks;  ///< from `meet_ranks` on, if this process is one of several that can meet
};

/// Whether the CUDA context can still be used after an error.
bool context_is_usable();

/// Whether the point is one over several GPUs.
bool is_of_team(const PointId& point);

/// Calls `function` with each experiment of the plan and the index of its first point.
void for_each_experiment(const Plan& plan,
                         const std::function<void(const Experiment&, std::size_t first_point)>& function);

/// Fresh input, and the caches in the state that the point asks for.
void prepare_caches(CollectContext& context, PreparedPoint& point);

/// One launch in the point's NVTX range. Waits for it.
void launch_in_range(const CollectContext& context, PreparedPoint& point);

}  // namespace rooflinectl
