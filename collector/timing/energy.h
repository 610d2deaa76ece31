// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>

#include "collector/timing/timing.h"
#include "core/model/run.h"

namespace rooflinectl {

/// What an energy meter shows, in joules since some moment; nothing where there is no meter.
using EnergyMeter = std::function<std::optional<double>()>;

/// The energy of one launch of `work`, by the GPU's own meter, which counts that of the whole board.
/// `synchronize` returns when all launches are complete.
///
/// Launches follow each other for about two seconds, caches and inputs as the launch before left them. The
/// meter is renewed about ten times a second: power is the energy between two renewals over the time between
/// them, and the energy of a launch is that power times the time per launch. Unavailable where the GPU has no
/// meter, and for work that has to be prepared before each launch: the meter would count the preparation too.
/// Throws Error if a launch fails.
EnergyResult measure_energy(const EnergyMeter& meter, const TimedWork& work,
                            const std::function<void()>& synchronize);

}  // namespace rooflinectl
