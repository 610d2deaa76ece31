// SPDX-License-Identifier: Apache-2.0
#include "analysis/devices/rank_window.h"

#include <algorithm>

#include "analysis/devices/collective_waits.h"

namespace rooflinectl {

std::optional<RankWindow> typical_window(const Application& application, std::uint64_t duration_ns) {
  std::vector<CollectiveWait> launches = collective_waits(application).launches;
  if (launches.empty() || duration_ns == 0) return std::nullopt;
  std::stable_sort(launches.begin(), launches.end(),
                   [](const CollectiveWait& a, const CollectiveWait& b) { return a.start_ns < b.start_ns; });
  const std::uint64_t first_ns = launches.front().start_ns;
  std::uint64_t last_ns = 0;
  for (const CollectiveWait& launch : launches) {
    last_ns = std::max(last_ns, launch.start_ns + launch.duration_ns);
  }
  struct Part {
    std::uint64_t place = 0;
    std::uint64_t wait_ns = 0;
  };
  // A part in which the program did something else has no launches, and is none.
  std::vector<Part> parts;
  for (const CollectiveWait& launch : launches) {
    const std::uint64_t place = (launch.start_ns - first_ns) / duration_ns;
    if (first_ns + (place + 1) * duration_ns > last_ns) break;
    if (parts.empty() || parts.back().place != place) parts.push_back({.place = place});
    parts.back().wait_ns += launch.wait_ns;
  }
  if (parts.empty()) return std::nullopt;
  const auto middle = parts.begin() + static_cast<std::ptrdiff_t>(parts.size() / 2);
  std::nth_element(parts.begin(), middle, parts.end(),
                   [](const Part& a, const Part& b) { return a.wait_ns < b.wait_ns; });
  const std::uint64_t start_ns = first_ns + middle->place * duration_ns;
  RankWindow window = {.duration_ns = duration_ns, .processes = {}};
  window.processes.resize(application.processes.size());
  for (const CollectiveWait& launch : launches) {
    if (launch.start_ns < start_ns || launch.start_ns >= start_ns + duration_ns) continue;
    window.processes[launch.process].push_back({.start_ns = launch.start_ns - start_ns,
                                                .duration_ns = launch.duration_ns,
                                                .wait_ns = launch.wait_ns});
  }
  return window;
}

}  // namespace rooflinectl
