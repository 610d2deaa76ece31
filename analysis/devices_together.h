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

/// What a program's kernels did on all GPUs of a run, as a run of its own with one measurement for each
/// kernel, shape and NVTX path, on the first of these GPUs. Launches, times and copies are sums over the
/// GPUs; a measurement's time is the mean of the medians on each, its interval spans theirs; counters are
/// means over the launches. Ceilings and devices keep their places; what compares ranks is left out.
struct DevicesTogether {
  Run run;
  std::string experiment;  ///< its name: that of the program, `_together` added
  std::string title;       ///< `train, ranks 0–7 together: 8 × NVIDIA H200`
  std::size_t gpus = 0;    ///< at least two
};

/// Nothing where the program's kernels ran on fewer than two GPUs, or on different models, whose roofs
/// differ.
std::optional<DevicesTogether> devices_together(const Run& run);

/// The only experiment of `together`, which must outlive the result.
ExperimentAnalysis analyse(const DevicesTogether& together);

}  // namespace rooflinectl
