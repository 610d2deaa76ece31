// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "analysis/analysis.h"
#include "core/model/run.h"

/// The kernels of a program on several GPUs as one set of points: the roofline of all ranks
/// (docs/scaling.md).
namespace rooflinectl {

/// What a program's kernels did on all GPUs of which a run has measurements, as a run of its own, with one
/// measurement for each kernel, shape and NVTX path. It is on the first of these GPUs that has measured
/// ceilings. Launches, total times and copies are sums over the GPUs; a measurement's time, with its
/// interval, and its counters are means over the GPUs that have them, weighted by launches. Ceilings and
/// devices keep their places; what compares ranks is left out.
struct DevicesTogether {
  Run run;               ///< its experiment has the name of the program, `_together` added
  std::string title;     ///< `train, ranks 0–7 together: 8 × NVIDIA H200`
  std::size_t gpus = 0;  ///< at least two
  bool is_part = false;  ///< whether the run has further GPUs, with times only
};

/// Nothing where the program's kernels ran on fewer than two GPUs, or on different models, whose roofs
/// differ.
std::optional<DevicesTogether> devices_together(const Run& run);

/// The only experiment of `together`, which must outlive the result.
ExperimentAnalysis analyse(const DevicesTogether& together);

}  // namespace rooflinectl
