// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "runner/merging/merging.h"

namespace rooflinectl {

void MergedTimeline::add(const Timeline& timeline, const TimelinePlaces& places) {
  for (const DeviceTimeline& device : timeline.devices) add_device(device, places);
  for (TimelineRange range : timeline.ranges) {
    const auto process = places.processes.find(range.process);
    if (process != places.processes.end()) range.process = process->second;
    const auto [path, is_new] = paths_.try_emplace(timeline.paths[range.path], timeline_.paths.size());
    if (is_new) timeline_.paths.push_back(path->first);
    range.path = path->second;
    range.start_ns += places.shift_ns;
    timeline_.ranges.push_back(range);
  }
}

void MergedTimeline::add_device(DeviceTimeline device, const TimelinePlaces& places) {
  const auto& place = places.devices[device.device];
  const auto is_same = [&](const DeviceTimeline& other) { return other.device == *place; };
  const auto& all = timeline_.devices;
  if (!place || std::any_of(all.begin(), all.end(), is_same)) return;
  device.device = *place;
  device.began_ns += places.shift_ns;
  for (std::uint64_t& start_ns : device.start_ns) start_ns += places.shift_ns;
  for (TimelinePower& power : device.power) power.at_ns += places.shift_ns;
  std::erase_if(device.launches,
                [&](const TimelineLaunch& launch) { return !places.measurements[launch.measurement]; });
  for (TimelineLaunch& launch : device.launches) {
    launch.measurement = *places.measurements[launch.measurement];
    launch.start_ns += places.shift_ns;
  }
  for (TimelineTransfer& transfer : device.transfers) transfer.start_ns += places.shift_ns;
  timeline_.devices.push_back(std::move(device));
}

std::optional<Timeline> MergedTimeline::take() {
  if (timeline_.devices.empty()) return std::nullopt;
  std::stable_sort(timeline_.ranges.begin(), timeline_.ranges.end(),
                   [](const TimelineRange& a, const TimelineRange& b) { return a.start_ns < b.start_ns; });
  return std::move(timeline_);
}

}  // namespace rooflinectl
