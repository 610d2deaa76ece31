// SPDX-License-Identifier: Apache-2.0
#include "collector/device/nvml.h"

#include <fmt/format.h>

#include <iterator>

#include "collector/device/nvml_library.h"

namespace rooflinectl {

namespace {

using nvml::Device;
using nvml::kSuccess;

// NVML's binary interface (NVML API Reference).
constexpr unsigned kSmClock = 1;
constexpr unsigned kMemoryClock = 2;
constexpr unsigned kGpuTemperature = 0;
constexpr unsigned kUncorrectedErrors = 1;
constexpr unsigned kSinceDriverWasLoaded = 0;
constexpr unsigned kMaxProcesses = 256;
constexpr unsigned kMostNvlinks = 18;
constexpr unsigned kOverNvlink = 2;
constexpr unsigned kPeerIsReached = 0;

struct ProcessInfo {
  unsigned pid;
  unsigned long long used_memory_bytes;
  unsigned gpu_instance;
  unsigned compute_instance;
};

constexpr const char* kComputeModes[] = {"default", "exclusive thread", "prohibited", "exclusive process"};

struct PciInfo {
  char bus_id_legacy[16];
  unsigned domain;
  unsigned bus;
  unsigned device;
  unsigned device_id;
  unsigned subsystem_id;
  char bus_id[32];
};

std::optional<bool> as_bool(const std::optional<unsigned>& value) {
  return value ? std::optional(*value != 0) : std::nullopt;
}

std::optional<double> as_watts(const std::optional<unsigned>& milliwatts) {
  return milliwatts ? std::optional(*milliwatts / 1e3) : std::nullopt;
}

std::optional<double> as_hertz(const std::optional<unsigned>& megahertz) {
  return megahertz ? std::optional(*megahertz * 1e6) : std::nullopt;
}

std::optional<double> max_power_limit_w(const nvml::Library& nvml, Device device) {
  unsigned lowest = 0;
  unsigned highest = 0;
  const int result = nvml.call<int(Device, unsigned*, unsigned*)>(
      "nvmlDeviceGetPowerManagementLimitConstraints", device, &lowest, &highest);
  return result == kSuccess ? as_watts(highest) : std::nullopt;
}

std::optional<std::string> pci_bus_id(const nvml::Library& nvml, Device device) {
  const auto info = nvml.get<PciInfo>("nvmlDeviceGetPciInfo_v3", device);
  if (!info) return std::nullopt;
  return fmt::format("{:04x}:{:02x}:{:02x}.0", info->domain, info->bus, info->device);
}

std::optional<std::string> compute_mode(const nvml::Library& nvml, Device device) {
  const auto mode = nvml.get<unsigned>("nvmlDeviceGetComputeMode", device);
  return mode && *mode < std::size(kComputeModes) ? std::optional<std::string>(kComputeModes[*mode])
                                                  : std::nullopt;
}

std::optional<bool> mig_mode(const nvml::Library& nvml, Device device) {
  unsigned current = 0;
  unsigned pending = 0;
  const int result =
      nvml.call<int(Device, unsigned*, unsigned*)>("nvmlDeviceGetMigMode", device, &current, &pending);
  return result == kSuccess ? std::optional(current != 0) : std::nullopt;
}

std::optional<unsigned> compute_processes(const nvml::Library& nvml, Device device) {
  unsigned count = kMaxProcesses;
  ProcessInfo processes[kMaxProcesses];
  const int result = nvml.call<int(Device, unsigned*, ProcessInfo*)>(
      "nvmlDeviceGetComputeRunningProcesses_v3", device, &count, processes);
  return result == kSuccess ? std::optional(count) : std::nullopt;
}

std::optional<ClockEventReasons> clock_event_reasons(const nvml::Library& nvml, Device device) {
  const auto reasons = nvml.get<unsigned long long>("nvmlDeviceGetCurrentClocksEventReasons", device);
  // The name before driver 535.
  return reasons ? reasons
                 : nvml.get<unsigned long long>("nvmlDeviceGetCurrentClocksThrottleReasons", device);
}

std::optional<bool> is_virtual(const nvml::Library& nvml, Device device) {
  constexpr unsigned kGuestOfVgpu = 2;
  const auto mode = nvml.get<unsigned>("nvmlDeviceGetVirtualizationMode", device);
  return mode ? std::optional(*mode == kGuestOfVgpu) : std::nullopt;
}

std::optional<bool> confidential_computing(const nvml::Library& nvml) {
  struct SystemState {
    unsigned environment;
    unsigned is_on;
    unsigned has_developer_tools;
  } state{};
  const int result = nvml.call<int(SystemState*)>("nvmlSystemGetConfComputeState", &state);
  return result == kSuccess ? std::optional(state.is_on != 0 && state.has_developer_tools == 0)
                            : std::nullopt;
}

DeviceSettings device_settings(const nvml::Library& nvml, Device device) {
  const auto max_clock = [&](unsigned clock) {
    return as_hertz(nvml.get<unsigned>("nvmlDeviceGetMaxClockInfo", device, clock));
  };
  const auto application_clock = [&](unsigned clock) {
    return as_hertz(nvml.get<unsigned>("nvmlDeviceGetApplicationsClock", device, clock));
  };
  DeviceSettings settings;
  settings.pci_bus_id = pci_bus_id(nvml, device);
  settings.persistence_mode = as_bool(nvml.get<unsigned>("nvmlDeviceGetPersistenceMode", device));
  settings.compute_mode = compute_mode(nvml, device);
  settings.mig_mode = mig_mode(nvml, device);
  settings.power_limit_w = as_watts(nvml.get<unsigned>("nvmlDeviceGetEnforcedPowerLimit", device));
  settings.default_power_limit_w =
      as_watts(nvml.get<unsigned>("nvmlDeviceGetPowerManagementDefaultLimit", device));
  settings.max_power_limit_w = max_power_limit_w(nvml, device);
  settings.max_sm_clock_hz = max_clock(kSmClock);
  settings.max_memory_clock_hz = max_clock(kMemoryClock);
  settings.application_sm_clock_hz = application_clock(kSmClock);
  settings.application_memory_clock_hz = application_clock(kMemoryClock);
  return settings;
}

/// Bytes per second of one NVLink in one direction.
std::optional<double> nvlink_speed(const nvml::Library& nvml, Device device, unsigned link) {
  struct FieldValue {
    unsigned field;
    unsigned scope;
    long long time_us;
    long long latency_us;
    int value_type;
    int result;
    union {
      unsigned as_unsigned;
      unsigned long long as_unsigned_long_long;
    } value;
  } speed{};
  constexpr double kMega = 1e6;
  constexpr unsigned kNvlinkSpeed = 164;  // in MB/s, of the link that `scope` names
  speed.field = kNvlinkSpeed;
  speed.scope = link;
  const int result = nvml.call<int(Device, int, FieldValue*)>("nvmlDeviceGetFieldValues", device, 1, &speed);
  if (result != kSuccess || speed.result != kSuccess || speed.value.as_unsigned == 0) return std::nullopt;
  return speed.value.as_unsigned * kMega;
}

/// The link itself slows down while it is idle.
std::optional<PcieLink> pcie_link(const nvml::Library& nvml, Device device) {
  const auto generation = nvml.get<unsigned>("nvmlDeviceGetMaxPcieLinkGeneration", device);
  const auto lanes = nvml.get<unsigned>("nvmlDeviceGetMaxPcieLinkWidth", device);
  return generation && lanes ? std::optional(PcieLink{*generation, *lanes}) : std::nullopt;
}

}  // namespace

std::optional<DeviceState> device_state(const std::string& uuid) {
  const nvml::Library nvml;
  const Device device = nvml.find(uuid);
  if (device == nullptr) return std::nullopt;
  DeviceState state;
  state.settings = device_settings(nvml, device);
  state.sm_clock_mhz = nvml.get<unsigned>("nvmlDeviceGetClockInfo", device, kSmClock);
  state.default_application_sm_clock_hz =
      as_hertz(nvml.get<unsigned>("nvmlDeviceGetDefaultApplicationsClock", device, kSmClock));
  state.temperature_c = nvml.get<unsigned>("nvmlDeviceGetTemperature", device, kGpuTemperature);
  if (const auto reasons = clock_event_reasons(nvml, device)) state.throttle_reasons = names_of(*reasons);
  state.is_virtual = is_virtual(nvml, device);
  state.confidential_computing = confidential_computing(nvml);
  state.uncorrected_ecc_errors = nvml.get<unsigned long long>("nvmlDeviceGetTotalEccErrors", device,
                                                              kUncorrectedErrors, kSinceDriverWasLoaded);
  state.compute_processes = compute_processes(nvml, device);
  state.pcie = pcie_link(nvml, device);
  return state;
}

std::optional<Nvlinks> nvlinks(const std::string& uuid) {
  const nvml::Library nvml;
  const Device device = nvml.find(uuid);
  if (device == nullptr) return std::nullopt;
  Nvlinks links;
  for (unsigned link = 0; link < kMostNvlinks; ++link) {
    if (nvml.get<unsigned>("nvmlDeviceGetNvLinkState", device, link).value_or(0) == 0) continue;
    const auto speed = nvlink_speed(nvml, device, link);
    if (!speed) return std::nullopt;
    ++links.count;
    links.bytes_per_s += *speed;
  }
  return links.count == 0 ? std::nullopt : std::optional(links);
}

bool are_on_nvlink(const std::string& uuid, const std::string& other) {
  const nvml::Library nvml;
  const Device device = nvml.find(uuid);
  const Device other_device = nvml.find(other);
  if (device == nullptr || other_device == nullptr) return false;
  unsigned status = 0;
  const int result = nvml.call<int(Device, Device, unsigned, unsigned*)>("nvmlDeviceGetP2PStatus", device,
                                                                         other_device, kOverNvlink, &status);
  return result == kSuccess && status == kPeerIsReached;
}

struct NvmlConnection {
  explicit NvmlConnection(const std::string& uuid) : device(nvml.find(uuid)) {}

  nvml::Library nvml;
  Device device;
};

ClockEvents::ClockEvents(const std::string& uuid) : connection_(std::make_unique<NvmlConnection>(uuid)) {}

ClockEvents::~ClockEvents() = default;

std::optional<ClockEventReasons> ClockEvents::now() const {
  if (connection_->device == nullptr) return std::nullopt;
  return clock_event_reasons(connection_->nvml, connection_->device);
}

BoardEnergy::BoardEnergy(const std::string& uuid) : connection_(std::make_unique<NvmlConnection>(uuid)) {}

BoardEnergy::~BoardEnergy() = default;

std::optional<double> BoardEnergy::joules() const {
  if (connection_->device == nullptr) return std::nullopt;
  const auto millijoules =
      connection_->nvml.get<unsigned long long>("nvmlDeviceGetTotalEnergyConsumption", connection_->device);
  return millijoules ? std::optional(static_cast<double>(*millijoules) / 1e3) : std::nullopt;
}

}  // namespace rooflinectl
