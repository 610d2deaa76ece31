// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare/compared_devices.h"

#include <cstddef>
#include <optional>

namespace rooflinectl {

namespace {

bool have_same_uuid(const DeviceInfo& a, const DeviceInfo& b) {
  return !a.uuid.empty() && a.uuid == b.uuid;
}

bool are_same_model(const DeviceInfo& a, const DeviceInfo& b) {
  return a.name == b.name;
}

bool are_any_devices(const DeviceInfo&, const DeviceInfo&) {
  return true;
}

/// For each of `known` the place in `devices` of the one that corresponds to it, if any.
std::vector<std::optional<std::size_t>> partners(const std::vector<const DeviceInfo*>& known,
                                                 const std::vector<DeviceInfo>& devices) {
  std::vector<std::optional<std::size_t>> places(known.size());
  std::vector<bool> is_taken(devices.size());
  for (const auto are_alike : {have_same_uuid, are_same_model, are_any_devices}) {
    for (std::size_t i = 0; i < known.size(); ++i) {
      for (std::size_t place = 0; place < devices.size() && !places[i]; ++place) {
        if (is_taken[place] || !are_alike(*known[i], devices[place])) continue;
        places[i] = place;
        is_taken[place] = true;
      }
    }
  }
  return places;
}

}  // namespace

std::vector<ComparedDevice> compared_devices(std::span<const AnalysedRun> baseline, const AnalysedRun& now) {
  std::vector<ComparedDevice> compared;
  std::vector<const DeviceInfo*> known;  // how each was first met
  const auto add = [&](const DeviceInfo& device) -> ComparedDevice& {
    known.push_back(&device);
    compared.emplace_back().bases.resize(baseline.size());
    return compared.back();
  };
  for (std::size_t place = 0; place < now.run.devices.size(); ++place) {
    add(now.run.devices[place]).now = place;
  }
  for (std::size_t base = 0; base < baseline.size(); ++base) {
    const std::vector<DeviceInfo>& devices = baseline[base].run.devices;
    const auto places = partners(known, devices);
    std::vector<bool> has_partner(devices.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
      compared[i].bases[base] = places[i];
      if (places[i]) has_partner[*places[i]] = true;
    }
    for (std::size_t place = 0; place < devices.size(); ++place) {
      if (!has_partner[place]) add(devices[place]).bases[base] = place;
    }
  }
  return compared;
}

}  // namespace rooflinectl
