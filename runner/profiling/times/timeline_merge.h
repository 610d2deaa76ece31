// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/program/profile_record.h"
#include "core/program/timeline.h"
#include "runner/profiling/times/busy_time.h"

namespace rooflinectl {

/// What ran on a device: by starts, as launches of groups and as transfers of kinds.
struct RanOnDevice {
  const std::vector<BusyInterval>& kernels;
  const std::vector<BusyInterval>& transfers;
};

/// Gathers what was sampled of a program's devices. Devices are known by their place in `MergedProfile`.
class TimelineMerge {
 public:
  void begin(std::size_t device, const record::SamplingBegun& begun);
  void add(std::size_t device, const record::Samples& taken);
  void add(std::size_t device, const record::Power& taken);
  /// The passages of a process through its NVTX ranges, by path.
  void add_ranges(int process, const std::map<std::string, std::vector<record::Range>>& ranges);

  /// The newest samples since `zero_ns`, and what ran during them; nothing where there are none. `ran` is by
  /// device, `measurements` has the point of each group that is one.
  std::optional<Timeline> result(std::uint64_t zero_ns, const std::vector<RanOnDevice>& ran,
                                 const std::vector<std::optional<std::size_t>>& measurements);

 private:
  struct Sampled {
    record::SamplingBegun begun;  // the first one
    std::vector<record::Sample> samples;
    std::vector<record::PowerReading> power;
  };
  struct Passage {
    int process = 0;
    std::string path;
    record::Range range;
  };

  static void keep_newest(Sampled& sampled);
  void add_passages(std::uint64_t zero_ns, Timeline& timeline) const;

  std::map<std::size_t, Sampled> sampled_;  // by device
  std::vector<Passage> passages_;
};

}  // namespace rooflinectl
