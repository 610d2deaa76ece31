// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "core/program/trace.h"

namespace rooflinectl {

/// CUPTI's record of the kernels and memsets that ran on the GPU, while this lives. Like the Profiler
/// it is in the module that is loaded at run time. One at a time.
class ActivityTrace {
 public:
  virtual ~ActivityTrace() = default;

  /// What ran since the last call, in the order of its start. All of it must have ended. Throws
  /// Error(environment) if records of it were lost.
  virtual std::vector<TracedOperation> take() = 0;

  /// Forgets what ran since the last call, lost or not.
  virtual void discard() = 0;
};

/// What the module exports, as `rooflinectl_open_activity_trace`.
using OpenActivityTrace = ActivityTrace*();

/// Begins to record. Throws Error(environment) with cause and hint: CUPTI missing, another profiler
/// attached.
std::unique_ptr<ActivityTrace> open_activity_trace();

}  // namespace rooflinectl
