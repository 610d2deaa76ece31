// SPDX-License-Identifier: Apache-2.0
#include "collector/timing/timing.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "collector/device/instruments.h"
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

using kernels::check;

namespace {

/// An event on the device that is current.
cudaEvent_t make_event() {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreate");
  return event;
}

void select_device(int device) {
  check(cudaSetDevice(device), "cudaSetDevice");
}

}  // namespace

struct CommonTimer::Events {
  Events() = default;
  ~Events() {
    cudaEventDestroy(begin);
    for (const cudaEvent_t end : ends) cudaEventDestroy(end);
  }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;

  std::unique_ptr<EventTimer> timer;  ///< of the first stream
  cudaEvent_t begin = nullptr;        ///< on the first stream
  std::vector<cudaEvent_t> ends;      ///< on each of the others
};

CommonTimer::CommonTimer(std::vector<DeviceStream> streams)
    : streams_(std::move(streams)), events_(std::make_unique<Events>()) {
  for (std::size_t i = 1; i < streams_.size(); ++i) {
    select_device(streams_[i].device);
    events_->ends.push_back(make_event());
  }
  select_device(streams_.front().device);
  events_->begin = make_event();
  events_->timer = std::make_unique<EventTimer>();
}

CommonTimer::~CommonTimer() = default;

double CommonTimer::seconds(std::uint64_t delay_ns, const std::function<void()>& enqueue) {
  const DeviceStream& first = streams_.front();
  select_device(first.device);
  enqueue_delay(delay_ns, first.stream);
  check(cudaEventRecord(events_->begin, first.stream), "cudaEventRecord");
  events_->timer->start(first.stream);
  for (std::size_t i = 1; i < streams_.size(); ++i) {
    select_device(streams_[i].device);
    check(cudaStreamWaitEvent(streams_[i].stream, events_->begin), "cudaStreamWaitEvent");
  }
  enqueue();
  for (std::size_t i = 1; i < streams_.size(); ++i) {
    select_device(streams_[i].device);
    check(cudaEventRecord(events_->ends[i - 1], streams_[i].stream), "cudaEventRecord");
  }
  select_device(first.device);
  for (const cudaEvent_t end : events_->ends) {
    check(cudaStreamWaitEvent(first.stream, end), "cudaStreamWaitEvent");
  }
  events_->timer->stop(first.stream);
  check(cudaStreamSynchronize(first.stream), "cudaStreamSynchronize");
  return events_->timer->seconds();
}

namespace {

using Clock = std::chrono::steady_clock;

/// Time for power and clocks to settle.
constexpr double kWarmUpSeconds = 0.3;
constexpr double kMeasuredSeconds = 1.5;
/// A meter that stands still for this long under load does not work.
constexpr double kRenewalLimitSeconds = 1.0;
/// Duration of the launches that are enqueued between two readings of the meter.
constexpr double kBatchSeconds = 0.005;
constexpr double kMostPerBatch = 4096;

/// Keeps the device busy with one work.
class Load {
 public:
  Load(const TimedWork& work, const std::function<void()>& synchronize)
      : work_(work), synchronize_(synchronize) {
    const Clock::time_point start = Clock::now();
    run_batch();
    batch_ = static_cast<int>(std::clamp(kBatchSeconds / seconds_since(start), 1.0, kMostPerBatch));
  }

  void run_for(double seconds) {
    for (const Clock::time_point start = Clock::now(); seconds_since(start) < seconds;) run_batch();
  }

  /// Returns when all of the launches are done.
  void run_batch() {
    const Clock::time_point start = Clock::now();
    for (int number = 0; number < batch_; ++number) work_.launch(number % work_.launches_per_graph);
    synchronize_();
    busy_s_ += seconds_since(start);
    launches_ += batch_;
  }

  double seconds_per_launch() const { return busy_s_ / static_cast<double>(launches_); }

 private:
  const TimedWork& work_;
  const std::function<void()>& synchronize_;
  int batch_ = 1;
  double busy_s_ = 0;
  long long launches_ = 0;
};

/// The meter just after it was renewed.
struct EnergyReading {
  double joules = 0;
  Clock::time_point time;
};

std::optional<EnergyReading> next_renewal(const EnergyMeter& meter, Load& load) {
  const std::optional<double> before = meter();
  for (const Clock::time_point start = Clock::now(); seconds_since(start) < kRenewalLimitSeconds;) {
    load.run_batch();
    const std::optional<double> now = meter();
    if (!before || !now) return std::nullopt;
    if (*now != *before) return EnergyReading{*now, Clock::now()};
  }
  return std::nullopt;
}

EnergyResult unavailable(const char* reason) {
  EnergyResult result;
  result.joules = CounterValue::unavailable(reason);
  return result;
}

constexpr const char* kNoMeter = "the GPU or its driver has no energy meter (NVML)";

}  // namespace

EnergyResult measure_energy(const EnergyMeter& meter, const TimedWork& work,
                            const std::function<void()>& synchronize) {
  if (work.prepare) {
    return unavailable(
        "the launch destroys its input, and restoring it between launches would cost energy too");
  }
  Load warm_up(work, synchronize);
  warm_up.run_for(kWarmUpSeconds);
  Load load(work, synchronize);
  const std::optional<EnergyReading> first = next_renewal(meter, load);
  if (!first) return unavailable(kNoMeter);
  load.run_for(kMeasuredSeconds);
  const std::optional<EnergyReading> last = next_renewal(meter, load);
  if (!last) return unavailable(kNoMeter);

  EnergyResult result;
  result.duration_s = std::chrono::duration<double>(last->time - first->time).count();
  result.mean_power_w = (last->joules - first->joules) / result.duration_s;
  result.joules = CounterValue::measured(result.mean_power_w * load.seconds_per_launch());
  return result;
}

}  // namespace rooflinectl
