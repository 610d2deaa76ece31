// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "collector/device/device.h"
#include "collector/device/instruments.h"
#include "collector/sampling/link_counters.h"
#include "collector/steps/steps.h"
#include "collector/timing/timing.h"
#include "core/stats/statistics.h"
#include "kernels/ceiling.h"
#include "kernels/cuda_check.h"

namespace rooflinectl {

namespace {

using kernels::CeilingBenchmark;
using kernels::CeilingShape;
using kernels::check;

/// Enough that the start of a transfer, microseconds out of milliseconds, hardly counts.
constexpr std::size_t kBytes = std::size_t{1} << 30;
constexpr int kSamples = 15;
constexpr int kShapeSamples = 3;
constexpr int kCountedSamples = 1;
/// Before the samples.
constexpr int kWarmUps = 1;
/// Per sample: where both directions run at once, what one does alone at its end hardly counts.
constexpr int kTransfersPerSample = 4;
/// Until everything is enqueued.
constexpr std::uint64_t kDelayNs = 200'000;

/// Moves bytes as the DRAM benchmarks do, where one side is another device's memory.
const CeilingBenchmark& benchmark_of(LinkMover mover) {
  const std::string_view id = mover == LinkMover::load ? "dram_read" : "dram_write";
  const auto& all = kernels::all_ceiling_benchmarks();
  return *std::ranges::find_if(all, [&](const CeilingBenchmark& one) { return one.id == id; });
}

/// One device, with memory that others reach.
struct Endpoint {
  explicit Endpoint(DeviceInfo which) : device(std::move(which)) {
    select();
    stream = std::make_unique<Stream>();
    memory = DeviceBuffer(2 * kBytes);
    check(cudaMemset(memory.data(), 0, 2 * kBytes), "cudaMemset");
    buffers.d_source = memory.data();
    buffers.d_target = static_cast<std::byte*>(memory.data()) + kBytes;
    buffers.bytes = kBytes;
  }

  void select() const { check(cudaSetDevice(device.index), "cudaSetDevice"); }
  DeviceStream device_stream() const { return {device.index, *stream}; }

  DeviceInfo device;
  std::unique_ptr<Stream> stream;
  DeviceBuffer memory;
  kernels::CeilingBuffers buffers;
};

/// Bytes from one device to another.
struct Transfer {
  const Endpoint& from;
  const Endpoint& to;
  LinkMover mover;
  CeilingShape shape;

  /// Whose copy engine or threads do it.
  const Endpoint& worker() const { return mover == LinkMover::load ? to : from; }

  double bytes() const {
    if (mover == LinkMover::copy) return static_cast<double>(kBytes);
    return benchmark_of(mover).amount(from.buffers, grid(), shape.block);
  }

  void enqueue() const {
    worker().select();
    const cudaStream_t stream = *worker().stream;
    if (mover == LinkMover::copy) {
      check(cudaMemcpyPeerAsync(to.buffers.d_target, to.device.index, from.buffers.d_source,
                                from.device.index, kBytes, stream),
            "cudaMemcpyPeerAsync");
      return;
    }
    const Endpoint& remote = mover == LinkMover::load ? from : to;
    benchmark_of(mover).launch(remote.buffers, grid(), shape.block, stream);
  }

 private:
  int grid() const { return shape.grid(worker().device.sm_count); }
};

/// Seconds of one transfer, or of both at once.
std::vector<double> sample(const Transfer& forth, const Transfer* back, int samples) {
  std::vector<DeviceStream> streams = {forth.worker().device_stream()};
  if (back != nullptr) streams.push_back(back->worker().device_stream());
  CommonTimer timer(std::move(streams));
  std::vector<double> times;
  for (int i = -kWarmUps; i < samples; ++i) {
    const double time_s = timer.seconds(kDelayNs, [&] {
      for (int n = 0; back != nullptr && n < kTransfersPerSample; ++n) back->enqueue();
      for (int n = 0; n < kTransfersPerSample; ++n) forth.enqueue();
    });
    if (i >= 0) times.push_back(time_s / kTransfersPerSample);
  }
  return times;
}

/// The launch shape in which one direction is fastest.
CeilingShape best_shape(const Endpoint& from, const Endpoint& to, LinkMover mover) {
  if (mover == LinkMover::copy) return {.blocks_per_sm = kernels::kCopyEngine, .block = 0};
  CeilingShape best;
  double least_s = 0;
  for (const CeilingShape& shape : benchmark_of(mover).shapes) {
    const double time_s = median(sample({from, to, mover, shape}, nullptr, kShapeSamples));
    if (least_s > 0 && time_s >= least_s) continue;
    best = shape;
    least_s = time_s;
  }
  return best;
}

std::string method_of(const Transfer& transfer, bool has_peer_access) {
  const std::string amount =
      fmt::format("{} times {:.0f} MiB, median of {}", kTransfersPerSample,
                  transfer.bytes() / static_cast<double>(std::size_t{1} << 20), kSamples);
  if (transfer.mover == LinkMover::copy) {
    return fmt::format("cudaMemcpyPeerAsync{}, {}",
                       has_peer_access ? "" : " through the host (no peer access)", amount);
  }
  return fmt::format("the kernel of {} on peer memory, {} threads per block, {}",
                     benchmark_of(transfer.mover).id, transfer.shape.block, amount);
}

bool can_reach(const Endpoint& device, const Endpoint& other) {
  return reach(device.device.index, other.device.index);
}

class LinkBench {
 public:
  explicit LinkBench(const std::vector<DeviceInfo>& devices) : devices_(devices) {
    for (const DeviceInfo& device : devices) endpoints_.push_back(std::make_unique<Endpoint>(device));
  }

  std::vector<LinkBandwidth> measure(bool counters) {
    for (std::size_t from = 0; from < endpoints_.size(); ++from) {
      for (std::size_t to = 0; to < endpoints_.size(); ++to) {
        if (from != to) measure_pair(from, to);
      }
    }
    if (counters) count();
    return std::move(links_);
  }

 private:
  void measure_pair(std::size_t from, std::size_t to) {
    const Endpoint& source = *endpoints_[from];
    const Endpoint& target = *endpoints_[to];
    const bool has_access = can_reach(source, target) && can_reach(target, source);
    for (const LinkMover mover : kLinkMovers) {
      LinkBandwidth link = {.from = from, .to = to, .mover = mover};
      if (mover != LinkMover::copy && !has_access) {
        link.missing = "no peer access between these devices";
        links_.push_back(link);
        if (from < to) add_both_ways(link);
        continue;
      }
      const CeilingShape shape = best_shape(source, target, mover);
      const Transfer forth = {source, target, mover, shape};
      const Transfer back = {target, source, mover, shape};
      link.method = method_of(forth, has_access);
      add(link, forth, std::nullopt);
      if (from > to) continue;  // both ways at once are measured once per pair
      link.both_ways = true;
      add(link, forth, back);
    }
  }

  void add_both_ways(LinkBandwidth link) {
    link.both_ways = true;
    links_.push_back(std::move(link));
  }

  void add(LinkBandwidth link, const Transfer& forth, const std::optional<Transfer>& back) {
    const std::vector<double> times = sample(forth, back ? &*back : nullptr, kSamples);
    link.bytes_per_s = (back ? 2 : 1) * forth.bytes() / median(times);
    link.relative_spread = relative_spread(times);
    timed_.push_back({links_.size(), forth, back});
    links_.push_back(std::move(link));
  }

  /// After all timing, so that no counter slows down what is timed.
  void count() {
    LinkCounters counters(devices_);
    for (const Timed& timed : timed_) {
      counters.watch([&] { sample(timed.forth, timed.back ? &*timed.back : nullptr, kCountedSamples); });
    }
    const std::vector<std::vector<LinkBytes>> counted = counters.finish();
    for (std::size_t i = 0; i < timed_.size(); ++i) {
      LinkBandwidth& link = links_[timed_[i].link];
      const LinkBytes& source = counted[i][link.from];
      const LinkBytes& target = counted[i][link.to];
      link.moved_bytes = (link.both_ways ? 2 : 1) * (kWarmUps + kCountedSamples) * kTransfersPerSample *
                         timed_[i].forth.bytes();
      link.sent_bytes = link.both_ways ? sum_of(source.sent, target.sent) : source.sent;
      link.received_bytes = link.both_ways ? sum_of(source.received, target.received) : target.received;
    }
  }

  /// How a link was timed.
  struct Timed {
    std::size_t link;  ///< its place in `links_`
    Transfer forth;
    std::optional<Transfer> back;
  };

  std::vector<DeviceInfo> devices_;
  std::vector<std::unique_ptr<Endpoint>> endpoints_;
  std::vector<LinkBandwidth> links_;
  std::vector<Timed> timed_;
};

}  // namespace

std::vector<LinkBandwidth> measure_links(const std::vector<std::string>& uuids, bool counters) {
  return LinkBench(devices_of(uuids)).measure(counters);
}

}  // namespace rooflinectl
