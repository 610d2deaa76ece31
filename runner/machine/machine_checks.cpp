// SPDX-License-Identifier: Apache-2.0
#include "runner/machine/machine_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "runner/machine/catalogue.h"
#include "runner/machine/counter_users.h"

namespace rooflinectl {

namespace fs = std::filesystem;

std::optional<Check> container_check(const fs::path& root) {
  std::error_code error;
  if (!fs::exists(root / "proc/driver/nvidia/version", error) || fs::exists(root / "dev/nvidiactl", error)) {
    return std::nullopt;
  }
  return Check{"container", CheckStatus::fails, "the driver is loaded, but this container sees no GPU",
               "expose it with `docker run --gpus all`, or nvidia.com/gpu in the pod's limits", true};
}

std::vector<Check> machine_checks(const std::string& device) {
  std::vector<Check> checks;
  if (const auto check = container_check()) checks.push_back(*check);
  for (const Check& check : load_checks(device)) checks.push_back(check);
  if (const auto check = counter_users_check()) checks.push_back(*check);
  return checks;
}

const Check* stopping_check(const std::vector<Check>& checks) {
  const auto found = std::find_if(checks.begin(), checks.end(), [](const Check& check) {
    return check.status == CheckStatus::fails && check.stops_measuring;
  });
  return found == checks.end() ? nullptr : &*found;
}

std::vector<Check> require_usable(const std::string& device) {
  std::vector<Check> checks = machine_checks(device);
  if (const Check* stopping = stopping_check(checks)) {
    throw CannotMeasure(ErrorKind::environment, stopping->detail, stopping->fix);
  }
  std::erase_if(checks, [](const Check& check) { return check.status == CheckStatus::ok; });
  return checks;
}

UsableDevices usable_devices(const std::vector<DeviceInfo>& devices) {
  UsableDevices usable;
  std::optional<CannotMeasure> why_not;
  for (const DeviceInfo& device : devices) {
    try {
      for (Check& warning : require_usable(device.uuid)) usable.warnings.push_back(std::move(warning));
      usable.devices.push_back(device);
    } catch (const CannotMeasure& error) {
      if (!why_not) why_not = error;
      usable.losses.push_back(fmt::format("GPU {} ({}): {}", device.index, device.uuid, error.what()));
    }
  }
  if (usable.devices.empty()) throw *why_not;
  return usable;
}

}  // namespace rooflinectl
