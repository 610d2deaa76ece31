// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/files/files.h"
#include "core/machine/catalogue.h"
#include "core/machine/environment.h"
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

/// Warns of programs that may hold the GPU's hardware counters, with the command that makes each let go:
/// NVIDIA's data-centre monitor (DCGM), ncu, nsys, another rooflinectl. Nothing if none runs.
///
/// `processes` is the folder of the process file system, `self` the process whose ancestors and descendants
/// are not meant; nor are those that run the same command, the other ranks of a launcher.
std::optional<Check> counter_users_check(const std::filesystem::path& processes, int self);

/// The same for this process on this machine, or below the folder that the environment variable
/// ROOFLINECTL_PROCESSES names.
std::optional<Check> counter_users_check();

/// This machine, and the environment variables of this process that `is_recorded`. What cannot be read is
/// empty.
Environment host_environment();

/// Whether the environment variable `name` can change what is measured and therefore belongs in `run.json`.
bool is_recorded(std::string_view name);

/// Lets processes that measure on one GPU at the same time know of each other, through a locked file in the
/// temporary folder. They may still measure: a lock that hinders work on a shared machine is worse than a
/// warning.
class DeviceLock {
 public:
  DeviceLock() = default;
  /// Takes the lock of the GPU of that UUID, or of another name, if it is free. If no file can be made, other
  /// processes go unnoticed.
  explicit DeviceLock(const std::string& uuid);

  /// Who measures on the GPU already: `process 123`.
  const std::optional<std::string>& other() const { return other_; }

 private:
  FileDescriptor file_;
  std::optional<std::string> other_;
};

}  // namespace rooflinectl
