// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/model/run.h"
#include "runner/measuring/ceiling_cache.h"
#include "runner/measuring/measure.h"

/// Ceilings of several devices in one run.
namespace rooflinectl {

/// Measures the ceilings of `request.plan` on the device at `place` of `run`, and adds them, and what is
/// known about the device, to the run. Of `request.output` nothing remains but the folder. The result has its
/// own run; where its folder is empty, nothing was added. Throws as measure().
MeasureResult measure_ceilings_into(Run& run, std::size_t place, MeasureRequest request,
                                    MeasureObserver& observer);

/// Measures the ceilings of `request.plan` on each of `devices`, one after the other, then the links between
/// them and collectives over all of them: one run. A device on which nothing can be measured is a loss, and
/// not in the run; so are links and collectives that cannot be measured. `request.device` is not used. Throws
/// as measure(), and the first device's error if nothing could be measured on any: then nothing is left
/// behind.
MeasureResult measure_ceilings(const MeasureRequest& request, const std::vector<DeviceInfo>& devices,
                               MeasureObserver& observer);

/// The collectives that were measured over exactly these devices before, for runs of programs that use them;
/// nothing where there are none, or no collector.
std::optional<Collectives> known_collectives(const std::vector<DeviceInfo>& devices,
                                             const CeilingCache::Warn& warn);

}  // namespace rooflinectl
