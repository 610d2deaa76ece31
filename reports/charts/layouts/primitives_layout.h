// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/run.h"
#include "reports/draw/scene.h"

namespace rooflinectl {

/// Latency and throughput of every primitive of `run` that has both, side by side: a line for each operation,
/// on it a mark for each implementation.
Scene primitives_scene(const Run& run);

}  // namespace rooflinectl
