// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/machine/environment.h"

namespace rooflinectl {

/// The fastest PCIe link that a GPU and its slot can have.
struct PcieLink {
  unsigned generation = 0;
  unsigned lanes = 0;

  bool operator==(const PcieLink&) const = default;
};

/// What the driver's management library (NVML) reports about a GPU and CUDA does not. Each is nothing where
/// the GPU or the driver has no such thing, or does not let the user ask.
struct DeviceState {
  DeviceSettings settings;
  std::optional<unsigned> sm_clock_mhz;  ///< now
  /// The application clock that the driver sets by itself.
  std::optional<double> default_application_sm_clock_hz;
  std::optional<unsigned> temperature_c;
  /// Why the clock is below its maximum right now, other than idleness: `power cap`, `thermal`.
  std::optional<std::vector<std::string>> throttle_reasons;
  std::optional<bool> is_virtual;  ///< a vGPU, which shares its GPU with others
  /// Confidential computing is on, and not in its developer mode, which lets counters be read.
  std::optional<bool> confidential_computing;
  std::optional<unsigned long long> uncorrected_ecc_errors;  ///< since the driver was loaded
  std::optional<unsigned> compute_processes;                 ///< that use the GPU, this one included
  std::optional<PcieLink> pcie;
};

/// Asks NVML, which comes with the driver, for the GPU of that UUID. Nothing if NVML is missing or does not
/// know it.
std::optional<DeviceState> device_state(const std::string& uuid);

/// The NVLinks of a GPU that are up, and what all of them carry together in one direction by their line rate.
struct Nvlinks {
  unsigned count = 0;
  double bytes_per_s = 0;

  bool operator==(const Nvlinks&) const = default;
};

/// Nothing if NVML is missing, or the GPU has no link that is up, or one whose rate is unknown.
std::optional<Nvlinks> nvlinks(const std::string& uuid);

/// Whether NVLink connects these GPUs, directly or through a switch. False also where NVML is missing.
bool are_on_nvlink(const std::string& uuid, const std::string& other);

struct NvmlConnection;

/// Why the driver keeps a GPU's clock low, moment by moment.
class ClockEvents {
 public:
  explicit ClockEvents(const std::string& uuid);
  ~ClockEvents();

  /// The reasons at this moment; of an idle GPU, that it is idle. Nothing where NVML is missing or does not
  /// report them.
  std::optional<ClockEventReasons> now() const;

 private:
  std::unique_ptr<NvmlConnection> connection_;
};

/// The energy meter of a GPU's board.
class BoardEnergy {
 public:
  explicit BoardEnergy(const std::string& uuid);
  ~BoardEnergy();

  /// Since the driver was loaded. Nothing where there is no meter.
  std::optional<double> joules() const;

 private:
  std::unique_ptr<NvmlConnection> connection_;
};

}  // namespace rooflinectl
