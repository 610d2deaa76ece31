// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "analysis/devices/devices_together.h"

namespace rooflinectl {

namespace {

/// Transfers per element of the array, from one device to another.
double transfers(Collective collective, double n_devices) {
  switch (collective) {
    case Collective::all_reduce:
      return 2 * (n_devices - 1);
    case Collective::all_gather:
    case Collective::reduce_scatter:
    case Collective::broadcast:
      return n_devices - 1;
    case Collective::send_receive:
      return n_devices;
  }
  return 0;
}

/// Those of an element's transfers that the device with the most of them does.
double transfers_per_device(Collective collective, double n_devices) {
  // All of a broadcast has to leave the first device.
  if (collective == Collective::broadcast) return 1;
  return transfers(collective, n_devices) / n_devices;
}

/// The ceiling of NVLink, one way, of the slowest of these devices. Nothing where one has none.
std::optional<double> slowest_nvlink_bytes_per_s(const Run& run, const std::vector<std::size_t>& devices,
                                                 CeilingSource source) {
  std::optional<double> slowest;
  for (const std::size_t device : devices) {
    const Ceiling* nvlink = find_ceiling(run, "nvlink", source, device);
    if (nvlink == nullptr) return std::nullopt;
    slowest = std::min(slowest.value_or(nvlink->value), nvlink->value);
  }
  return slowest;
}

}  // namespace

double bus_bytes_per_s(Collective collective, const CollectiveTime& time, std::size_t n_devices) {
  return algorithm_bytes_per_s(time) * transfers_per_device(collective, static_cast<double>(n_devices));
}

double algorithm_bytes_per_s(const CollectiveTime& time) {
  return time.bytes / time.time_s;
}

std::optional<double> interpolated_time_s(const CollectiveTimes& times, double bytes) {
  const std::vector<CollectiveTime>& sizes = times.sizes;
  if (sizes.empty()) return std::nullopt;
  const auto above = std::ranges::lower_bound(sizes, bytes, {}, &CollectiveTime::bytes);
  if (above == sizes.begin()) return above->time_s;
  const CollectiveTime& below = *std::prev(above);
  if (above == sizes.end()) return bytes / algorithm_bytes_per_s(below);
  return std::lerp(below.time_s, above->time_s, (bytes - below.bytes) / (above->bytes - below.bytes));
}

double bytes_to_send(Collective collective, double bytes, std::size_t n_devices) {
  return bytes * transfers(collective, static_cast<double>(n_devices));
}

const CollectiveTime* fastest(const CollectiveTimes& times, std::size_t n_devices) {
  const auto found = std::ranges::max_element(times.sizes, {}, [&](const CollectiveTime& time) {
    return bus_bytes_per_s(times.collective, time, n_devices);
  });
  return found == times.sizes.end() ? nullptr : &*found;
}

std::optional<double> sent_ratio(const CollectiveTimes& times, std::size_t n_devices) {
  if (times.sizes.empty() || !times.sent_bytes.available()) return std::nullopt;
  return *times.sent_bytes.value() / bytes_to_send(times.collective, times.sizes.back().bytes, n_devices);
}

std::optional<double> counted_ratio(const LinkBandwidth& link) {
  std::optional<double> furthest;
  if (link.moved_bytes <= 0) return furthest;
  for (const CounterValue& bytes : {link.sent_bytes, link.received_bytes}) {
    if (!bytes.available()) continue;
    const double ratio = *bytes.value() / link.moved_bytes;
    if (!furthest || std::abs(ratio - 1) > std::abs(*furthest - 1)) furthest = ratio;
  }
  return furthest;
}

std::optional<double> theoretical_bytes_per_s(const Run& run, const LinkBandwidth& link) {
  const auto one_way = slowest_nvlink_bytes_per_s(run, {link.from, link.to}, CeilingSource::theoretical);
  if (!one_way) return std::nullopt;
  return (link.both_ways ? 2 : 1) * *one_way;
}

std::optional<double> share_of_theoretical(const Run& run, const LinkBandwidth& link) {
  const auto theoretical = theoretical_bytes_per_s(run, link);
  if (!theoretical || !link.missing.empty()) return std::nullopt;
  return link.bytes_per_s / *theoretical;
}

LinkRoof link_roof(const Run& run) {
  std::vector<std::size_t> devices(run.devices.size());
  std::iota(devices.begin(), devices.end(), 0);
  LinkRoof roof;
  roof.theoretical_bytes_per_s = slowest_nvlink_bytes_per_s(run, devices, CeilingSource::theoretical);
  roof.copy_bytes_per_s = slowest_nvlink_bytes_per_s(run, devices, CeilingSource::measured);
  std::map<std::pair<std::size_t, std::size_t>, double> fastest_of_pair;
  for (const LinkBandwidth& link : run.links) {
    if (link.both_ways || !link.missing.empty()) continue;
    double& bytes_per_s = fastest_of_pair[{link.from, link.to}];
    bytes_per_s = std::max(bytes_per_s, link.bytes_per_s);
  }
  for (const auto& [pair, bytes_per_s] : fastest_of_pair) {
    roof.measured_bytes_per_s = std::min(roof.measured_bytes_per_s.value_or(bytes_per_s), bytes_per_s);
  }
  return roof;
}

}  // namespace rooflinectl
