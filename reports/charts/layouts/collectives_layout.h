// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/run.h"
#include "reports/draw/scene.h"

namespace rooflinectl {

/// Whether a collective of `run` has a line to draw.
bool has_collectives_picture(const Run& run);

/// Bus bandwidth against the size of the array, a line for each collective, under what the links deliver,
/// measured and in theory.
Scene collectives_scene(const Run& run);

}  // namespace rooflinectl
