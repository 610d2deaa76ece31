// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/model/run.h"
#include "core/program/application.h"
#include "core/program/profile_record.h"
#include "core/program/timeline.h"

namespace rooflinectl {

/// Seconds of a time in the trace, which counts nanoseconds.
inline double seconds(std::uint64_t ns) {
  return static_cast<double>(ns) / 1e9;
}

/// Something that ran on a device.
struct BusyInterval {
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
  std::uint32_t owner = 0;  ///< whom it belongs to: a place in a list of the caller's
  bool is_counted = false;
  std::uint16_t stream = 0;  ///< those of the device are numbered in order of appearance

  std::uint64_t duration_ns() const { return end_ns - start_ns; }
};

struct BusyTime {
  std::uint64_t first_ns = 0;  ///< the first start
  std::uint64_t last_ns = 0;   ///< the last end
  std::uint64_t sum_ns = 0;    ///< of all intervals
  std::uint64_t busy_ns = 0;   ///< of their union
};

/// `intervals` in any order. Adds to `overlapped_ns`, unless it is null, by owner, the part of its intervals
/// during which another interval was there too, whoever owned it.
BusyTime busy_time(const std::vector<BusyInterval>& intervals,
                   std::vector<std::uint64_t>* overlapped_ns = nullptr);

/// Adds to `overlapped_ns`, by owner, the part of the time of `intervals` during which one of `others` was
/// there.
void add_overlap(const std::vector<BusyInterval>& intervals, const std::vector<BusyInterval>& others,
                 std::vector<std::uint64_t>& overlapped_ns);

/// Receives a gap between two pieces of work, and who owns what came after it.
using GapListener = std::function<void(std::uint64_t duration_ns, std::uint32_t next_owner)>;

/// How long anything ran outside of `disturbances`, which may overlap. `gap` is told, in order, the times in
/// between that no disturbance touches.
std::uint64_t undisturbed_ns(const std::vector<BusyInterval>& intervals,
                             const std::vector<BusyInterval>& disturbances, const GapListener& gap);

/// The time of a point from those of its launches, in seconds and in the order of their starts; there is at
/// least one. Of more than `kept`, the result has that many: in the order of their lengths, evenly spread
/// from the shortest to the longest.
TimeResult time_of_launches(const std::vector<double>& times, std::size_t kept);

/// Times of `launches`, which are sorted by start, since `zero_ns`: each of up to `most`; of more, those that
/// started in each of `most` equal parts of the time from the first start to the last.
std::vector<LaunchTimes> launches_over_time(const std::vector<const BusyInterval*>& launches,
                                            std::uint64_t zero_ns, std::size_t most);

/// The time of a launch in seconds. The clock of the trace may not see the shortest ones: they took 1 ns.
double time_of_launch_s(const BusyInterval& launch);

/// What the counters of one process were set to over time.
class PassTimes {
 public:
  void begin(const record::PassBegun& begun);
  /// A launch that was held to be counted.
  void add_counted(const record::Launch& launch);
  /// To be called once, when the process has ended. `last_ns`: the last time at which it is known to have
  /// run.
  void end(std::uint64_t last_ns);

  const std::vector<BusyInterval>& untraced() const { return untraced_; }  ///< while the trace was off
  const std::vector<BusyInterval>& counting() const { return counting_; }  ///< while it was in a pass
  /// The launches that were held to be counted, with the pass in which each began.
  std::vector<std::pair<std::string, record::Launch>> counted() const;
  /// Since `zero_ns`, time 0 of the run.
  std::vector<PassUse> passes(int process, std::uint64_t zero_ns) const;

 private:
  struct Span {
    std::string pass;
    bool is_traced = false;
    std::uint64_t start_ns = 0;
    std::uint64_t end_ns = 0;
    std::uint64_t counted_until_ns = 0;
  };

  void end_span(std::uint64_t now_ns);
  /// The place in `spans_`; nothing before the first.
  std::optional<std::size_t> span_at(std::uint64_t ns) const;

  std::vector<Span> spans_;
  std::vector<record::Launch> counted_;
  std::optional<std::uint64_t> untraced_since_;
  std::optional<std::uint64_t> counting_since_;
  std::vector<BusyInterval> untraced_;
  std::vector<BusyInterval> counting_;
};

/// Gathers how often a program went through its NVTX ranges, and how long that took.
class RangePassages {
 public:
  /// Those of one process, by path. `counting`: when it was in a pass, in order; a range, or the time from
  /// one to the next, that touches a pass counts in none of the times.
  void add_process(const std::map<std::string, std::vector<record::Range>>& ranges,
                   const std::vector<BusyInterval>& counting);

  std::vector<RangeTimes> result() const;  ///< by path

 private:
  struct Passages {
    std::uint64_t count = 0;
    bool overlaps = false;  // several were open at a time
    std::vector<double> durations_s;
    std::vector<double> intervals_s;
  };
  std::map<std::string, Passages> passages_;
};

/// What each path of NVTX ranges is called in a run. Where a number takes at least `kManyNumbers` values in
/// paths that differ in nothing else, as in `step 1/forward`, `step 2/forward`, …, it counts: it becomes `#`,
/// so that a kernel of 10,000 steps is one point (`step #/forward`). Numbers that do not vary
/// (`layer_norm2d`), or take few values (`fp8`, `fp16`, `fp32`; `layer 0` to `layer 7`), stay.
///
/// A process keeps only the first paths of many that differ in numbers, one fewer than that, and writes `#`
/// for the numbers that vary in later ones: so `#` stands for a number, too, and where so many paths have
/// numbers in its place, that of each becomes `#`, however few values it takes.
std::map<std::string, std::string> collapsed_paths(const std::set<std::string>& paths);

inline constexpr std::size_t kManyNumbers = 9;

/// What ran on a device: by starts, as launches of groups and as transfers of kinds.
struct RanOnDevice {
  const std::vector<BusyInterval>& kernels;
  const std::vector<BusyInterval>& transfers;
};

/// Gathers what was sampled of a program's devices. Devices are known by their place in `MergedProfile`.
class TimelineMerge {
 public:
  explicit TimelineMerge(std::size_t most_samples = kMostSamples) : most_samples_(most_samples) {}

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

  void keep_newest(Sampled& sampled) const;
  void add_passages(std::uint64_t zero_ns, Timeline& timeline) const;

  const std::size_t most_samples_;          // of a device
  std::map<std::size_t, Sampled> sampled_;  // by device
  std::vector<Passage> passages_;
};

}  // namespace rooflinectl
