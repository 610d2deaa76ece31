// SPDX-License-Identifier: Apache-2.0
#include "collector/ceilings.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/statistics.h"
#include "kernels/cuda_check.h"
#include "kernels/data.h"

namespace rooflinectl {

namespace {

constexpr std::size_t kMebibyte = std::size_t{1} << 20;
constexpr std::size_t kGibibyte = std::size_t{1} << 30;
constexpr TimingTarget kShapeTarget{.relative_half_width = 0.005, .time_limit_s = 0.1};
constexpr TimingTarget kBestTarget{.relative_half_width = 0.001, .time_limit_s = 0.3};
constexpr int kGraphNodes = 100;

/// Large enough that caches and the start of a launch hardly count: a sixteenth of the memory, at most 4 GiB
/// and a quarter of what is free, but at least 1 GiB and four times L2.
std::size_t bandwidth_buffer_bytes(const DeviceInfo& device) {
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  kernels::check(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
  const std::size_t wanted = std::min({total_bytes / 16, free_bytes / 4, 4 * kGibibyte});
  return std::max<std::size_t>({wanted, kGibibyte, 4 * device.l2_bytes}) / kMebibyte * kMebibyte;
}

/// A micro-benchmark with its memory.
class BenchmarkRunner {
 public:
  BenchmarkRunner(const kernels::CeilingBenchmark& benchmark, const DeviceInfo& device, Timer& timer,
                  const Stream& stream)
      : benchmark_(benchmark), device_(device), timer_(timer), stream_(stream) {
    buffers_.bytes = benchmark.kind == CeilingKind::bandwidth ? bandwidth_buffer_bytes(device) : kMebibyte;
    source_.require(buffers_.bytes);
    target_.require(buffers_.bytes);
    buffers_.d_source = source_.data();
    buffers_.d_target = target_.data();
    for (void* d_buffer : {buffers_.d_source, buffers_.d_target}) {
      kernels::fill(kernels::DataSet::integers, Dtype::f32, d_buffer, buffers_.bytes / sizeof(float), stream);
    }
  }

  TimeResult time(const kernels::CeilingShape& shape, const TimingTarget& target, int most_launches) const {
    TimedWork work;
    work.range_name = fmt::format("ceiling.{}", benchmark_.id);
    // Reads start cold: what L2 kept of the last launch would count as DRAM traffic. Writes go back to back:
    // a flush between them would write back, unseen, what the last launch left dirty in L2.
    work.cache = benchmark_.operation == "read" ? CacheState::cold : CacheState::warm;
    work.launch = [&](int) { benchmark_.launch(buffers_, grid(shape), shape.block, stream_); };
    work.most_launches = most_launches;
    return timer_.measure(work, target);
  }

  /// Bytes or operations per second.
  double rate(const kernels::CeilingShape& shape, const TimeResult& time) const {
    return benchmark_.amount(buffers_, grid(shape), shape.block) / time.median_s;
  }

  kernels::CeilingShape best_shape() const {
    kernels::CeilingShape best = benchmark_.shapes.front();
    double best_rate = 0;
    for (const kernels::CeilingShape& shape : benchmark_.shapes) {
      const double shape_rate = rate(shape, time(shape, kShapeTarget, 1));
      if (shape_rate > best_rate) {
        best_rate = shape_rate;
        best = shape;
      }
    }
    return best;
  }

  Ceiling ceiling(const TimeResult& time) const {
    Ceiling ceiling;
    ceiling.id = benchmark_.id;
    ceiling.kind = benchmark_.kind;
    ceiling.source = CeilingSource::measured;
    ceiling.subject = benchmark_.subject;
    ceiling.operation = benchmark_.operation;
    ceiling.sm_clock_hz = median(time.sample_clocks_hz);
    ceiling.relative_spread = relative_spread(time.samples_s);
    return ceiling;
  }

  std::size_t buffer_bytes() const { return buffers_.bytes; }

 private:
  int grid(const kernels::CeilingShape& shape) const { return shape.blocks_per_sm * device_.sm_count; }

  const kernels::CeilingBenchmark& benchmark_;
  const DeviceInfo& device_;
  Timer& timer_;
  const Stream& stream_;
  DeviceBuffer source_;
  DeviceBuffer target_;
  kernels::CeilingBuffers buffers_;
};

Ceiling rate_ceiling(const BenchmarkRunner& runner) {
  const kernels::CeilingShape shape = runner.best_shape();
  const TimeResult time = runner.time(shape, kBestTarget, 1);
  Ceiling ceiling = runner.ceiling(time);
  ceiling.value = runner.rate(shape, time);
  const std::string blocks = shape.blocks_per_sm == kernels::kOneBlockPerTile
                                 ? std::string("one block per tile")
                                 : fmt::format("{} blocks per SM", shape.blocks_per_sm);
  ceiling.method = fmt::format("ceiling_{}, {}, {} threads each, median of {} launches", ceiling.id, blocks,
                               shape.block, time.samples_s.size());
  if (ceiling.kind == CeilingKind::bandwidth) {
    ceiling.method += fmt::format(", {} MiB", runner.buffer_bytes() / kMebibyte);
  }
  if (time.noisy) ceiling.method += ", noisy";
  return ceiling;
}

std::vector<Ceiling> latency_ceilings(const BenchmarkRunner& runner, const kernels::CeilingShape& shape) {
  const TimeResult single = runner.time(shape, kBestTarget, 1);
  Ceiling stream = runner.ceiling(single);
  stream.value = single.median_s;
  stream.method = "an empty kernel between two events";

  const TimeResult several = runner.time(shape, kBestTarget, kGraphNodes);
  Ceiling node = runner.ceiling(several);
  node.id = "graph_node";
  node.operation = "launch in a graph";
  node.value = several.median_s;
  node.method = fmt::format("a graph of {} empty kernels, per kernel", several.launches_per_sample);
  return {stream, node};
}

}  // namespace

std::vector<Ceiling> measure_ceiling(const kernels::CeilingBenchmark& benchmark, const DeviceInfo& device,
                                     Timer& timer, const Stream& stream) {
  const BenchmarkRunner runner(benchmark, device, timer, stream);
  if (benchmark.kind == CeilingKind::latency) return latency_ceilings(runner, benchmark.shapes.front());
  return {rate_ceiling(runner)};
}

}  // namespace rooflinectl
