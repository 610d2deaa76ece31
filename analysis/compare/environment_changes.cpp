// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>

#include "analysis/compare/comparison.h"

namespace rooflinectl {

namespace {

template <typename Described>
struct Aspect {
  std::string_view name;
  std::string (*text)(const Described&);
};

std::string cuda_version(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::string megahertz(double hz) {
  return fmt::format("{:.0f} MHz", hz / 1e6);
}

/// Empty where the driver could not be queried.
template <typename Show>
std::string setting(const DeviceInfo& device, std::optional<double> DeviceSettings::*value, Show show) {
  return device.settings && (*device.settings).*value ? show(*((*device.settings).*value)) : "";
}

std::string watts(double watts) {
  return fmt::format("{:.0f} W", watts);
}

const Aspect<DeviceInfo> kDeviceAspects[] = {
    {"device", [](const DeviceInfo& device) { return device.name; }},
    {"UUID", [](const DeviceInfo& device) { return device.uuid; }},
    {"compute capability",
     [](const DeviceInfo& device) { return std::to_string(device.compute_capability); }},
    {"SMs", [](const DeviceInfo& device) { return std::to_string(device.sm_count); }},
    {"memory", [](const DeviceInfo& device) { return fmt::format("{} bytes", device.memory_bytes); }},
    {"max SM clock", [](const DeviceInfo& device) { return megahertz(device.sm_clock_hz); }},
    {"memory clock", [](const DeviceInfo& device) { return megahertz(device.memory_clock_hz); }},
    {"application SM clock",
     [](const DeviceInfo& device) {
       return setting(device, &DeviceSettings::application_sm_clock_hz, megahertz);
     }},
    {"power limit",
     [](const DeviceInfo& device) { return setting(device, &DeviceSettings::power_limit_w, watts); }},
    {"ECC", [](const DeviceInfo& device) { return std::string(device.ecc_enabled ? "on" : "off"); }},
    {"driver", [](const DeviceInfo& device) { return device.driver_version; }},
    {"CUDA runtime", [](const DeviceInfo& device) { return cuda_version(device.cuda_runtime_version); }},
};

const Aspect<Run> kRunAspects[] = {
    {"host", [](const Run& run) { return run.host; }},
    {"tool", [](const Run& run) { return fmt::format("{} ({})", run.tool_version, run.tool_commit); }},
    {"source", [](const Run& run) { return std::string(to_string(run.source)); }},
    {"plan", [](const Run& run) { return run.plan.name; }},
    {"devices at work",
     [](const Run& run) { return std::string(run.together ? "all at once" : "one at a time"); }},
    {"counters",
     [](const Run& run) {
       return run.counter_session.available ? std::string("counted")
                                            : fmt::format("not counted: {}", run.counter_session.reason);
     }},
};

/// Adds each of `aspects` that differs between `now` and every one of `bases` (not empty), where it is known.
template <typename Described>
void add_changes(std::vector<EnvironmentChange>& changes, std::span<const Aspect<Described>> aspects,
                 const std::vector<const Described*>& bases, const Described& now,
                 const std::string& suffix) {
  for (const Aspect<Described>& aspect : aspects) {
    std::vector<std::string> before;
    for (const Described* base : bases) {
      std::string text = aspect.text(*base);
      if (text.empty()) continue;
      if (std::ranges::find(before, text) == before.end()) before.push_back(std::move(text));
    }
    const std::string after = aspect.text(now);
    if (before.empty() || after.empty()) continue;
    if (std::ranges::find(before, after) != before.end()) continue;
    changes.push_back(
        {fmt::format("{}{}", aspect.name, suffix), fmt::format("{}", fmt::join(before, ", ")), after});
  }
}

}  // namespace

std::vector<EnvironmentChange> environment_changes(const RunComparison& comparison) {
  std::vector<EnvironmentChange> changes;
  const Run& now = comparison.now->run;
  for (std::size_t device = 0; device < comparison.devices.size(); ++device) {
    const ComparedDevice& compared = comparison.devices[device];
    std::vector<const DeviceInfo*> bases;
    for (std::size_t base = 0; base < compared.bases.size(); ++base) {
      if (compared.bases[base]) {
        bases.push_back(&comparison.baseline[base].run.devices[*compared.bases[base]]);
      }
    }
    if (!compared.now || bases.empty()) continue;
    add_changes<DeviceInfo>(changes, kDeviceAspects, bases, now.devices[*compared.now],
                            device_suffix(comparison, device));
  }
  std::vector<const Run*> bases;
  for (const AnalysedRun& base : comparison.baseline) bases.push_back(&base.run);
  add_changes<Run>(changes, kRunAspects, bases, now, "");
  return changes;
}

}  // namespace rooflinectl
