// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/model/holds.h"
#include "runner/profiling/points/profiled_group.h"
#include "runner/profiling/times/device_times.h"

namespace rooflinectl {

/// Puts launches of collectives that waited for a rank that was held aside: into `DeviceTimes::held` and out
/// of the times of their groups. How long they took is our doing, not the program's.
void set_held_aside(std::vector<DeviceTimes>& devices, std::vector<ProfiledGroup>& groups,
                    const Holds& holds);

}  // namespace rooflinectl
