// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "core/model/run.h"

/// What was measured between devices: their links, and collectives over them.
namespace rooflinectl {

/// Bytes per second that a device must send, or receive, to finish in that time, whatever the number of
/// devices: comparable with the bandwidth of its links. The array's bytes over the time, times 2 (n - 1) / n
/// for an all-reduce, (n - 1) / n for all-gather and reduce-scatter, and 1 for broadcast and send/receive.
/// Source: NVIDIA, nccl-tests, doc/PERFORMANCE.md, "Bus bandwidth".
double bus_bytes_per_s(Collective collective, const CollectiveTime& time, std::size_t n_devices);

/// The array's bytes over the time (the same source, "Algorithm bandwidth").
double algorithm_bytes_per_s(const CollectiveTime& time);

/// How long an array of this many bytes takes, according to what was measured: between two sizes by linear
/// interpolation in the bytes, below the smallest as long as that one, beyond the largest at its bandwidth.
/// Nothing where the collective was not timed.
std::optional<double> interpolated_time_s(const CollectiveTimes& times, double bytes);

/// Bytes that all devices together have to send in one collective of an array of this many bytes, if no
/// switch does the additions for them (the same source: transfers per element).
double bytes_to_send(Collective collective, double bytes, std::size_t n_devices);

/// The size at which the bus bandwidth is highest; null where the collective was not timed.
const CollectiveTime* fastest(const CollectiveTimes& times, std::size_t n_devices);

/// Bytes counted on NVLink over those that had to be sent for the largest size; nothing where they were not
/// counted.
std::optional<double> sent_ratio(const CollectiveTimes& times, std::size_t n_devices);

/// How far counted bytes may be from known ones.
inline constexpr double kLinkByteTolerance = 0.02;

/// Bytes counted on NVLink over those that were moved: what was sent or what was received, whichever is
/// further from 1. Nothing where neither was counted.
std::optional<double> counted_ratio(const LinkBandwidth& link);

/// Bytes per second that the NVLinks between the two devices of `link` carry in theory: those of the device
/// with fewer links, for both ways at once times 2. Nothing where one of them has none: then bytes go over
/// PCIe.
std::optional<double> theoretical_bytes_per_s(const Run& run, const LinkBandwidth& link);

/// Its measured bytes per second over the theoretical ones; nothing where either is missing.
std::optional<double> share_of_theoretical(const Run& run, const LinkBandwidth& link);

/// What a device can send to others in one direction; nothing where that is unknown.
struct LinkRoof {
  /// Of all NVLinks of the device that has the fewest.
  std::optional<double> theoretical_bytes_per_s;
  /// From one device to another, one way, by whatever is fastest: that of the slowest pair.
  std::optional<double> measured_bytes_per_s;
};
LinkRoof link_roof(const Run& run);

}  // namespace rooflinectl
