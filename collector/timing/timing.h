// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <nvtx3/nvtx3.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "collector/device/instruments.h"
#include "collector/device/nvml.h"
#include "core/model/plan.h"
#include "core/model/run.h"
#include "core/stats/sampling.h"

namespace rooflinectl {

/// The processes that time the same work together, a GPU each. All take the same samples.
class TimingPeers {
 public:
  TimingPeers() = default;
  TimingPeers(const TimingPeers&) = delete;
  TimingPeers& operator=(const TimingPeers&) = delete;
  virtual ~TimingPeers() = default;

  /// Enqueues a point at which the stream waits until those of all processes have reached it.
  virtual void enqueue_meeting() = 0;
  /// Makes each time the longest of all processes.
  virtual void take_longest(std::vector<TimeSample>& samples) = 0;
  /// What the first process decides.
  virtual Sampling::Next decision(Sampling::Next own) = 0;
};

/// Something to be timed.
struct TimedWork {
  std::string range_name;  ///< NVTX range around each timed launch
  CacheState cache = CacheState::cold;
  /// Enqueues what has to happen before each graph or plain launch, outside the timed interval; may be empty.
  std::function<void()> prepare;
  /// Enqueues launch number `number` of a graph, 0 ≤ number < `launches_per_graph`. Cold launches have an
  /// input each, so that a graph of several stays cold.
  std::function<void(int number)> launch;
  /// Whether it is timed as graphs of launches, or launch by launch.
  LaunchMode mode = LaunchMode::plain;
  /// Fewer are taken of launches so long that a graph of them would take more than `kBatchSeconds`.
  int launches_per_graph = 1;
  /// Called when all samples are taken; may be empty. `launch_again` repeats the last graph, or plain launch,
  /// untimed, and waits for it.
  std::function<void(const std::function<void()>& launch_again)> finish;
  /// It draws so much power that the clock falls: a low clock is no reason to leave a sample out.
  bool is_power_limited = false;
  TimingPeers* peers = nullptr;  ///< null where this process times alone
};

/// How long the device may be kept busy between two looks at the results.
inline constexpr double kBatchSeconds = 0.02;

/// Times work from unprofiled launches; `docs/internals/method.md` (Time) describes how.
class Timer {
 public:
  Timer(const DeviceInfo& device, const Stream& stream);

  /// Launches `work` until its median is known well enough. Throws Error if a launch fails.
  TimeResult measure(const TimedWork& work, const TimingTarget& target);

  CacheFlush& cache_flush() { return flush_; }

 private:
  class LaunchGraph;
  /// Enqueues the launches of sample number `i`.
  using LaunchAll = std::function<void(std::size_t i)>;

  /// Takes `count` samples of `launches` launches each.
  std::vector<TimeSample> take_samples(const TimedWork& work, const LaunchAll& launch_all, int launches,
                                       std::size_t count);
  /// One sample: the mean over graphs of `launches` launches each.
  TimeSample mean_over_graphs(const TimedWork& work, std::span<const LaunchGraph> graphs, int launches);

  const Stream& stream_;
  CacheFlush flush_;
  ClockStamps stamps_;
  std::vector<EventTimer> events_;
  ClockEvents clock_events_;
};

/// What an energy meter shows, in joules since some moment; nothing where there is no meter.
using EnergyMeter = std::function<std::optional<double>()>;

/// The energy of one launch of `work`, by the GPU's own meter, which counts that of the whole board.
/// `synchronize` returns when all launches are complete.
///
/// Launches follow each other for about two seconds, caches and inputs as the launch before left them. The
/// meter is renewed about ten times a second: power is the energy between two renewals over the time between
/// them, and the energy of a launch is that power times the time per launch. Unavailable where the GPU has no
/// meter, and for work that has to be prepared before each launch: the meter would count the preparation too.
/// Throws Error if a launch fails.
EnergyResult measure_energy(const EnergyMeter& meter, const TimedWork& work,
                            const std::function<void()>& synchronize);

/// A stream of a device, as CUDA numbers them.
struct DeviceStream {
  int device = 0;
  cudaStream_t stream = nullptr;
};

/// Times what several devices do together, from a common start to the last one's end, on the clock of the
/// first. Other devices hear of the start, and the first one of their end, some microseconds later.
class CommonTimer {
 public:
  /// The streams must outlive this.
  explicit CommonTimer(std::vector<DeviceStream> streams);
  ~CommonTimer();
  CommonTimer(const CommonTimer&) = delete;
  CommonTimer& operator=(const CommonTimer&) = delete;

  /// Seconds that what `enqueue` puts on the streams takes. None of it begins within `delay_ns`, in which all
  /// of it should be enqueued. Throws Error if it fails.
  double seconds(std::uint64_t delay_ns, const std::function<void()>& enqueue);

 private:
  struct Events;

  std::vector<DeviceStream> streams_;
  std::unique_ptr<Events> events_;
};

struct NvtxDomain {
  static constexpr const char* name = "rooflinectl";  // NOLINT(readability-identifier-naming): NVTX's name
};

/// An NVTX range of the domain `rooflinectl`, from construction to destruction: what
/// `ncu --nvtx --nvtx-include "rooflinectl@<name>/"` selects and nsys shows.
class NvtxRange {
 public:
  explicit NvtxRange(const std::string& name) : range_(name.c_str()) {}

 private:
  nvtx3::scoped_range_in<NvtxDomain> range_;
};

}  // namespace rooflinectl
