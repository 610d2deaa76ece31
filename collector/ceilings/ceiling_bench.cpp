// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <thread>
#include <utility>

#include "collector/ceilings/ceilings.h"
#include "collector/device/device.h"
#include "core/error.h"
#include "core/stats/statistics.h"
#include "kernels/cuda_check.h"
#include "kernels/data.h"

namespace rooflinectl {

namespace {

constexpr std::size_t kMebibyte = std::size_t{1} << 20;
constexpr std::size_t kGibibyte = std::size_t{1} << 30;
/// A look at each launch shape, and a longer one at the best.
constexpr TimingTarget kShapeTarget{.relative_half_width = 0.01, .time_limit_s = 0.03};
constexpr TimingTarget kBestTarget{.relative_half_width = 0.0005, .time_limit_s = 0.2};
/// Matrix products draw so much power that the clock falls within a fraction of a second: the fastest of a
/// short burst after a pause shows what the cores can do.
constexpr auto kPauseBeforeBurst = std::chrono::milliseconds(80);
constexpr TimingTarget kBurstTarget{.relative_half_width = 0, .time_limit_s = 0.04};
constexpr int kBurstsOfTheBest = 6;
/// After half of that, the clock is the one that the power cap allows.
constexpr TimingTarget kSustainedTarget{.relative_half_width = 0, .time_limit_s = 0.6};
constexpr int kGraphNodes = 100;
constexpr int kMatrixSizes[] = {4096, 8192};
/// A product that takes longer loses nothing at its start and end; FP64 is slow on most chips.
constexpr double kLongestProductS = 0.1;
/// On the host: copying it takes milliseconds, of which the start takes microseconds.
constexpr std::size_t kPinnedBytes = 256 * kMebibyte;
/// On the other GPU, likewise.
constexpr std::size_t kPeerBytes = kGibibyte;
constexpr std::string_view kNvlink = "nvlink";
/// Enough for an instruction mix; a whole launch would take long where every instruction is instrumented.
constexpr kernels::CeilingShape kCountedShape{.blocks_per_sm = 1, .block = 256};

/// The size of each buffer, large enough that caches and the start of a launch hardly count: a sixteenth of
/// the memory, at most 8 GiB and a quarter of what is free, but at least 1 GiB and four times L2.
std::size_t buffer_bytes(const DeviceInfo& device) {
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  kernels::check(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
  const std::size_t wanted = std::min({total_bytes / 16, free_bytes / 4, 8 * kGibibyte});
  return std::max<std::size_t>({wanted, kGibibyte, 4 * device.l2_bytes}) / kMebibyte * kMebibyte;
}

Ceiling ceiling_of(const kernels::CeilingBenchmark& benchmark, const TimeResult& time) {
  Ceiling ceiling;
  ceiling.id = benchmark.id;
  ceiling.kind = benchmark.kind;
  ceiling.source = CeilingSource::measured;
  ceiling.subject = benchmark.subject;
  ceiling.operation = benchmark.operation;
  ceiling.products = benchmark.products;
  if (benchmark.kind != CeilingKind::transfer) ceiling.sm_clock_hz = time.sm_clock_hz;
  ceiling.relative_spread = relative_spread(time.samples_s);
  return ceiling;
}

std::string shape_text(const kernels::CeilingShape& shape) {
  if (shape.blocks_per_sm == kernels::kCopyEngine) return "one copy engine";
  if (shape.blocks_per_sm == kernels::kOneBlock && shape.block == 1) return "one thread";
  const std::string blocks =
      shape.blocks_per_sm == kernels::kOneBlockPerTile
          ? std::string("one block per tile")
          : fmt::format("{} {} per SM", shape.blocks_per_sm, shape.blocks_per_sm == 1 ? "block" : "blocks");
  return fmt::format("{}, {} threads each", blocks, shape.block);
}

/// A launch can be much slower than usual but hardly faster: the floor is the mean of the fastest tenth,
/// since event times come in steps of about 1 %.
double floor_of(const TimeResult& time) {
  std::vector<double> samples = time.samples_s;
  std::ranges::sort(samples);
  const auto fastest = static_cast<std::ptrdiff_t>((samples.size() + 9) / 10);
  return std::accumulate(samples.begin(), samples.begin() + fastest, 0.0) / static_cast<double>(fastest);
}

/// Whether one block shows the same mix of operations as the whole launch.
bool one_block_will_do(const kernels::CeilingBenchmark& benchmark) {
  return benchmark.kind == CeilingKind::compute || benchmark.subject == "l1" || benchmark.subject == "shared";
}

}  // namespace

CeilingBench::CeilingBench(const DeviceInfo& device, Timer& timer, const Stream& stream)
    : device_(device), timer_(timer), stream_(stream) {
  buffers_.l2_bytes = device.l2_bytes;
}

void CeilingBench::require_buffers() {
  if (buffers_.bytes > 0) return;
  buffers_.bytes = buffer_bytes(device_);
  memory_.require(2 * buffers_.bytes);
  buffers_.d_source = memory_.data();
  buffers_.d_target = static_cast<std::byte*>(memory_.data()) + buffers_.bytes;
  for (void* d_buffer : {buffers_.d_source, buffers_.d_target}) {
    kernels::fill(kernels::DataSet::integers, Dtype::f32, d_buffer, buffers_.bytes / sizeof(float), stream_);
  }
}

void CeilingBench::require_pinned_buffer() {
  if (buffers_.pinned_bytes > 0) return;
  pinned_ = PinnedBuffer(kPinnedBytes);
  buffers_.h_pinned = pinned_.data();
  buffers_.pinned_bytes = kPinnedBytes;
}

void CeilingBench::require_peer_buffer() {
  if (buffers_.peer_bytes > 0) return;
  kernels::check(cudaSetDevice(peer_->index), "cudaSetDevice");
  peer_memory_ = DeviceBuffer(kPeerBytes);
  kernels::check(cudaMemset(peer_memory_.data(), 0, kPeerBytes), "cudaMemset");
  kernels::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  kernels::check(cudaSetDevice(device_.index), "cudaSetDevice");
  buffers_.d_peer = peer_memory_.data();
  buffers_.peer_bytes = kPeerBytes;
}

std::optional<std::string> CeilingBench::obstacle(const kernels::CeilingBenchmark& benchmark) {
  if (benchmark.minimum_sm > device_.compute_capability) return "needs a newer GPU";
  if (!has_code_for(benchmark, device_.compute_capability)) return "is one of other GPUs";
  if (benchmark.subject != kNvlink || peer_) return std::nullopt;
  peer_ = nvlink_peer(device_);
  if (!peer_) return "needs another GPU of the same model that NVLink connects";
  return std::nullopt;
}

TimedWork CeilingBench::work(const kernels::CeilingBenchmark& benchmark, std::function<void()> launch) const {
  TimedWork work;
  work.range_name = fmt::format("ceiling.{}", benchmark.id);
  work.cache = benchmark.cache;
  work.launch = [launch = std::move(launch)](int) { launch(); };
  return work;
}

/// Where the bytes of a link come from or go to.
std::string CeilingBench::other_side(const kernels::CeilingBenchmark& benchmark) const {
  if (benchmark.subject == kNvlink) return fmt::format(", memory of GPU {} ({})", peer_->index, peer_->uuid);
  if (benchmark.kind != CeilingKind::transfer) return {};
  return fmt::format(", {} MiB of pinned memory", kPinnedBytes / kMebibyte);
}

CeilingBench::Best CeilingBench::best_kernel(const kernels::CeilingBenchmark& benchmark) {
  const kernels::CeilingBenchmark& kernel = benchmark_on(benchmark, device_.compute_capability);
  const auto time = [&](const kernels::CeilingShape& shape, const TimingTarget& target) {
    const auto launch = [&] { kernel.launch(buffers_, grid(shape), shape.block, stream_); };
    return timer_.measure(work(benchmark, launch), target);
  };
  const auto rate = [&](const kernels::CeilingShape& shape, const TimeResult& result) {
    return kernel.amount(buffers_, grid(shape), shape.block) / result.median_s;
  };
  if (kernel.prepare != nullptr) kernel.prepare(buffers_, stream_);
  Best best{.benchmark = &benchmark, .kernel = &kernel, .shape = kernel.shapes.front()};
  double best_rate = 0;
  for (const kernels::CeilingShape& shape : kernel.shapes) {
    if (kernel.shapes.size() == 1) break;  // nothing to choose from
    const double shape_rate = rate(shape, time(shape, kShapeTarget));
    if (shape_rate > best_rate) {
      best.shape = shape;
      best_rate = shape_rate;
    }
  }
  const TimeResult result = time(best.shape, kBestTarget);
  best.ceiling = ceiling_of(benchmark, result);
  const double found = rate(best.shape, result);
  best.ceiling.value = benchmark.kind == CeilingKind::latency ? 1 / found : found;
  best.ceiling.method = fmt::format("ceiling_{}, {}{}, median of {} launches", kernel.id,
                                    shape_text(best.shape), other_side(benchmark), result.samples_s.size());
  return best;
}

Ceiling CeilingBench::burst(const kernels::CeilingBenchmark& benchmark, const MatrixProduct& product) {
  TimedWork products = work(benchmark, [&] { product.enqueue(stream_); });
  products.is_power_limited = true;
  std::this_thread::sleep_for(kPauseBeforeBurst);
  const TimeResult result = timer_.measure(products, kBurstTarget);
  const auto fastest = std::ranges::min_element(result.samples_s);
  Ceiling ceiling = ceiling_of(benchmark, result);
  ceiling.value = product.operations() / *fastest;
  const double clock_hz =
      result.sample_clocks_hz[static_cast<std::size_t>(fastest - result.samples_s.begin())];
  ceiling.sm_clock_hz = clock_hz > 0 ? std::optional(clock_hz) : std::nullopt;
  ceiling.method = fmt::format("{}, {}, fastest of {} products in a burst (median {:.1f} % of that)",
                               library_->description(), product.description(), result.samples_s.size(),
                               100 * *fastest / result.median_s);
  return ceiling;
}

CeilingBench::Best CeilingBench::sustained(const Best& fastest) {
  TimedWork products = work(*fastest.benchmark, [&] { fastest.product->enqueue(stream_); });
  products.is_power_limited = true;
  TimeResult result = timer_.measure(products, kSustainedTarget);
  const auto keep_second_half = [](std::vector<double>& values) {
    values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  };
  keep_second_half(result.samples_s);
  keep_second_half(result.sample_clocks_hz);
  std::erase_if(result.sample_clocks_hz, [](double clock_hz) { return clock_hz <= 0; });
  Best best = fastest;
  best.ceiling = ceiling_of(*fastest.benchmark, result);
  best.ceiling.id += ceiling_id::kSustained;
  best.ceiling.operation = "sustained";
  best.ceiling.value = fastest.product->operations() / median(result.samples_s);
  best.ceiling.sm_clock_hz =
      result.sample_clocks_hz.empty() ? std::nullopt : std::optional(median(result.sample_clocks_hz));
  best.ceiling.method =
      fmt::format("{}, {}, median of the last {} products of {} s", library_->description(),
                  fastest.product->description(), result.samples_s.size(), kSustainedTarget.time_limit_s);
  return best;
}

std::optional<CeilingBench::Best> CeilingBench::best_product(const kernels::CeilingBenchmark& benchmark) {
  if (!std::exchange(library_loaded_, true)) library_ = load_matrix_library();
  if (!library_) return std::nullopt;
  Best best{.benchmark = &benchmark};
  for (const int size : kMatrixSizes) {
    const double operations = 2.0 * size * size * size;
    if (operations > kLongestProductS * best.ceiling.value && best.product) break;
    for (std::unique_ptr<MatrixProduct>& product : library_->products(*benchmark.matrix, size, buffers_)) {
      try {
        const Ceiling ceiling = burst(benchmark, *product);
        if (ceiling.value <= best.ceiling.value) continue;
        best.ceiling = ceiling;
        best.product = std::move(product);
      } catch (const Error&) {
        // The library proposed this algorithm and then refused it: there are others, and our own kernel. A
        // broken context shows at the next launch.
        cudaGetLastError();
      }
    }
  }
  if (!best.product) return std::nullopt;
  for (int i = 0; i < kBurstsOfTheBest; ++i) {
    const Ceiling ceiling = burst(benchmark, *best.product);
    if (ceiling.value > best.ceiling.value) best.ceiling = ceiling;
  }
  return best;
}

std::vector<Ceiling> CeilingBench::measure_launch(const kernels::CeilingBenchmark& benchmark) {
  const kernels::CeilingShape& shape = benchmark.shapes.front();
  TimedWork launches =
      work(benchmark, [&] { benchmark.launch(buffers_, grid(shape), shape.block, stream_); });
  const TimeResult single = timer_.measure(launches, kBestTarget);
  Ceiling stream = ceiling_of(benchmark, single);
  stream.value = floor_of(single);
  stream.method =
      fmt::format("empty kernel between two events, fastest tenth of {}", single.samples_s.size());

  launches.mode = LaunchMode::graph;
  launches.launches_per_graph = kGraphNodes;
  const TimeResult several = timer_.measure(launches, kBestTarget);
  Ceiling node = ceiling_of(benchmark, several);
  node.id = ceiling_id::kGraphNode;
  node.operation = "launch in a graph";
  node.value = floor_of(several);
  node.method = fmt::format("graph of {} empty kernels, per kernel, fastest tenth of {}",
                            several.launches_per_sample, several.samples_s.size());
  return {stream, node};
}

std::vector<Ceiling> CeilingBench::measure(const kernels::CeilingBenchmark& benchmark) {
  if (benchmark.id == ceiling_id::kLaunch) return measure_launch(benchmark);
  require_buffers();
  if (benchmark.subject == kNvlink) {
    require_peer_buffer();
  } else if (benchmark.kind == CeilingKind::transfer) {
    require_pinned_buffer();
  }
  std::optional<Best> best;
  if (benchmark.matrix) best = best_product(benchmark);
  if (!best) {
    best = best_kernel(benchmark);
    if (benchmark.matrix && best->kernel == &benchmark) {
      best->ceiling.method +=
          "; mma.sync, because cuBLASLt was not found: on Hopper it does not reach the full rate";
    }
  }
  if (is_roof(benchmark.kind)) measured_.push_back(*best);
  std::vector<Ceiling> ceilings = {best->ceiling};
  if (best->product) {
    measured_.push_back(sustained(*best));
    ceilings.push_back(measured_.back().ceiling);
  }
  return ceilings;
}

std::vector<Ceiling> CeilingBench::measured() const {
  std::vector<Ceiling> ceilings;
  for (const Best& best : measured_) ceilings.push_back(best.ceiling);
  return ceilings;
}

std::vector<CountedRange> CeilingBench::ranges() const {
  std::vector<CountedRange> ranges;
  for (const Best& best : measured_) {
    const kernels::CeilingBenchmark& benchmark = *best.benchmark;
    const auto launch = [this, &best, &benchmark] {
      if (best.product) return best.product->enqueue(stream_);
      if (one_block_will_do(benchmark)) return best.kernel->launch(buffers_, 1, kCountedShape.block, stream_);
      best.kernel->launch(buffers_, grid(best.shape), best.shape.block, stream_);
    };
    const auto prepare = [this, &benchmark, launch] {
      if (benchmark.cache == CacheState::cold) {
        timer_.cache_flush().enqueue(stream_);
      } else {
        launch();
      }
      stream_.synchronize();
    };
    ranges.push_back({prepare, [this, launch] {
                        launch();
                        stream_.synchronize();
                      }});
  }
  return ranges;
}

double CeilingBench::counted_amount(const Best& best) const {
  if (best.product) return best.product->operations();
  if (one_block_will_do(*best.benchmark)) return best.kernel->amount(buffers_, 1, kCountedShape.block);
  return best.kernel->amount(buffers_, grid(best.shape), best.shape.block);
}

std::vector<Ceiling> CeilingBench::confirmed(const std::vector<Counters>& counters) const {
  std::vector<Ceiling> ceilings;
  for (std::size_t i = 0; i < measured_.size() && i < counters.size(); ++i) {
    Ceiling ceiling = measured_[i].ceiling;
    ceiling.confirmation =
        confirm(*measured_[i].benchmark, counted_amount(measured_[i]), counters[i], device_.l2_bytes);
    ceilings.push_back(std::move(ceiling));
  }
  return ceilings;
}

namespace {

constexpr double kByteTolerance = 0.02;
constexpr double kOperationTolerance = 0.01;

std::optional<double> counted(const kernels::CeilingCount& count, const Counters& counters) {
  double sum = 0;
  for (const std::string_view key : count.keys) {
    const auto value = value_of(counters, key);
    if (!value) return std::nullopt;
    sum += *value;
  }
  return sum * count.scale;
}

/// Bytes of the level below that a benchmark of a cache must not touch; nothing if the level has none.
std::optional<double> leaked_bytes(std::string_view level, const Counters& counters) {
  if (level == "l2") return dram_bytes(counters);
  if (level == "l1") return value_of(counters, counter::kL2Bytes);
  return std::nullopt;
}

}  // namespace

Confirmation confirm(const kernels::CeilingBenchmark& benchmark, double amount, const Counters& counters,
                     std::size_t l2_bytes) {
  const auto sum = counted(benchmark.count, counters);
  if (!sum) return {false, "not counted: the counter is unavailable"};
  const bool is_bytes = benchmark.kind == CeilingKind::bandwidth;
  const bool writes_dram = benchmark.subject == "dram" && benchmark.operation != "read";
  const double tolerance = is_bytes ? kByteTolerance : kOperationTolerance;
  const double still_dirty = writes_dram ? static_cast<double>(l2_bytes) : 0;
  const double ratio = *sum / amount;
  Confirmation result;
  result.agrees = ratio <= 1 + tolerance && ratio >= 1 - tolerance - still_dirty / amount;
  result.detail = fmt::format("counted {:.4f} of the declared {}", ratio, is_bytes ? "bytes" : "operations");
  const bool is_cache = benchmark.subject == "l2" || benchmark.subject == "l1";
  if (!is_cache) return result;
  const char* const below = benchmark.subject == "l2" ? "DRAM" : "L2";
  if (const auto leaked = leaked_bytes(benchmark.subject, counters)) {
    const double fraction = *leaked / amount;
    result.agrees = result.agrees && fraction < kByteTolerance;
    result.detail += fmt::format(", {:.2f} % of them at {}", fraction * 100, below);
  } else {
    result.agrees = false;
    result.detail += fmt::format(", {} not counted", below);
  }
  return result;
}

}  // namespace rooflinectl
