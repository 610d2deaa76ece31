// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/program/application.h"

/// How a program used its devices over time: hardware counters at a fixed interval, and what ran meanwhile.
/// Times are nanoseconds since the start of the run's first traced launch, as in `LaunchTimes`; where devices
/// were only watched, since the watching began.
namespace rooflinectl {

/// A launch that ran while its device was sampled.
struct TimelineLaunch {
  std::size_t measurement = 0;  ///< the place of its point in `Run::measurements`
  std::uint64_t stream = 0;     ///< those of a device are numbered by their first launches, from 0
  std::uint64_t start_ns = 0;
  std::uint64_t duration_ns = 0;

  bool operator==(const TimelineLaunch&) const = default;
};

/// A copy or a set that ran while its device was sampled.
struct TimelineTransfer {
  TransferKind kind = TransferKind::other;
  std::uint64_t start_ns = 0;
  std::uint64_t duration_ns = 0;

  bool operator==(const TimelineTransfer&) const = default;
};

/// One passage of a process through an NVTX range while a device was sampled.
struct TimelineRange {
  std::size_t path = 0;  ///< its place in `Timeline::paths`
  int process = 0;       ///< its id
  std::uint64_t start_ns = 0;
  std::uint64_t duration_ns = 0;

  bool operator==(const TimelineRange&) const = default;
};

/// What the board drew at a moment: a reading of its sensor.
struct TimelinePower {
  std::uint64_t at_ns = 0;
  double watts = 0;

  bool operator==(const TimelinePower&) const = default;
};

/// The samples of one device. All columns are equally long.
struct DeviceTimeline {
  std::size_t device = 0;         ///< its place in `Run::devices`
  std::uint64_t interval_ns = 0;  ///< that was asked for
  std::uint64_t began_ns = 0;     ///< when sampling began
  /// Of each sample, ascending. Where one does not begin at the end of the one before, samples are missing.
  std::vector<std::uint64_t> start_ns;
  std::vector<std::uint64_t> duration_ns;
  /// By the keys of `sampled`: bytes within the sample, shares, hertz.
  std::map<std::string, std::vector<double>> values;
  std::map<std::string, std::string> metrics;   ///< key → the hardware metric that it came from
  std::map<std::string, std::string> left_out;  ///< key → why it was not sampled
  std::vector<TimelinePower> power;             ///< by their times; empty where nothing measures it
  std::vector<TimelineLaunch> launches;         ///< by their starts
  std::vector<TimelineTransfer> transfers;      ///< by their starts

  bool operator==(const DeviceTimeline&) const = default;
};

/// What is in `timeline.json.gz` beside `run.json`.
struct Timeline {
  static constexpr int kSchema = 1;

  std::vector<DeviceTimeline> devices;
  std::vector<std::string> paths;     ///< of NVTX ranges, as those of the points
  std::vector<TimelineRange> ranges;  ///< by their starts

  bool operator==(const Timeline&) const = default;
};

/// How a problem begins that cuts a device's timeline short, or leaves none.
inline constexpr const char* kNoTimeline = "the timeline is incomplete";

/// How many of a device's samples, and of the launches that ran during them, are kept: the newest ones.
inline constexpr std::size_t kMostSamples = 100'000;
inline constexpr std::size_t kMostTimelineLaunches = 200'000;

/// From this interval on, samples are read while the device is sampled, so that sampling need not end.
/// Reading one takes 0.13 ms.
inline constexpr std::uint64_t kShortestReadInterval = 200'000;
inline constexpr std::uint64_t kShortestInterval = 10'000;
inline constexpr std::uint64_t kLongestInterval = 1'000'000'000;

/// How many samples of this interval there is room for: all that there are, or those that wait to be read.
std::size_t room_for_samples(std::uint64_t interval_ns);

/// The time for which there is room, in seconds; nothing where samples are read meanwhile.
std::optional<double> sampling_window_s(std::uint64_t interval_ns);

}  // namespace rooflinectl
