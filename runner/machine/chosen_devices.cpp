// SPDX-License-Identifier: Apache-2.0
#include "runner/machine/chosen_devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/text/names.h"
#include "runner/machine/catalogue.h"

namespace rooflinectl {

namespace {

/// As `nvidia-smi -L` prints it, with or without its `GPU-`.
bool is_named(const DeviceInfo& device, const std::string& selector) {
  return selector == std::to_string(device.index) || selector == device.uuid ||
         "GPU-" + selector == device.uuid;
}

}  // namespace

std::vector<DeviceInfo> chosen_devices(const std::vector<std::string>& selectors) {
  const std::vector<DeviceInfo> present = load_devices();
  if (selectors.empty() || contains(selectors, kAllDevices)) return present;
  std::vector<DeviceInfo> chosen;
  for (const std::string& selector : selectors) {
    const auto found = std::find_if(present.begin(), present.end(),
                                    [&](const DeviceInfo& device) { return is_named(device, selector); });
    if (found == present.end()) {
      std::string known;
      for (const DeviceInfo& device : present) {
        known += fmt::format("\n  {}  {}  {}", device.index, device.uuid, device.name);
      }
      throw Error(ErrorKind::usage, fmt::format("there is no device '{}'", selector),
                  "devices here:" + known);
    }
    const bool is_new = std::none_of(chosen.begin(), chosen.end(),
                                     [&](const DeviceInfo& device) { return device.uuid == found->uuid; });
    if (is_new) chosen.push_back(*found);
  }
  return chosen;
}

DeviceChoice device_choice(const std::vector<std::string>& selectors) {
  if (selectors.size() == 1 && selectors.front() != kAllDevices) {
    return {.several = {}, .one = selectors.front()};
  }
  try {
    std::vector<DeviceInfo> devices = chosen_devices(selectors);
    if (devices.size() == 1) return {.several = {}, .one = devices.front().uuid};
    return {.several = std::move(devices), .one = {}};
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::usage) throw;
    throw CannotMeasure(error.kind(), error.what(), error.hint());
  }
}

}  // namespace rooflinectl
