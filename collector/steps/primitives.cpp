// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "collector/steps/steps.h"
#include "core/stats/statistics.h"
#include "core/text/names.h"
#include "kernels/cuda_check.h"
#include "kernels/data.h"
#include "kernels/variant.h"

namespace rooflinectl {

namespace {

using kernels::BlockInterval;
using kernels::DevicePrimitive;
using kernels::Form;
using kernels::LanePrimitive;

constexpr std::size_t kRuns = 15;
/// Long enough to make everything outside the loop negligible: the readings of the counter (latency), and
/// blocks that begin and end at different times (throughput).
constexpr double kLatencyCycles = 100e3;
constexpr double kThroughputCycles = 1e6;
constexpr double kMostTrips = 1e6;
/// Elements of a scan by the device: a few blocks, and 1 GiB, far more than L2.
constexpr std::uint64_t kSmallScan = std::uint64_t{1} << 12;
constexpr std::uint64_t kLargeScan = std::uint64_t{1} << 28;
/// Scans in the dependent chain.
constexpr int kChainedScans = 64;

Cycles cycles_from(std::vector<double> samples, std::uint64_t elements) {
  const MedianInterval interval = median_interval(samples);
  Cycles cycles;
  cycles.median = CounterValue::measured(interval.median);
  cycles.ci_low = interval.low;
  cycles.ci_high = interval.high;
  cycles.elements = elements;
  cycles.samples = std::move(samples);
  return cycles;
}

/// One form of a primitive of lanes, with its memory.
class LaneBench {
 public:
  LaneBench(const LanePrimitive& primitive, Form form, int blocks, const Stream& stream)
      : primitive_(primitive),
        form_(form),
        blocks_(blocks),
        stream_(stream),
        values_per_block_(static_cast<std::size_t>(primitive.threads(form) * primitive.instances_of(form))),
        input_(values_per_block_ * primitive.value_bytes),
        d_input_(input_.size()),
        d_output_(input_.size() * static_cast<std::size_t>(blocks)),
        d_intervals_(static_cast<std::size_t>(blocks) * sizeof(BlockInterval)) {
    primitive.fill(input_.data(), values_per_block_);
    kernels::check(cudaMemcpy(d_input_.data(), input_.data(), input_.size(), cudaMemcpyHostToDevice),
                   "cudaMemcpy");
    kernels::poison(d_output_.data(), d_output_.bytes(), stream);
  }

  /// Launches once and returns cycles per operation.
  double run(int trips) {
    primitive_.launch(form_,
                      {.d_input = d_input_.data(),
                       .d_output = d_output_.data(),
                       .d_intervals = static_cast<BlockInterval*>(d_intervals_.data()),
                       .blocks = blocks_,
                       .trips = trips},
                      stream_);
    stream_.synchronize();
    std::vector<BlockInterval> intervals(static_cast<std::size_t>(blocks_));
    kernels::check(
        cudaMemcpy(intervals.data(), d_intervals_.data(), d_intervals_.bytes(), cudaMemcpyDeviceToHost),
        "cudaMemcpy");
    return cycles_of(intervals, operations_per_trip() * trips);
  }

  /// The first wrong value of a launch with `trips` trips; empty if there is none.
  std::string wrong_value(int trips) const {
    std::vector<std::byte> expected = input_;
    primitive_.apply(expected.data(), values_per_block_, primitive_.steps * (trips + 1));
    std::vector<std::byte> output(d_output_.bytes());
    kernels::check(cudaMemcpy(output.data(), d_output_.data(), output.size(), cudaMemcpyDeviceToHost),
                   "cudaMemcpy");
    for (std::size_t block = 0; block < static_cast<std::size_t>(blocks_); ++block) {
      for (std::size_t value = 0; value < values_per_block_; ++value) {
        const std::size_t place = value * primitive_.value_bytes;
        const bool same = std::memcmp(output.data() + block * expected.size() + place,
                                      expected.data() + place, primitive_.value_bytes) == 0;
        if (same) continue;
        const auto threads = static_cast<std::size_t>(primitive_.threads(form_));
        return fmt::format("{}: wrong value in thread {} of block {}, instance {}",
                           form_ == Form::latency ? "latency" : "throughput", value % threads, block,
                           value / threads);
      }
    }
    return {};
  }

  /// The number of trips that takes about `cycles` on an SM.
  int trips_for(double cycles) {
    constexpr int kTrial = 8;
    run(kTrial);
    const double blocks_per_sm = form_ == Form::latency ? 1 : primitive_.blocks_per_sm();
    const double per_trip = run(kTrial) * operations_per_trip() * blocks_per_sm;
    return static_cast<int>(std::clamp(cycles / per_trip, 1.0, kMostTrips));
  }

 private:
  /// Operations of one block: each of its warps does one, unless the whole block does one together.
  double operations_per_trip() const {
    const int groups = primitive_.info.scope == PrimitiveScope::warp ? primitive_.threads(form_) / 32 : 1;
    return static_cast<double>(primitive_.steps) * primitive_.instances_of(form_) * groups;
  }

  const LanePrimitive& primitive_;
  Form form_;
  int blocks_;
  const Stream& stream_;
  std::size_t values_per_block_;
  std::vector<std::byte> input_;
  DeviceBuffer d_input_;
  DeviceBuffer d_output_;
  DeviceBuffer d_intervals_;
};

/// Memory for scans of `n` elements.
struct ScanMemory {
  ScanMemory(const DevicePrimitive& primitive, std::uint64_t n, const Stream& stream)
      : first(n * sizeof(int)), second(n * sizeof(int)), workspace(primitive.workspace_bytes(n)) {
    kernels::fill(kernels::DataSet::integers, Dtype::i32, first.data(), n, stream);
    kernels::poison(second.data(), second.bytes(), stream);
    kernels::check(cudaMemsetAsync(workspace.data(), 0, workspace.bytes(), stream), "cudaMemsetAsync");
    stream.synchronize();
  }

  DeviceBuffer first;
  DeviceBuffer second;
  DeviceBuffer workspace;
};

/// Whether `memory.second` is the scan of `memory.first`.
std::string wrong_scan(const DevicePrimitive& primitive, const ScanMemory& memory, std::uint64_t n,
                       const Stream& stream) {
  DeviceBuffer d_wrong(sizeof(unsigned long long));
  kernels::check(cudaMemsetAsync(d_wrong.data(), 0, d_wrong.bytes(), stream), "cudaMemsetAsync");
  kernels::count_wrong_prefixes(static_cast<const int*>(memory.first.data()),
                                static_cast<const int*>(memory.second.data()), n, primitive.is_exclusive,
                                static_cast<unsigned long long*>(d_wrong.data()), stream);
  stream.synchronize();
  unsigned long long wrong = 0;
  kernels::check(cudaMemcpy(&wrong, d_wrong.data(), sizeof wrong, cudaMemcpyDeviceToHost), "cudaMemcpy");
  return wrong == 0 ? "" : fmt::format("{} of {} elements do not follow from the previous one", wrong, n);
}

/// Time per launch times the clock, sample by sample.
Cycles cycles_from(const TimeResult& time, std::uint64_t elements, int sm_count) {
  std::vector<double> samples;
  std::vector<double> clocks;
  for (std::size_t i = 0; i < time.samples_s.size(); ++i) {
    if (time.sample_clocks_hz[i] <= 0) continue;
    samples.push_back(time.samples_s[i] * time.sample_clocks_hz[i] * sm_count);
    clocks.push_back(time.sample_clocks_hz[i]);
  }
  if (samples.empty()) return {.median = CounterValue::unavailable("the SM clock could not be read")};
  Cycles cycles = cycles_from(std::move(samples), elements);
  cycles.sm_clock_hz = median(clocks);
  return cycles;
}

template <typename List>
auto find(const List& list, const std::string& id) {
  return std::ranges::find_if(list, [&](const auto& primitive) { return primitive.info.id == id; });
}

}  // namespace

PrimitiveBench::PrimitiveBench(const DeviceInfo& device, Timer& timer, const Stream& stream)
    : device_(device), timer_(timer), stream_(stream) {}

PrimitiveResult PrimitiveBench::measure(const std::string& id) {
  PrimitiveResult result;
  const auto attempt = [&](const auto& primitive) {
    result.info = primitive.info;
    if (primitive.minimum_sm > device_.compute_capability) {
      throw Error(ErrorKind::environment, fmt::format("needs compute capability {}.{}",
                                                      primitive.minimum_sm / 10, primitive.minimum_sm % 10));
    }
    measure(primitive, result);
  };
  try {
    const auto& lanes = kernels::all_lane_primitives();
    const auto& devices = kernels::all_device_primitives();
    if (const auto found = find(lanes, id); found != lanes.end()) {
      attempt(*found);
    } else if (const auto scan = find(devices, id); scan != devices.end()) {
      attempt(*scan);
    } else {
      result.info.id = id;
      throw Error(ErrorKind::usage, "there is no such primitive");
    }
  } catch (const Error& error) {
    result.status = Status::failed;
    result.cause = error.what();
  }
  return result;
}

void PrimitiveBench::measure(const LanePrimitive& primitive, PrimitiveResult& result) {
  const auto measured = [&](Form form, double cycles) -> Cycles {
    const int blocks = form == Form::latency ? 1 : device_.sm_count * primitive.blocks_per_sm();
    LaneBench bench(primitive, form, blocks, stream_);
    const int trips = bench.trips_for(cycles);
    std::vector<double> samples;
    while (samples.size() < kRuns) samples.push_back(bench.run(trips));
    result.cause = bench.wrong_value(trips);
    if (!result.cause.empty()) result.status = Status::unverified;
    return cycles_from(std::move(samples), static_cast<std::uint64_t>(primitive.elements()));
  };
  const Cycles latency = measured(Form::latency, kLatencyCycles);
  if (result.status != Status::ok) return;
  const Cycles throughput = measured(Form::throughput, kThroughputCycles);
  if (result.status != Status::ok) return;
  result.latency = latency;
  result.throughput = throughput;
}

void PrimitiveBench::measure(const DevicePrimitive& primitive, PrimitiveResult& result) {
  const TimingTarget target{.relative_half_width = 0.005, .time_limit_s = 0.25};
  const auto scan = [&](const DeviceBuffer& from, const DeviceBuffer& to, std::uint64_t n,
                        const ScanMemory& memory) {
    primitive.launch(static_cast<const int*>(from.data()), static_cast<int*>(to.data()), n,
                     memory.workspace.data(), stream_);
  };
  for (const std::uint64_t n : {kSmallScan, kLargeScan}) {
    const ScanMemory memory(primitive, n, stream_);
    scan(memory.first, memory.second, n, memory);
    result.cause = wrong_scan(primitive, memory, n, stream_);
    if (!result.cause.empty()) {
      result.status = Status::unverified;
      result.latency = {};
      return;
    }
    TimedWork work;
    work.range_name = result.info.id;
    if (n == kSmallScan) {
      work.cache = CacheState::warm;
      work.mode = LaunchMode::graph;
      work.launches_per_graph = kChainedScans;
      work.launch = [&](int number) {
        const bool even = number % 2 == 0;
        scan(even ? memory.first : memory.second, even ? memory.second : memory.first, n, memory);
      };
      result.latency = cycles_from(timer_.measure(work, target), n, 1);
    } else {
      work.launch = [&](int) { scan(memory.first, memory.second, n, memory); };
      result.throughput = cycles_from(timer_.measure(work, target), n, device_.sm_count);
      result.cause = wrong_scan(primitive, memory, n, stream_);
      if (!result.cause.empty())
        result = {.info = result.info, .status = Status::unverified, .cause = result.cause};
    }
  }
}

std::string wrong_value(const LanePrimitive& primitive, Form form, int blocks, int trips,
                        const Stream& stream) {
  LaneBench bench(primitive, form, blocks, stream);
  bench.run(trips);
  return bench.wrong_value(trips);
}

std::string wrong_value(const DevicePrimitive& primitive, std::uint64_t n, const Stream& stream) {
  const ScanMemory memory(primitive, n, stream);
  std::string wrong;
  // Again with the workspace as the launch before left it.
  for (int launch = 0; launch < 2 && wrong.empty(); ++launch) {
    kernels::poison(memory.second.data(), memory.second.bytes(), stream);
    primitive.launch(static_cast<const int*>(memory.first.data()), static_cast<int*>(memory.second.data()), n,
                     memory.workspace.data(), stream);
    wrong = wrong_scan(primitive, memory, n, stream);
  }
  return wrong;
}

double cycles_of(const std::vector<BlockInterval>& blocks, double operations_per_block) {
  struct Sm {
    std::uint64_t start = ~std::uint64_t{0};
    std::uint64_t stop = 0;
    double operations = 0;
  };
  std::map<std::uint64_t, Sm> sms;
  for (const BlockInterval& block : blocks) {
    Sm& sm = sms[block.sm];
    sm.start = std::min(sm.start, block.start);
    sm.stop = std::max(sm.stop, block.stop);
    sm.operations += operations_per_block;
  }
  std::vector<double> cycles;
  for (const auto& [id, sm] : sms) cycles.push_back(static_cast<double>(sm.stop - sm.start) / sm.operations);
  return median(cycles);
}

std::vector<PrimitiveInfo> linked_primitives() {
  std::vector<PrimitiveInfo> list;
  for (const LanePrimitive& primitive : kernels::all_lane_primitives()) list.push_back(primitive.info);
  for (const DevicePrimitive& primitive : kernels::all_device_primitives()) list.push_back(primitive.info);
  std::ranges::sort(list,
                    [](const PrimitiveInfo& a, const PrimitiveInfo& b) { return natural_less(a.id, b.id); });
  return list;
}

}  // namespace rooflinectl
