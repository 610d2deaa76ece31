// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/machine/check.h"
#include "core/model/run.h"

namespace rooflinectl {

/// Fails where the driver is loaded, but this container does not see its devices; else nothing. `root`: of
/// the file system.
std::optional<Check> container_check(const std::filesystem::path& root = "/");

/// What stands in the way of measuring on a device, index or UUID, and what could make its numbers poor: what
/// the collector finds, the check above, and that for other users of the counters. Throws what `load_checks`
/// throws.
std::vector<Check> machine_checks(const std::string& device);

/// The first check because of which nothing can be measured; null if there is none.
const Check* stopping_check(const std::vector<Check>& checks);

/// What `doctor` warns of before measuring on a device, index or UUID. Throws CannotMeasure, with the message
/// of `doctor`, if nothing can be measured on it.
std::vector<Check> require_usable(const std::string& device);

struct UsableDevices {
  std::vector<DeviceInfo> devices;
  std::vector<Check> warnings;      ///< of all of them
  std::vector<std::string> losses;  ///< why nothing can be measured on the others
};

/// Those of `devices` on which something can be measured. Throws the first reason if there are none.
UsableDevices usable_devices(const std::vector<DeviceInfo>& devices);

}  // namespace rooflinectl
