// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/model/holds.h"
#include "core/program/application.h"
#include "runner/profiling/points/profiled_group.h"
#include "runner/profiling/times/busy_time.h"

namespace rooflinectl {

/// All that ran on a device in the first run.
struct DeviceTimes {
  std::vector<BusyInterval> kernels;    ///< owned by their groups
  std::vector<BusyInterval> held;       ///< set aside from the kernels
  std::vector<BusyInterval> transfers;  ///< owned by their kind
  std::vector<BusyInterval> untraced;   ///< while the trace of a process that uses it was off
  std::vector<BusyInterval> counting;   ///< while a process that uses it was in a pass
  std::map<TransferKind, TransferUse> transfer_uses;
  std::map<std::pair<int, std::uint64_t>, std::size_t> streams;  ///< numbers, by process and stream
};

/// Fills in what each device was used for, how long its groups ran beside others, and which gaps ended with
/// them.
void add_device_uses(std::vector<DeviceTimes>& devices, std::vector<ProfiledGroup>& groups,
                     Application& application);

/// Puts launches of collectives that waited for a rank that was held aside: into `DeviceTimes::held` and out
/// of the times of their groups. How long they took is our doing, not the program's.
void set_held_aside(std::vector<DeviceTimes>& devices, std::vector<ProfiledGroup>& groups,
                    const Holds& holds);

}  // namespace rooflinectl
