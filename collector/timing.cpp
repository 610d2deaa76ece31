// SPDX-License-Identifier: Apache-2.0
#include "collector/timing.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "collector/nvtx.h"
#include "core/statistics.h"
#include "kernels/cuda_check.h"

namespace rooflinectl {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMinimumSamples = 10;
constexpr std::size_t kMaximumSamples = 1000;
constexpr std::size_t kLargestBatch = 16;
/// How long the device may be kept busy between two looks at the results.
constexpr double kBatchSeconds = 0.02;
/// Launches shorter than this are timed through a graph of several, about `kGraphSeconds` long: two events
/// around a single launch cost about 3 µs on an H200.
constexpr double kShortLaunchSeconds = 100e-6;
constexpr double kGraphSeconds = 200e-6;
/// Longer than the host needs to enqueue a sample.
constexpr std::uint64_t kDelayNanoseconds = 50'000;
constexpr double kThrottledClockFraction = 0.95;
constexpr auto kThrottledPause = std::chrono::milliseconds(100);

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// A graph of the first launches of a work, ready to be launched as one.
class LaunchGraph {
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
  ~LaunchGraph() { cudaGraphExecDestroy(executable_); }
  LaunchGraph(const LaunchGraph&) = delete;
  LaunchGraph& operator=(const LaunchGraph&) = delete;

  void launch(cudaStream_t stream) const {
    kernels::check(cudaGraphLaunch(executable_, stream), "cudaGraphLaunch");
  }

 private:
  cudaGraphExec_t executable_ = nullptr;
};

}  // namespace

Timer::Timer(const DeviceInfo& device, const Stream& stream)
    : stream_(stream),
      flush_(device.l2_bytes),
      stamps_(device.sm_count, 2 * kLargestBatch),
      events_(kLargestBatch) {}

std::vector<Timer::Sample> Timer::take_samples(const TimedWork& work, const std::function<void()>& launch_all,
                                               int launches, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (work.restore) work.restore();
    stamps_.enqueue(2 * i, stream_);
    if (work.cache == CacheState::cold) {
      flush_.enqueue(stream_);
    } else {
      enqueue_delay(kDelayNanoseconds, stream_);
    }
    events_[i].start(stream_);
    {
      const NvtxRange range(work.range_name);
      launch_all();
    }
    events_[i].stop(stream_);
    stamps_.enqueue(2 * i + 1, stream_);
  }
  stream_.synchronize();
  stamps_.read();

  std::vector<Sample> samples;
  for (std::size_t i = 0; i < count; ++i) {
    const double clock_hz = stamps_.hertz(2 * i, 2 * i + 1).value_or(0);
    best_clock_hz_ = std::max(best_clock_hz_, clock_hz);
    samples.push_back({events_[i].seconds() / launches, clock_hz});
  }
  return samples;
}

void Timer::evaluate(TimeResult& result, bool is_power_limited) const {
  std::vector<double> good;
  for (std::size_t i = 0; i < result.samples_s.size(); ++i) {
    if (is_power_limited || result.sample_clocks_hz[i] >= kThrottledClockFraction * best_clock_hz_)
      good.push_back(result.samples_s[i]);
  }
  result.throttled_samples = static_cast<int>(result.samples_s.size() - good.size());
  // A point of which every sample is throttled still has a time; the count of throttled samples says what it
  // is worth.
  const MedianInterval interval = median_interval(good.empty() ? result.samples_s : good);
  result.median_s = interval.median;
  result.ci_low_s = interval.low;
  result.ci_high_s = interval.high;
}

TimeResult Timer::measure(const TimedWork& work, const TimingTarget& target) {
  const Clock::time_point start = Clock::now();
  const auto plain_launch = [&] { work.launch(0); };

  // The first sample pays for module loading; the second says how long a launch takes.
  take_samples(work, plain_launch, 1, 1);
  const double launch_s = take_samples(work, plain_launch, 1, 1).front().time_s;

  TimeResult result;
  std::optional<LaunchGraph> graph;
  if (launch_s < kShortLaunchSeconds && work.most_launches > 1) {
    const int wanted = static_cast<int>(std::ceil(kGraphSeconds / launch_s));
    result.launches_per_sample = std::min(wanted, work.most_launches);
    graph.emplace(work, result.launches_per_sample, stream_);
  }
  const std::function<void()> launch_all =
      graph ? std::function<void()>([&] { graph->launch(stream_); }) : std::function<void()>(plain_launch);
  if (graph) take_samples(work, launch_all, result.launches_per_sample, 1);

  const double sample_s = launch_s * result.launches_per_sample;
  const auto batch =
      static_cast<std::size_t>(std::clamp(kBatchSeconds / sample_s, 1.0, static_cast<double>(kLargestBatch)));
  for (;;) {
    for (const Sample& sample : take_samples(work, launch_all, result.launches_per_sample, batch)) {
      result.samples_s.push_back(sample.time_s);
      result.sample_clocks_hz.push_back(sample.clock_hz);
    }
    evaluate(result, work.is_power_limited);
    const std::size_t good = result.samples_s.size() - static_cast<std::size_t>(result.throttled_samples);
    const double half_width = (result.ci_high_s - result.ci_low_s) / 2 / result.median_s;
    const bool reached = good >= kMinimumSamples && half_width <= target.relative_half_width;
    if (reached) return result;
    if (seconds_since(start) >= target.time_limit_s || result.samples_s.size() >= kMaximumSamples) {
      result.noisy = true;
      return result;
    }
    if (2 * good < result.samples_s.size()) std::this_thread::sleep_for(kThrottledPause);
  }
}

}  // namespace rooflinectl
