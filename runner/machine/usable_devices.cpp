// SPDX-License-Identifier: Apache-2.0
#include "runner/machine/usable_devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "runner/machine/cannot_measure.h"
#include "runner/machine/machine_checks.h"

namespace rooflinectl {

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
