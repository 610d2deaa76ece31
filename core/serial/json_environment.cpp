// SPDX-License-Identifier: Apache-2.0
#include "core/serial/json_fields.h"

namespace rooflinectl::json_fields {

Json to_json(const Environment& environment) {
  return {{"operating_system", environment.operating_system},
          {"kernel", environment.kernel},
          {"processor", environment.processor},
          {"container", environment.container},
          {"variables", environment.variables}};
}

Environment environment_from(const Reader& reader) {
  Environment environment;
  environment.operating_system = reader["operating_system"].text();
  environment.kernel = reader["kernel"].text();
  environment.processor = reader["processor"].text();
  environment.container = reader["container"].text();
  for (const auto& [name, value] : reader["variables"].members()) {
    environment.variables.emplace(name, value.text());
  }
  return environment;
}

namespace {

/// Calls `visit` with the name and the value of every setting.
template <typename Settings, typename Visit>
void for_each_setting(Settings& settings, Visit visit) {
  visit("pci_bus_id", settings.pci_bus_id);
  visit("persistence_mode", settings.persistence_mode);
  visit("compute_mode", settings.compute_mode);
  visit("mig_mode", settings.mig_mode);
  visit("power_limit_w", settings.power_limit_w);
  visit("default_power_limit_w", settings.default_power_limit_w);
  visit("max_power_limit_w", settings.max_power_limit_w);
  visit("max_sm_clock_hz", settings.max_sm_clock_hz);
  visit("max_memory_clock_hz", settings.max_memory_clock_hz);
  visit("application_sm_clock_hz", settings.application_sm_clock_hz);
  visit("application_memory_clock_hz", settings.application_memory_clock_hz);
}

void read(const Reader& reader, std::optional<std::string>& value) {
  value = reader.text();
}
void read(const Reader& reader, std::optional<bool>& value) {
  value = reader.boolean();
}
void read(const Reader& reader, std::optional<double>& value) {
  value = reader.number();
}

}  // namespace

Json to_json(const DeviceSettings& settings) {
  Json value = Json::object();
  for_each_setting(settings, [&](const char* key, const auto& setting) { set_if(value, key, setting); });
  return value;
}

DeviceSettings device_settings_from(const Reader& reader) {
  DeviceSettings settings;
  for_each_setting(settings, [&](const char* key, auto& setting) {
    if (reader.has(key)) read(reader[key], setting);
  });
  return settings;
}

}  // namespace rooflinectl::json_fields
