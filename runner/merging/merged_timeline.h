// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/program/timeline.h"

namespace rooflinectl {

/// Where things of a run's timeline are in the merged one; nothing for those that are left out.
struct TimelinePlaces {
  std::uint64_t shift_ns = 0;  ///< of its time 0
  std::vector<std::optional<std::size_t>> devices;
  std::vector<std::optional<std::size_t>> measurements;
  std::map<int, int> processes;  ///< ids
};

/// The timelines of several runs as one.
class MergedTimeline {
 public:
  /// Leaves out samples of a device that is there already.
  void add(const Timeline& timeline, const TimelinePlaces& places);

  /// To be called once; nothing where no device was sampled.
  std::optional<Timeline> take();

 private:
  void add_device(DeviceTimeline device, const TimelinePlaces& places);

  Timeline timeline_;
  std::map<std::string, std::size_t> paths_;  // places in it
};

}  // namespace rooflinectl
