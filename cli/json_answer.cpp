// SPDX-License-Identifier: Apache-2.0
#include "cli/json_answer.h"

#include <fmt/format.h>

#include <algorithm>

#include "runner/version.h"

namespace rooflinectl {

using serial::Json;

Json answer_head(std::string_view command, const std::vector<DeviceInfo>& devices) {
  Json head = {{"format", fmt::format("rooflinectl-{}", command)},
               {"schema", 1},
               {"tool", {{"version", tool_version()}, {"commit", tool_commit()}}},
               {"command", command},
               {"devices", Json::array()}};
  for (const DeviceInfo& device : devices) {
    head["devices"].push_back({{"name", device.name}, {"uuid", device.uuid}});
  }
  return head;
}

Json answered(Json head, std::string_view answer) {
  head.update(serial::parse_object(answer, "answer"));
  return head;
}

std::vector<DeviceInfo> devices_of(std::initializer_list<std::span<const AnalysedRun>> runs) {
  std::vector<DeviceInfo> devices;
  const auto add = [&](const DeviceInfo& device) {
    const bool is_known = std::any_of(devices.begin(), devices.end(),
                                      [&](const DeviceInfo& known) { return known.uuid == device.uuid; });
    if (!is_known) devices.push_back(device);
  };
  for (const std::span<const AnalysedRun> part : runs) {
    for (const AnalysedRun& analysed : part) {
      std::for_each(analysed.run.devices.begin(), analysed.run.devices.end(), add);
    }
  }
  return devices;
}

}  // namespace rooflinectl
