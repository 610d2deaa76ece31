// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/model/agreement.h"
#include "core/model/run.h"
#include "readers/ncu/ncu_csv.h"
#include "readers/nsys/nsys_sqlite.h"

/// Our numbers compared with those of other tools, with the tolerances of `docs/crosscheck.md`.
namespace rooflinectl {

/// The hardware metrics to ask Nsight Compute for: those that the run's compared counters came from, and the
/// duration.
std::vector<std::string> ncu_metrics(const Run& run);

/// Counters and times of every point that was measured beside those of the kernels in its NVTX range: their
/// sums; efficiencies of warps weighed by their instructions.
std::vector<Agreement> compare_with_ncu(const Run& run, const std::vector<NcuKernel>& kernels);

/// The time of every point beside the sum of the operations in its NVTX range, the median where it ran
/// several times; and whether there is a range at all.
std::vector<Agreement> compare_with_trace(const Run& run, const std::vector<TracedLaunch>& launches);

}  // namespace rooflinectl
