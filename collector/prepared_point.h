// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/apparatus.h"
#include "collector/timing.h"
#include "collector/verification.h"
#include "core/plan.h"
#include "kernels/variant.h"

namespace rooflinectl {

/// Device memory that all points share, one after the other.
struct Workbench {
  explicit Workbench(std::size_t output_bytes = 0) : output(output_bytes) {}

  DeviceBuffer inputs;
  DeviceBuffer output;
  DeviceBuffer workspace;
};

/// How many distinct inputs a sample of short launches of this point may walk through. Throws Error if the
/// variant is not known.
int copies_for_timing(const PointId& id, const DeviceInfo& device);

/// A point whose kernel can be launched: its inputs and its output have memory.
class PreparedPoint {
 public:
  /// Makes room for `copies` inputs. Throws Error if the variant is not known or memory does not suffice.
  PreparedPoint(const PointId& id, Workbench& bench, const Stream& stream, int copies);

  const PointId& id() const { return id_; }
  const kernels::Variant& variant() const { return *variant_; }
  const kernels::Problem& problem() const { return problem_; }
  /// Of the first input.
  VerificationMemory memory() const;

  /// Enqueues writing the data that are timed and counted to every input, and zeros to the workspace.
  void fill_inputs();
  /// Enqueues a launch on input number `copy`.
  void launch(int copy);
  TimedWork timed_work();

 private:
  kernels::Buffers buffers(int copy) const;

  PointId id_;
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
