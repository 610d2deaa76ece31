// SPDX-License-Identifier: Apache-2.0
#include "runner/profiling/times/held_collectives.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace rooflinectl {

namespace {

/// Whether each of `kernels` is a collective that a hold delayed.
std::vector<bool> are_held(const std::vector<BusyInterval>& kernels, const std::vector<ProfiledGroup>& groups,
                           const Holds& holds) {
  std::vector<std::size_t> collectives;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (groups[kernels[i].owner].is_collective) collectives.push_back(i);
  }
  std::sort(collectives.begin(), collectives.end(),
            [&](std::size_t a, std::size_t b) { return kernels[a].end_ns < kernels[b].end_ns; });
  std::vector<bool> held(kernels.size());
  std::uint64_t previous_end_ns = 0;
  for (const std::size_t i : collectives) {
    held[i] = holds.delay(previous_end_ns, kernels[i].end_ns);
    previous_end_ns = kernels[i].end_ns;
  }
  return held;
}

}  // namespace

void set_held_aside(std::vector<DeviceTimes>& devices, std::vector<ProfiledGroup>& groups,
                    const Holds& holds) {
  if (holds.list().empty()) return;
  for (DeviceTimes& device : devices) {
    const std::vector<bool> held = are_held(device.kernels, groups, holds);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < held.size(); ++i) {
      const BusyInterval launch = device.kernels[i];
      if (!held[i]) {
        device.kernels[kept++] = launch;
        continue;
      }
      device.held.push_back(launch);
      ProfiledGroup& group = groups[launch.owner];
      --group.traced;
      group.traced_ns -= launch.duration_ns();
      ++group.held;
      group.held_ns += launch.duration_ns();
    }
    device.kernels.resize(kept);
  }
}

}  // namespace rooflinectl
