// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/timing.h"
#include "core/run.h"
#include "kernels/ceiling.h"

namespace rooflinectl {

/// Runs one micro-benchmark in each of its launch shapes and returns the best as a measured ceiling. The
/// launch latency comes in two forms: launched by itself (`launch`), and as a node of a graph (`graph_node`).
/// Throws Error if memory or a launch fails.
std::vector<Ceiling> measure_ceiling(const kernels::CeilingBenchmark& benchmark, const DeviceInfo& device,
                                     Timer& timer, const Stream& stream);

}  // namespace rooflinectl
