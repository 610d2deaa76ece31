// SPDX-License-Identifier: Apache-2.0
#include "cli/measured_devices.h"

#include <fmt/format.h>

#include <cstdio>
#include <optional>

#include "cli/terminal.h"
#include "runner/machine/cannot_measure.h"
#include "runner/machine/chosen_devices.h"
#include "runner/machine/machine_checks.h"

namespace rooflinectl {

std::vector<DeviceInfo> several_devices(const std::vector<std::string>& selectors) {
  if (selectors.size() == 1 && selectors.front() != kAllDevices) return {};
  try {
    return chosen_devices(selectors);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::usage) throw;
    throw CannotMeasure(error.kind(), error.what(), error.hint());
  }
}

void check_machine(const std::string& device, bool is_quiet) {
  const std::vector<Check> checks = machine_checks(device);
  if (const Check* stopping = stopping_check(checks)) {
    throw CannotMeasure(ErrorKind::environment, stopping->detail, stopping->fix);
  }
  for (const Check& check : checks) {
    if (check.status == CheckStatus::ok || is_quiet) continue;
    terminal::print(stderr, "{}: {}: {}\n  {}\n", to_string(check.status), check.subject, check.detail,
                    check.fix);
  }
}

std::vector<DeviceInfo> usable_devices(const std::vector<DeviceInfo>& devices, bool is_quiet,
                                       std::vector<std::string>& losses) {
  std::vector<DeviceInfo> usable;
  std::optional<CannotMeasure> why_not;
  for (const DeviceInfo& device : devices) {
    try {
      check_machine(device.uuid, is_quiet);
      usable.push_back(device);
    } catch (const CannotMeasure& error) {
      if (!why_not) why_not = error;
      losses.push_back(fmt::format("GPU {} ({}): {}", device.index, device.uuid, error.what()));
    }
  }
  if (usable.empty()) throw *why_not;
  return usable;
}

}  // namespace rooflinectl
