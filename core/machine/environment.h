// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

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

/// Why the driver keeps a GPU's clock below its highest: the bits of NVML's `nvmlClocksEventReasons`. Source:
/// NVML API Reference.
using ClockEventReasons = std::uint64_t;

/// The kernel itself draws all the power that the board may have.
inline constexpr ClockEventReasons kPowerCap = 0x004;
/// Something other than the kernel slows the GPU down: hardware slowdown, software and hardware thermal
/// slowdown, power brake.
inline constexpr ClockEventReasons kSlowdowns = 0x008 | 0x020 | 0x040 | 0x080;

/// `power cap`, `thermal`, …; empty for an idle GPU, and for bits that are not known here.
inline std::vector<std::string> names_of(ClockEventReasons reasons) {
  constexpr struct {
    ClockEventReasons bit;
    const char* name;
  } kNames[] = {
      {0x002, "application clocks"},   {kPowerCap, "power cap"}, {0x008, "hardware slowdown"},
      {0x010, "synchronised boost"},   {0x020, "thermal"},       {0x040, "hardware thermal slowdown"},
      {0x080, "hardware power brake"}, {0x100, "display clocks"}};
  std::vector<std::string> names;
  for (const auto& [bit, name] : kNames) {
    if ((reasons & bit) != 0) names.emplace_back(name);
  }
  return names;
}

/// Name of the machine; `unknown` if it has none.
std::string host_name();

/// Linux's id for this boot of the system, the same in every container; empty if it cannot be read.
std::string boot_id();

/// `GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx`, as nvidia-smi prints the UUID of a device.
std::string uuid_text(std::span<const char, 16> bytes);

}  // namespace rooflinectl
