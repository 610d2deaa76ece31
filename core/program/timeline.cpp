// SPDX-License-Identifier: Apache-2.0
#include "core/program/timeline.h"

namespace rooflinectl {

namespace {

/// A sample takes 26 kB of the device's buffer and 48 kB of counter data: this is 600 MB.
constexpr std::size_t kRoomOfWindow = 8'192;
constexpr std::size_t kRoomWhileRead = 2'048;

}  // namespace

std::size_t room_for_samples(std::uint64_t interval_ns) {
  return interval_ns >= kShortestReadInterval ? kRoomWhileRead : kRoomOfWindow;
}

std::optional<double> sampling_window_s(std::uint64_t interval_ns) {
  if (interval_ns >= kShortestReadInterval) return std::nullopt;
  return static_cast<double>(kRoomOfWindow * interval_ns) * 1e-9;
}

}  // namespace rooflinectl
