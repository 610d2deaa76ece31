// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/json/rules.h"
#include "core/model/run.h"

namespace rooflinectl::serial {

void fields(auto& f, Is<Environment> auto& environment) {
  f("operating_system", environment.operating_system);
  f("kernel", environment.kernel);
  f("processor", environment.processor);
  f("container", environment.container);
  f("variables", environment.variables);
}

void fields(auto& f, Is<DeviceSettings> auto& settings) {
  f.optional("pci_bus_id", settings.pci_bus_id);
  f.optional("persistence_mode", settings.persistence_mode);
  f.optional("compute_mode", settings.compute_mode);
  f.optional("mig_mode", settings.mig_mode);
  f.optional("power_limit_w", settings.power_limit_w);
  f.optional("default_power_limit_w", settings.default_power_limit_w);
  f.optional("max_power_limit_w", settings.max_power_limit_w);
  f.optional("max_sm_clock_hz", settings.max_sm_clock_hz);
  f.optional("max_memory_clock_hz", settings.max_memory_clock_hz);
  f.optional("application_sm_clock_hz", settings.application_sm_clock_hz);
  f.optional("application_memory_clock_hz", settings.application_memory_clock_hz);
}

void fields(auto& f, Is<DeviceInfo> auto& device) {
  f("name", device.name);
  f("uuid", device.uuid);
  f("chip", device.chip);
  f("index", device.index);
  f.optional("host", device.host);
  f("compute_capability", device.compute_capability);
  f("sm_count", device.sm_count);
  f("memory_bytes", device.memory_bytes);
  f("l2_bytes", device.l2_bytes);
  f("memory_bus_bits", device.memory_bus_bits);
  f("memory_clock_hz", device.memory_clock_hz);
  f("sm_clock_hz", device.sm_clock_hz);
  f("ecc_enabled", device.ecc_enabled);
  f("driver_version", device.driver_version);
  f("cuda_driver_version", device.cuda_driver_version);
  f("cuda_runtime_version", device.cuda_runtime_version);
  f.optional("cupti_version", device.cupti_version);
  f.optional("settings", device.settings);
}

}  // namespace rooflinectl::serial
