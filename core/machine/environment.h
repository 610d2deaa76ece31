// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

namespace rooflinectl {

/// The machine around the GPU, and what on it can change a measurement.
struct Environment {
  std::string operating_system;  ///< `Debian GNU/Linux 12 (bookworm)`; empty if unknown
  std::string kernel;            ///< `Linux 6.1.0-18-amd64 x86_64`
  std::string processor;         ///< model name of the first one; empty if unknown
  std::string container;  ///< `docker`, `podman`, `kubernetes` …; empty where no sign of one was found
  /// The environment variables that can change what is measured, and are set. Never the whole environment: it
  /// may hold secrets (docs/internals/method.md lists the names).
  std::map<std::string, std::string> variables;

  bool operator==(const Environment&) const = default;
};

/// How the GPU was set up when it was opened. Each is nothing where the GPU or the driver has no such
/// setting, or does not let the user query it.
struct DeviceSettings {
  std::optional<std::string> pci_bus_id;  ///< `0000:17:00.0`
  std::optional<bool> persistence_mode;
  std::optional<std::string> compute_mode;  ///< `default`, `exclusive process`, `prohibited`
  std::optional<bool> mig_mode;
  std::optional<double> power_limit_w;  ///< in force
  std::optional<double> default_power_limit_w;
  std::optional<double> max_power_limit_w;  ///< the highest that can be set
  std::optional<double> max_sm_clock_hz;
  std::optional<double> max_memory_clock_hz;
  /// NVML's application clocks: below their maxima if somebody lowered them.
  std::optional<double> application_sm_clock_hz;
  std::optional<double> application_memory_clock_hz;

  bool operator==(const DeviceSettings&) const = default;
};

}  // namespace rooflinectl
