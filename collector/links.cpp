// SPDX-License-Identifier: Apache-2.0
#include "collector/links.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "collector/device/device.h"
#include "collector/device/instruments.h"
#include "collector/device/nvml.h"
#include "core/error.h"
#include "core/stats/statistics.h"
#include "kernels/ceiling.h"
#include "kernels/cuda_check.h"

namespace rooflinectl {

namespace {

using kernels::CeilingBenchmark;
using kernels::CeilingShape;
using kernels::check;

/// So much that the start of a transfer, some microseconds of milliseconds, hardly counts.
constexpr std::size_t kBytes = std::size_t{1} << 30;
constexpr int kSamples = 15;
constexpr int kShapeSamples = 3;
/// Of a sample: where both directions run at once, what one does alone at its end hardly counts.
constexpr int kTransfersPerSample = 4;
/// Until everything is enqueued.
constexpr std::uint64_t kDelayNs = 200'000;

/// Moves bytes as the DRAM benchmarks do, where one side is another device's memory.
const CeilingBenchmark& benchmark_of(LinkMover mover) {
  const std::string_view id = mover == LinkMover::load ? "dram_read" : "dram_write";
  const auto& all = kernels::all_ceiling_benchmarks();
  return *std::find_if(all.begin(), all.end(), [&](const CeilingBenchmark& one) { return one.id == id; });
}

/// One device, with memory that others reach.
struct Endpoint {
  explicit Endpoint(DeviceInfo which) : device(std::move(which)) {
    select();
    stream = std::make_unique<Stream>();
    timer = std::make_unique<EventTimer>();
    check(cudaEventCreateWithFlags(&begins, cudaEventDisableTiming), "cudaEventCreate");
    check(cudaEventCreateWithFlags(&ends, cudaEventDisableTiming), "cudaEventCreate");
    memory = DeviceBuffer(2 * kBytes);
    check(cudaMemset(memory.data(), 0, 2 * kBytes), "cudaMemset");
    buffers.d_source = memory.data();
    buffers.d_target = static_cast<std::byte*>(memory.data()) + kBytes;
    buffers.bytes = kBytes;
  }
  ~Endpoint() {
    cudaEventDestroy(begins);
    cudaEventDestroy(ends);
  }
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

  void select() const { check(cudaSetDevice(device.index), "cudaSetDevice"); }

  DeviceInfo device;
  std::unique_ptr<Stream> stream;
  std::unique_ptr<EventTimer> timer;
  cudaEvent_t begins = nullptr;
  cudaEvent_t ends = nullptr;
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
  const Endpoint& first = forth.worker();
  std::vector<double> times;
  for (int i = -1; i < samples; ++i) {  // the first one warms up
    first.select();
    enqueue_delay(kDelayNs, *first.stream);
    check(cudaEventRecord(first.begins, *first.stream), "cudaEventRecord");
    first.timer->start(*first.stream);
    if (back != nullptr) {
      const Endpoint& second = back->worker();
      second.select();
      check(cudaStreamWaitEvent(*second.stream, first.begins), "cudaStreamWaitEvent");
      for (int n = 0; n < kTransfersPerSample; ++n) back->enqueue();
      check(cudaEventRecord(second.ends, *second.stream), "cudaEventRecord");
    }
    for (int n = 0; n < kTransfersPerSample; ++n) forth.enqueue();
    first.select();
    if (back != nullptr)
      check(cudaStreamWaitEvent(*first.stream, back->worker().ends), "cudaStreamWaitEvent");
    first.timer->stop(*first.stream);
    first.stream->synchronize();
    if (i >= 0) times.push_back(first.timer->seconds() / kTransfersPerSample);
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
  int can = 0;
  check(cudaDeviceCanAccessPeer(&can, device.device.index, other.device.index), "cudaDeviceCanAccessPeer");
  if (can == 0) return false;
  device.select();
  const cudaError_t enabled = cudaDeviceEnablePeerAccess(other.device.index, 0);
  if (enabled == cudaErrorPeerAccessAlreadyEnabled) {
    cudaGetLastError();
    return true;
  }
  check(enabled, "cudaDeviceEnablePeerAccess");
  return true;
}

class LinkBench {
 public:
  explicit LinkBench(const std::vector<DeviceInfo>& devices) {
    for (const DeviceInfo& device : devices) endpoints_.push_back(std::make_unique<Endpoint>(device));
  }

  std::vector<LinkBandwidth> measure() {
    for (std::size_t from = 0; from < endpoints_.size(); ++from) {
      for (std::size_t to = 0; to < endpoints_.size(); ++to) {
        if (from != to) measure_pair(from, to);
      }
    }
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
      add(link, forth, nullptr);
      if (from > to) continue;  // both ways are those of the pair, whichever comes first
      link.both_ways = true;
      add(link, forth, &back);
    }
  }

  void add_both_ways(LinkBandwidth link) {
    link.both_ways = true;
    links_.push_back(std::move(link));
  }

  void add(LinkBandwidth link, const Transfer& forth, const Transfer* back) {
    const std::vector<double> times = sample(forth, back, kSamples);
    link.bytes_per_s = (back == nullptr ? 1 : 2) * forth.bytes() / median(times);
    link.relative_spread = relative_spread(times);
    links_.push_back(std::move(link));
  }

  std::vector<std::unique_ptr<Endpoint>> endpoints_;
  std::vector<LinkBandwidth> links_;
};

std::vector<DeviceInfo> devices_of(const std::vector<std::string>& uuids) {
  const std::vector<DeviceInfo> present = all_devices();
  std::vector<DeviceInfo> devices;
  for (const std::string& uuid : uuids) {
    const auto found =
        std::find_if(present.begin(), present.end(), [&](const DeviceInfo& one) { return one.uuid == uuid; });
    if (found == present.end()) throw Error(ErrorKind::usage, fmt::format("there is no device '{}'", uuid));
    devices.push_back(*found);
  }
  return devices;
}

std::optional<Ceiling> nvlink_peak(const DeviceInfo& device, std::size_t place) {
  const auto links = nvlinks(device.uuid);
  if (!links) return std::nullopt;
  constexpr double kGiga = 1e9;
  return Ceiling{.id = "nvlink",
                 .kind = CeilingKind::transfer,
                 .source = CeilingSource::theoretical,
                 .subject = "nvlink",
                 .operation = "",
                 .value = links->bytes_per_s,
                 .method = fmt::format("{} links of {:.4g} GB/s in each direction", links->count,
                                       links->bytes_per_s / links->count / kGiga),
                 .device = place};
}

}  // namespace

MeasuredLinks measure_links(const std::vector<std::string>& uuids) {
  const std::vector<DeviceInfo> devices = devices_of(uuids);
  MeasuredLinks measured = {.links = LinkBench(devices).measure(), .peaks = {}};
  for (std::size_t place = 0; place < devices.size(); ++place) {
    if (auto peak = nvlink_peak(devices[place], place)) measured.peaks.push_back(std::move(*peak));
  }
  return measured;
}

}  // namespace rooflinectl
