// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>

#include "runner/profiling/points/groups.h"

namespace rooflinectl {
namespace {

/// Back to back in a stream; as fast as a host launches; with some work of the host in between; with a wait
/// of the host; while the host is elsewhere.
constexpr double kGapBounds[] = {5e-6, 20e-6, 100e-6, 1e-3};

/// Adds how long each group ran beside others. Collectives beside each other are only communication: for
/// them, it is how long they ran beside other kernels.
BusyTime add_overlaps(const std::vector<BusyInterval>& kernels, std::vector<ProfiledGroup>& groups) {
  std::vector<BusyInterval> collectives;
  std::vector<BusyInterval> others;
  const auto is_of_collective = [&](const BusyInterval& kernel) {
    return groups[kernel.owner].is_collective;
  };
  if (std::ranges::any_of(kernels, is_of_collective)) {  // else it would be a copy of all
    std::partition_copy(kernels.begin(), kernels.end(), std::back_inserter(collectives),
                        std::back_inserter(others), is_of_collective);
  }
  std::vector<std::uint64_t> beside_any(groups.size());
  std::vector<std::uint64_t> beside_others(groups.size());
  const BusyTime time = busy_time(kernels, &beside_any);
  add_overlap(collectives, others, beside_others);
  for (std::size_t place = 0; place < groups.size(); ++place) {
    ProfiledGroup& group = groups[place];
    group.overlapped_ns += group.is_collective ? beside_others[place] : beside_any[place];
  }
  return time;
}

/// Adds the gaps to those who followed them: groups, and then the kinds of transfers.
std::optional<UndisturbedUse> undisturbed_use(const std::vector<BusyInterval>& all, DeviceTimes& times,
                                              std::vector<ProfiledGroup>& groups) {
  UndisturbedUse use;
  for (const double bound_s : kGapBounds) use.gaps.push_back({.below_s = bound_s});
  use.gaps.emplace_back();
  const auto add_gap = [&](std::uint64_t duration_ns, std::uint32_t owner) {
    const auto is_longer = [&](double bound_s) { return seconds(duration_ns) >= bound_s; };
    IdleGaps& gaps = use.gaps[static_cast<std::size_t>(
        std::partition_point(std::begin(kGapBounds), std::end(kGapBounds), is_longer) - kGapBounds)];
    ++gaps.count;
    gaps.total_s += seconds(duration_ns);
    if (owner < groups.size()) {
      ++groups[owner].gaps_before;
      groups[owner].idle_before_ns += duration_ns;
    } else {
      TransferUse& transfer = times.transfer_uses[static_cast<TransferKind>(owner - groups.size())];
      ++transfer.gaps_before;
      transfer.idle_before_s += seconds(duration_ns);
    }
  };
  std::vector<BusyInterval> disturbances = times.counting;
  disturbances.insert(disturbances.end(), times.held.begin(), times.held.end());
  use.busy_s = seconds(undisturbed_ns(all, disturbances, add_gap));
  return use.busy_s > 0 ? std::optional(use) : std::nullopt;
}

}  // namespace

void add_device_uses(std::vector<DeviceTimes>& devices, std::vector<ProfiledGroup>& groups,
                     Application& application) {
  for (std::size_t device = 0; device < devices.size(); ++device) {
    DeviceTimes& times = devices[device];
    const BusyTime kernels = add_overlaps(times.kernels, groups);
    // There may be many millions: others join the kernels for a while, instead of a copy of all.
    std::vector<BusyInterval>& all = times.kernels;
    const std::size_t kernel_count = all.size();
    for (BusyInterval transfer : times.transfers) {
      transfer.owner += static_cast<std::uint32_t>(groups.size());
      all.push_back(transfer);
    }
    const std::size_t known_count = all.size();
    const BusyTime known = busy_time(all);
    all.insert(all.end(), times.held.begin(), times.held.end());
    const BusyTime everything = times.held.empty() ? known : busy_time(all);
    if (all.empty()) continue;
    all.resize(known_count);
    for (BusyInterval& untraced : times.untraced) {
      untraced.start_ns = std::clamp(untraced.start_ns, everything.first_ns, everything.last_ns);
      untraced.end_ns = std::clamp(untraced.end_ns, everything.first_ns, everything.last_ns);
    }
    application.devices.push_back(
        {.device = device,
         .span_s = seconds(everything.last_ns - everything.first_ns),
         .untraced_s = seconds(busy_time(times.untraced).busy_ns + everything.busy_ns - known.busy_ns),
         .kernel_busy_s = seconds(kernels.busy_ns),
         .busy_s = seconds(known.busy_ns),
         .kernel_s = seconds(kernels.sum_ns),
         .undisturbed = undisturbed_use(all, times, groups)});
    all.resize(kernel_count);
    for (auto [kind, use] : times.transfer_uses) {
      use.device = device;
      use.kind = kind;
      application.transfers.push_back(use);
    }
  }
}

namespace {

/// Whether each of `kernels` is a collective that a hold delayed.
std::vector<bool> are_held(const std::vector<BusyInterval>& kernels, const std::vector<ProfiledGroup>& groups,
                           const Holds& holds) {
  std::vector<std::size_t> collectives;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (groups[kernels[i].owner].is_collective) collectives.push_back(i);
  }
  std::ranges::sort(collectives,
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
