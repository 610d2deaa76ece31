// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "core/model/run.h"

namespace rooflinectl {

/// A run that is resumed: what it lacks is measured into the same folder.
struct UnfinishedRun {
  Run run;
  std::filesystem::path folder;
};

/// The run in `path`, a run's folder or its `run.json`. Throws Error(usage) if there is none, if it is a
/// recording, if it has ceilings of several devices and nothing else, or if another build of this program
/// measured it: then its numbers are not comparable with new ones.
UnfinishedRun load_unfinished(const std::filesystem::path& path);

/// The places in `run.devices` of those that the plan is measured on; the others were only used by a program
/// that was profiled.
std::vector<std::size_t> measured_devices(const Run& run);

/// Throws Error(usage) that names what differs if `here` is not the GPU that the run was measured on, or has
/// another driver.
void require_same_device(const UnfinishedRun& unfinished, const DeviceInfo& here);

}  // namespace rooflinectl
