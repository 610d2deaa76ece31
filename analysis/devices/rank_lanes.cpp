// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <limits>

#include "analysis/devices/ranks.h"

namespace rooflinectl {

namespace {

/// A time in which something ran.
struct BusySpan {
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
};

/// The spans of the collectives, or of the others, among `launches`, which are by their starts.
std::vector<BusySpan> busy_spans(const Run& run, const std::vector<TimelineLaunch>& launches,
                                 bool of_collectives) {
  std::vector<BusySpan> spans;
  for (const TimelineLaunch& launch : launches) {
    const bool is_one = is_collective(run.measurements[launch.measurement].point.subject);
    if (is_one != of_collectives) continue;
    const std::uint64_t end_ns = launch.start_ns + launch.duration_ns;
    if (spans.empty() || launch.start_ns > spans.back().end_ns) {
      spans.push_back({launch.start_ns, end_ns});
    } else {
      spans.back().end_ns = std::max(spans.back().end_ns, end_ns);
    }
  }
  return spans;
}

/// The parts of `spans` that none of `covers` covers; both are by their starts, and do not overlap.
std::vector<BusySpan> uncovered(const std::vector<BusySpan>& spans, const std::vector<BusySpan>& covers) {
  std::vector<BusySpan> rest;
  auto cover = covers.begin();
  for (BusySpan span : spans) {
    while (cover != covers.end() && cover->end_ns <= span.start_ns) ++cover;
    for (auto next = cover; next != covers.end() && next->start_ns < span.end_ns; ++next) {
      if (next->start_ns > span.start_ns) rest.push_back({span.start_ns, next->start_ns});
      span.start_ns = std::max(span.start_ns, std::min(next->end_ns, span.end_ns));
    }
    if (span.start_ns < span.end_ns) rest.push_back(span);
  }
  return rest;
}

/// Adds to each part the share of it that spans cover.
void add_shares(std::vector<std::optional<LaneBin>>& bins, double LaneBin::*member,
                const std::vector<BusySpan>& spans, const RankLanes& lanes) {
  for (const BusySpan& span : spans) {
    std::uint64_t at_ns = std::max(span.start_ns, lanes.start_ns);
    while (at_ns < span.end_ns) {
      const std::size_t place = (at_ns - lanes.start_ns) / lanes.bin_ns;
      if (place >= bins.size()) return;
      const std::uint64_t bin_end_ns = lanes.start_ns + (place + 1) * lanes.bin_ns;
      const std::uint64_t until_ns = std::min(bin_end_ns, span.end_ns);
      if (bins[place]) {
        (*bins[place]).*member += static_cast<double>(until_ns - at_ns) / static_cast<double>(lanes.bin_ns);
      }
      at_ns = until_ns;
    }
  }
}

std::uint64_t last_ns(const DeviceTimeline& device) {
  return device.start_ns.back() + device.duration_ns.back();
}

RankLane lane_of(const Run& run, const DeviceTimeline& device, const RankLanes& lanes, std::size_t n_bins) {
  RankLane lane = {.device = device.device, .bins = {}};
  for (std::size_t i = 0; i < n_bins; ++i) {
    const std::uint64_t start_ns = lanes.start_ns + i * lanes.bin_ns;
    const bool is_sampled = start_ns + lanes.bin_ns > device.start_ns.front() && start_ns < last_ns(device);
    lane.bins.push_back(is_sampled ? std::optional(LaneBin{}) : std::nullopt);
  }
  const std::vector<BusySpan> compute = busy_spans(run, device.launches, false);
  add_shares(lane.bins, &LaneBin::compute, compute, lanes);
  add_shares(lane.bins, &LaneBin::collectives, uncovered(busy_spans(run, device.launches, true), compute),
             lanes);
  return lane;
}

}  // namespace

std::optional<RankLanes> rank_lanes(const Run& run, const Timeline& timeline) {
  std::vector<const DeviceTimeline*> devices;
  for (const DeviceTimeline& device : timeline.devices) {
    if (!device.start_ns.empty() && !device.launches.empty()) devices.push_back(&device);
  }
  if (!run.application || devices.size() < 2) return std::nullopt;
  std::ranges::sort(devices, {}, &DeviceTimeline::device);
  RankLanes lanes = {.start_ns = std::numeric_limits<std::uint64_t>::max(), .bin_ns = 0, .lanes = {}};
  std::uint64_t end_ns = 0;
  for (const DeviceTimeline* device : devices) {
    lanes.start_ns = std::min(lanes.start_ns, device->start_ns.front());
    end_ns = std::max(end_ns, last_ns(*device));
  }
  if (end_ns <= lanes.start_ns) return std::nullopt;
  const std::uint64_t duration_ns = end_ns - lanes.start_ns;
  lanes.bin_ns = (duration_ns + kMostLaneBins - 1) / kMostLaneBins;
  const auto n_bins = static_cast<std::size_t>((duration_ns + lanes.bin_ns - 1) / lanes.bin_ns);
  for (const DeviceTimeline* device : devices) lanes.lanes.push_back(lane_of(run, *device, lanes, n_bins));
  // Samples of different times say nothing about ranks side by side.
  constexpr std::size_t kMostBinsPerCommonOne = 20;
  std::size_t common = 0;
  for (std::size_t bin = 0; bin < n_bins; ++bin) {
    const auto sampled =
        std::ranges::count_if(lanes.lanes, [&](const RankLane& lane) { return lane.bins[bin].has_value(); });
    if (sampled >= 2) ++common;
  }
  if (common * kMostBinsPerCommonOne < n_bins) return std::nullopt;
  return lanes;
}

std::optional<RankWindow> typical_window(const Application& application, std::uint64_t duration_ns) {
  std::vector<CollectiveWait> launches = collective_waits(application).launches;
  if (launches.empty() || duration_ns == 0) return std::nullopt;
  std::ranges::stable_sort(launches, {}, &CollectiveWait::start_ns);
  const std::uint64_t first_ns = launches.front().start_ns;
  std::uint64_t last_ns = 0;
  for (const CollectiveWait& launch : launches) {
    last_ns = std::max(last_ns, launch.start_ns + launch.duration_ns);
  }
  struct Part {
    std::uint64_t place = 0;
    std::uint64_t wait_ns = 0;
    std::vector<std::uint64_t> waits_ns;  // of each process
  };
  const std::size_t processes = application.processes.size();
  std::vector<std::uint64_t> waits_ns(processes);
  // A part in which the program did something else has no launches, and is none.
  std::vector<Part> parts;
  for (const CollectiveWait& launch : launches) {
    const std::uint64_t place = (launch.start_ns - first_ns) / duration_ns;
    if (first_ns + (place + 1) * duration_ns > last_ns) break;
    if (parts.empty() || parts.back().place != place)
      parts.push_back({.place = place, .waits_ns = std::vector<std::uint64_t>(processes)});
    parts.back().wait_ns += launch.wait_ns;
    parts.back().waits_ns[launch.process] += launch.wait_ns;
    waits_ns[launch.process] += launch.wait_ns;
  }
  if (parts.empty()) return std::nullopt;
  // The process that waits longest in the whole run is to do so in this part, too.
  const auto longest = [](const std::vector<std::uint64_t>& waits) {
    return std::ranges::max_element(waits) - waits.begin();
  };
  const auto is_typical = [&](const Part& part) {
    return part.wait_ns > 0 && longest(part.waits_ns) == longest(waits_ns);
  };
  if (std::ranges::any_of(parts, is_typical)) std::erase_if(parts, std::not_fn(is_typical));
  const auto middle = parts.begin() + static_cast<std::ptrdiff_t>(parts.size() / 2);
  std::ranges::nth_element(parts, middle, {}, &Part::wait_ns);
  const std::uint64_t start_ns = first_ns + middle->place * duration_ns;
  RankWindow window = {.duration_ns = duration_ns, .processes = {}};
  window.processes.resize(processes);
  for (const CollectiveWait& launch : launches) {
    if (launch.start_ns < start_ns || launch.start_ns >= start_ns + duration_ns) continue;
    window.processes[launch.process].push_back({.start_ns = launch.start_ns - start_ns,
                                                .duration_ns = launch.duration_ns,
                                                .wait_ns = launch.wait_ns});
  }
  return window;
}

}  // namespace rooflinectl
