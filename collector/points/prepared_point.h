// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>

#include "collector/device/instruments.h"
#include "collector/points/verification.h"
#include "collector/timing/timing.h"
#include "core/model/plan.h"
#include "kernels/variant.h"

namespace rooflinectl {

/// Device memory that all points share, one after the other.
struct Workbench {
  explicit Workbench(std::size_t output_bytes = 0) : output(output_bytes) {}

  DeviceBuffer inputs;
  DeviceBuffer output;
  DeviceBuffer workspace;
};

/// How the launches of a point are timed.
struct LaunchPlan {
  LaunchMode mode = LaunchMode::graph;
  int launches_per_graph = 1;
  int inputs = 1;  ///< distinct inputs that the launches of a graph walk through

  bool operator==(const LaunchPlan&) const = default;
};

/// Depends on type, size and device alone, so that points that are compared with each other at one size are
/// timed alike: cold like warm, every variant and block size. The exceptions are variants that wait for the
/// device, which cannot be captured and are launched plainly, and warm launches that destroy their input: a
/// graph has no more of them than there are inputs that fit into half of L2. Throws Error if the variant is
/// not known.
LaunchPlan launch_plan(const PointId& id, const DeviceInfo& device);

/// What is timed of a point, launched as `plan` says; `launch` enqueues a launch on input number `copy` of
/// `copies`. Points add what they need before each launch.
TimedWork timed_launches(const PointId& id, const LaunchPlan& plan, int copies,
                         std::function<void(int copy)> launch);

/// Makes room for the inputs of all these points at once, so that all of them find theirs in the same place.
/// Points that do not fit are left to fail alone, and those over several GPUs have memory of their own.
void place_inputs(std::span<const PointId> points, Workbench& bench, const DeviceInfo& device);

/// A point whose kernel can be launched: its inputs and its output have memory.
class PreparedPoint {
 public:
  /// Makes room for `copies` inputs. Throws Error if the variant is not known or memory does not suffice.
  PreparedPoint(const PointId& id, Workbench& bench, const Stream& stream, int copies);

  const PointId& id() const { return id_; }
  CacheState cache() const { return reduction_.cache; }
  const kernels::Variant& variant() const { return *variant_; }
  const kernels::Problem& problem() const { return problem_; }
  /// The memory to verify, with the first input.
  VerificationMemory memory() const;

  /// Enqueues writing the data that are timed and counted to every input, and zeros to the workspace.
  void fill_inputs();
  /// Enqueues a launch on input number `copy`.
  void launch(int copy);
  /// Fills the inputs. `plan` is that of the same point.
  TimedWork timed_work(const LaunchPlan& plan);
  /// Enqueues filling the output with NaN.
  void poison_output();
  /// What the last launch on the filled inputs left behind, against the reference. Waits for the device.
  ResultCheck check_output(kernels::ReferenceSums& references) const;

 private:
  kernels::Buffers buffers(int copy) const;

  PointId id_;
  Reduction reduction_;
  const kernels::Variant* variant_;
  kernels::Problem problem_;
  Workbench& bench_;
  const Stream& stream_;
  int copies_;
  std::size_t input_stride_bytes_;
  std::size_t output_bytes_;
  std::size_t workspace_bytes_;
};

}  // namespace rooflinectl
