// SPDX-License-Identifier: Apache-2.0
#include "collector/timing/timing.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "collector/timing/nvtx.h"
#include "core/elapsed.h"
#include "core/stats/statistics.h"
#include "kernels/cuda_check.h"

namespace rooflinectl {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kLargestBatch = 16;
/// Where the driver puts a graph makes all of its launches up to 2 % faster or slower (H200), for as long as
/// it lives; so a sample is the mean of as many graphs of the same launches, instantiated again for every
/// sample.
constexpr int kMostGraphs = kLargestBatch;
/// Longer than the host needs to enqueue a sample.
constexpr std::uint64_t kDelayNanoseconds = 50'000;
constexpr auto kThrottledPause = std::chrono::milliseconds(100);

/// How many pieces of work of `piece_s` fill a batch.
int pieces_per_batch(double piece_s, int most) {
  return static_cast<int>(std::clamp(kBatchSeconds / piece_s, 1.0, static_cast<double>(most)));
}

}  // namespace

/// A graph of the first launches of a work, ready to be launched as one.
class Timer::LaunchGraph {
 public:
  LaunchGraph(const TimedWork& work, int launches, cudaStream_t stream) {
    cudaGraph_t graph = nullptr;
    kernels::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal),
                   "cudaStreamBeginCapture");
    for (int number = 0; number < launches; ++number) work.launch(number);
    kernels::check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
    const cudaError_t result = cudaGraphInstantiate(&executable_, graph, 0);
    cudaGraphDestroy(graph);
    kernels::check(result, "cudaGraphInstantiate");
    kernels::check(cudaGraphUpload(executable_, stream), "cudaGraphUpload");
  }
  ~LaunchGraph() {
    if (executable_ != nullptr) cudaGraphExecDestroy(executable_);
  }
  LaunchGraph(LaunchGraph&& other) noexcept : executable_(std::exchange(other.executable_, nullptr)) {}
  LaunchGraph& operator=(LaunchGraph&& other) noexcept {
    std::swap(executable_, other.executable_);
    return *this;
  }

  void launch(cudaStream_t stream) const {
    kernels::check(cudaGraphLaunch(executable_, stream), "cudaGraphLaunch");
  }

 private:
  cudaGraphExec_t executable_ = nullptr;
};

Timer::Timer(const DeviceInfo& device, const Stream& stream)
    : stream_(stream),
      flush_(device.l2_bytes),
      stamps_(device.sm_count, std::size_t{2} * kLargestBatch),
      events_(kLargestBatch),
      clock_events_(device.uuid) {}

std::vector<TimeSample> Timer::take_samples(const TimedWork& work, const LaunchAll& launch_all, int launches,
                                            std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (work.prepare) work.prepare();
    stamps_.enqueue(2 * i, stream_);
    if (work.cache == CacheState::cold) {
      flush_.enqueue(stream_);
    } else {
      enqueue_delay(kDelayNanoseconds, stream_);
    }
    if (work.peers != nullptr) work.peers->enqueue_meeting();
    events_[i].start(stream_);
    {
      const NvtxRange range(work.range_name);
      launch_all(i);
    }
    events_[i].stop(stream_);
    stamps_.enqueue(2 * i + 1, stream_);
    // A short launch takes up to 1.2 us longer where two others are queued behind it (H200).
    const bool is_last = i + 1 == count;
    if (work.mode == LaunchMode::plain && !is_last) stream_.synchronize();
  }
  // While the launches run: a moment later the device is idle, and that would be the only reason.
  const auto reasons = clock_events_.now();
  stream_.synchronize();
  stamps_.read();

  std::vector<TimeSample> samples;
  for (std::size_t i = 0; i < count; ++i) {
    samples.push_back({events_[i].seconds() / launches, stamps_.hertz(2 * i, 2 * i + 1), reasons});
  }
  if (work.peers != nullptr) work.peers->take_longest(samples);
  return samples;
}

TimeSample Timer::mean_over_graphs(const TimedWork& work, std::span<const LaunchGraph> graphs, int launches) {
  const auto launch_all = [&](std::size_t i) { graphs[i].launch(stream_); };
  TimeSample mean;
  std::vector<double> clocks_hz;
  for (const TimeSample& sample : take_samples(work, launch_all, launches, graphs.size())) {
    mean.time_s += sample.time_s / static_cast<double>(graphs.size());
    if (sample.clock_hz) clocks_hz.push_back(*sample.clock_hz);
    mean.reasons = sample.reasons;
  }
  if (!clocks_hz.empty()) mean.clock_hz = median(clocks_hz);
  return mean;
}

TimeResult Timer::measure(const TimedWork& work, const TimingTarget& target) {
  const Clock::time_point start = Clock::now();
  const auto plain_launch = [&](std::size_t) { work.launch(0); };

  // The first sample pays for module loading; the second shows how long a launch takes.
  take_samples(work, plain_launch, 1, 1);
  const double launch_s = take_samples(work, plain_launch, 1, 1).front().time_s;

  std::vector<LaunchGraph> graphs;
  int launches = 1;
  if (work.mode == LaunchMode::graph) {
    launches = pieces_per_batch(launch_s, work.launches_per_graph);
    const int n_graphs = pieces_per_batch(launch_s * launches, kMostGraphs);
    for (int i = 0; i < n_graphs; ++i) graphs.emplace_back(work, launches, stream_);
    mean_over_graphs(work, graphs, launches);
  }
  const auto batch = static_cast<std::size_t>(pieces_per_batch(launch_s, kLargestBatch));

  Sampling sampling(target, work.is_power_limited);
  Sampling::Next next = Sampling::Next::measure;
  while (next != Sampling::Next::stop) {
    if (next == Sampling::Next::wait) std::this_thread::sleep_for(kThrottledPause);
    if (graphs.empty()) {
      for (const TimeSample& sample : take_samples(work, plain_launch, 1, batch)) {
        sampling.add(sample);
      }
    } else {
      // Before the old one is destroyed, so that the new one lies elsewhere.
      for (LaunchGraph& graph : graphs) graph = LaunchGraph(work, launches, stream_);
      sampling.add(mean_over_graphs(work, graphs, launches));
    }
    next = sampling.next(seconds_since(start));
    if (work.peers != nullptr) next = work.peers->decision(next);
  }
  if (work.finish) {
    const auto last = [&](std::size_t) {
      if (graphs.empty()) return work.launch(0);
      graphs.back().launch(stream_);
    };
    work.finish([&] { take_samples(work, last, launches, 1); });
  }
  TimeResult result = sampling.result();
  result.mode = work.mode;
  result.launches_per_sample = launches * static_cast<int>(std::max<std::size_t>(graphs.size(), 1));
  return result;
}

}  // namespace rooflinectl
