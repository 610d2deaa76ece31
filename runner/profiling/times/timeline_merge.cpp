// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "runner/profiling/times/times.h"

namespace rooflinectl {

namespace {

/// From the first to the last sample.
struct Window {
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;

  bool touches(std::uint64_t start, std::uint64_t end) const { return start < end_ns && end > start_ns; }
};

std::uint64_t end_of(const record::Sample& sample) {
  return sample.start_ns + sample.duration_ns;
}

/// The launches of points within the window. Where there are too many, the window begins later.
std::vector<BusyInterval> newest_launches(const std::vector<BusyInterval>& kernels,
                                          const std::vector<std::optional<std::size_t>>& measurements,
                                          Window& window) {
  std::vector<BusyInterval> found;
  for (const BusyInterval& launch : kernels) {
    if (measurements[launch.owner] && window.touches(launch.start_ns, launch.end_ns)) found.push_back(launch);
  }
  if (found.size() > kMostTimelineLaunches) {
    found.erase(found.begin(), found.end() - static_cast<std::ptrdiff_t>(kMostTimelineLaunches));
    window.start_ns = std::max(window.start_ns, found.front().start_ns);
  }
  return found;
}

std::vector<TimelinePower> power_in(const Window& window, std::vector<record::PowerReading>& readings,
                                    std::uint64_t zero_ns) {
  std::ranges::sort(readings, {}, &record::PowerReading::at_ns);
  std::vector<TimelinePower> power;
  for (const record::PowerReading& reading : readings) {
    if (reading.at_ns < window.start_ns || reading.at_ns > window.end_ns) continue;
    if (!power.empty() && power.back().at_ns == reading.at_ns - zero_ns) continue;  // of another process
    power.push_back({.at_ns = reading.at_ns - zero_ns, .watts = reading.watts});
  }
  return power;
}

DeviceTimeline timeline_of(std::size_t device, const record::SamplingBegun& begun,
                           const std::vector<record::Sample>& samples, std::uint64_t zero_ns) {
  DeviceTimeline timeline;
  timeline.device = device;
  timeline.interval_ns = begun.interval_ns;
  timeline.began_ns = begun.at_ns > zero_ns ? begun.at_ns - zero_ns : 0;
  timeline.metrics = begun.metrics;
  timeline.left_out = begun.left_out;
  for (const record::Sample& sample : samples) {
    timeline.start_ns.push_back(sample.start_ns - zero_ns);
    timeline.duration_ns.push_back(sample.duration_ns);
  }
  for (std::size_t column = 0; column < begun.keys.size(); ++column) {
    std::vector<double>& values = timeline.values[begun.keys[column]];
    for (const record::Sample& sample : samples) values.push_back(sample.values[column]);
  }
  return timeline;
}

}  // namespace

void TimelineMerge::begin(std::size_t device, const record::SamplingBegun& begun) {
  const auto [place, is_new] = sampled_.try_emplace(device, Sampled{.begun = begun, .samples = {}});
  record::SamplingBegun& first = place->second.begun;
  if (!is_new && begun.keys == first.keys) first.at_ns = std::min(first.at_ns, begun.at_ns);
}

void TimelineMerge::add(std::size_t device, const record::Samples& taken) {
  Sampled& sampled = sampled_.at(device);
  for (const record::Sample& sample : taken.samples) {
    if (sample.values.size() == sampled.begun.keys.size()) sampled.samples.push_back(sample);
  }
  if (sampled.samples.size() > 2 * most_samples_) keep_newest(sampled);
}

void TimelineMerge::add(std::size_t device, const record::Power& taken) {
  const auto found = sampled_.find(device);
  if (found == sampled_.end()) return;
  std::vector<record::PowerReading>& power = found->second.power;
  power.insert(power.end(), taken.readings.begin(), taken.readings.end());
}

void TimelineMerge::keep_newest(Sampled& sampled) const {
  auto& samples = sampled.samples;
  std::ranges::stable_sort(samples, {}, &record::Sample::start_ns);
  if (samples.size() > most_samples_) {
    samples.erase(samples.begin(), samples.end() - static_cast<std::ptrdiff_t>(most_samples_));
    std::erase_if(sampled.power, [&](const record::PowerReading& reading) {
      return reading.at_ns < samples.front().start_ns;
    });
  }
}

void TimelineMerge::add_ranges(int process, const std::map<std::string, std::vector<record::Range>>& ranges) {
  for (const auto& [path, passages] : ranges) {
    for (const record::Range& range : passages) {
      passages_.push_back({.process = process, .path = path, .range = range});
    }
  }
}

std::optional<Timeline> TimelineMerge::result(std::uint64_t zero_ns, const std::vector<RanOnDevice>& ran,
                                              const std::vector<std::optional<std::size_t>>& measurements) {
  Timeline timeline;
  for (auto& [device, sampled] : sampled_) {
    keep_newest(sampled);
    std::vector<record::Sample>& samples = sampled.samples;
    std::erase_if(samples, [&](const record::Sample& sample) { return sample.start_ns < zero_ns; });
    if (samples.empty()) continue;
    Window window = {.start_ns = samples.front().start_ns, .end_ns = end_of(samples.back())};
    const auto launches = newest_launches(ran[device].kernels, measurements, window);
    std::erase_if(samples, [&](const record::Sample& sample) { return sample.start_ns < window.start_ns; });

    DeviceTimeline& merged =
        timeline.devices.emplace_back(timeline_of(device, sampled.begun, samples, zero_ns));
    merged.power = power_in(window, sampled.power, zero_ns);
    for (const BusyInterval& launch : launches) {
      merged.launches.push_back({.measurement = *measurements[launch.owner],
                                 .stream = launch.stream,
                                 .start_ns = launch.start_ns - zero_ns,
                                 .duration_ns = launch.duration_ns()});
    }
    for (const BusyInterval& transfer : ran[device].transfers) {
      if (transfer.start_ns < zero_ns || !window.touches(transfer.start_ns, transfer.end_ns)) continue;
      merged.transfers.push_back({.kind = static_cast<TransferKind>(transfer.owner),
                                  .start_ns = transfer.start_ns - zero_ns,
                                  .duration_ns = transfer.duration_ns()});
    }
    std::ranges::stable_sort(merged.transfers, {}, &TimelineTransfer::start_ns);
  }
  if (timeline.devices.empty()) return std::nullopt;
  add_passages(zero_ns, timeline);
  return timeline;
}

/// Those that touch the time from the first sample of any device to the last.
void TimelineMerge::add_passages(std::uint64_t zero_ns, Timeline& timeline) const {
  Window window = {.start_ns = std::numeric_limits<std::uint64_t>::max(), .end_ns = 0};
  for (const DeviceTimeline& device : timeline.devices) {
    window.start_ns = std::min(window.start_ns, device.start_ns.front() + zero_ns);
    window.end_ns = std::max(window.end_ns, device.start_ns.back() + device.duration_ns.back() + zero_ns);
  }
  std::map<std::string, std::size_t> places;
  for (const Passage& passage : passages_) {
    const record::Range& range = passage.range;
    const bool is_in_window = window.touches(range.start_ns, range.start_ns + range.duration_ns);
    if (range.start_ns < zero_ns || !is_in_window) continue;
    const auto [place, is_new] = places.try_emplace(passage.path, timeline.paths.size());
    if (is_new) timeline.paths.push_back(passage.path);
    timeline.ranges.push_back({.path = place->second,
                               .process = passage.process,
                               .start_ns = range.start_ns - zero_ns,
                               .duration_ns = range.duration_ns});
  }
  std::ranges::stable_sort(timeline.ranges, {}, &TimelineRange::start_ns);
}

}  // namespace rooflinectl
