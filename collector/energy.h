// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/nvml.h"
#include "collector/timing.h"
#include "core/model/run.h"

namespace rooflinectl {

/// The energy of one launch of `work`, by the GPU's own meter, which counts that of the whole board.
///
/// Launches follow each other for about two seconds, caches and inputs as the launch before left them. The
/// meter is renewed some ten times a second: power is the energy between two renewals over the time between
/// them, and the energy of a launch is that power times the time per launch. Unavailable where the GPU has no
/// meter. Throws Error if a launch fails.
EnergyResult measure_energy(const BoardEnergy& meter, const TimedWork& work, const Stream& stream);

}  // namespace rooflinectl
