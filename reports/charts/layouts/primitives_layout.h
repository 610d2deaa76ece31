// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/run.h"
#include "reports/draw/scene.h"

namespace rooflinectl {

/// Latency and throughput of every primitive of `run` that has both, side by side: a line for what is done,
/// on it a mark for each who does it.
Scene primitives_scene(const Run& run);

}  // namespace rooflinectl
