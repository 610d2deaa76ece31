// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "collector/cupti/profiler.h"
#include "core/model/agreement.h"
#include "core/model/run.h"
#include "kernels/known_work.h"

namespace rooflinectl {

/// Counts every kernel of known work with `profiler`, a session of `basic_metrics` on `device`, which is
/// current. Takes 2 GiB of device memory, and gives them back. Throws Error if memory is short, a launch
/// fails or the profiler cannot be used.
SelfTest test_counters(const DeviceInfo& device, Profiler& profiler);

/// What `work` is known to do, beside what was counted for its launch, and for its launch without the known
/// instructions where it has one.
std::vector<Agreement> agreements(const kernels::KnownWork& work, const kernels::KnownWorkSite& site,
                                  const Counters& counted, const Counters& counted_without);

/// Warp instructions over all launches, counted by hardware in one pass (`ours`) and by instrumentation in
/// another (`reference`).
Agreement agreement_of_passes(const std::vector<Counters>& launches);

}  // namespace rooflinectl
