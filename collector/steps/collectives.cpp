// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

#include "collector/device/device.h"
#include "collector/device/instruments.h"
#include "collector/device/libraries.h"
#include "collector/sampling/link_counters.h"
#include "collector/steps/steps.h"
#include "collector/timing/timing.h"
#include "core/elapsed.h"
#include "core/error.h"
#include "core/stats/statistics.h"
#include "kernels/cuda_check.h"

namespace rooflinectl {

namespace {

using kernels::check;

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kLeastBytes = 8;
constexpr std::size_t kMostBytes = 1024 * kMiB;
constexpr std::size_t kSizeStep = 4;
/// Enough for every channel of NCCL, and quick to compare on the host.
constexpr std::size_t kVerifiedBytes = 16 * kMiB;
constexpr int kTimings = 15;
/// Per sample: many where the common start and end would matter.
constexpr std::size_t kFewestCalls = 4;
constexpr std::size_t kMostCalls = 32;
constexpr std::size_t kBytesPerSample = 64 * kMiB;

/// Element `i` of a rank's input: whole numbers so small that every sum of them is exact.
float input_element(std::size_t rank, std::size_t i) {
  return static_cast<float>((7 * i + 31 * rank) % 97);
}

/// Element `i` of a rank's output, where `n_elements` are those of the whole array.
float output_element(Collective collective, std::size_t rank, std::size_t i, std::size_t n_ranks,
                     std::size_t n_elements) {
  const auto sum = [&](std::size_t place) {
    float total = 0;
    for (std::size_t r = 0; r < n_ranks; ++r) total += input_element(r, place);
    return total;
  };
  const std::size_t part = n_elements / n_ranks;
  switch (collective) {
    case Collective::all_reduce:
      return sum(i);
    case Collective::all_gather:
      return input_element(i / part, i % part);
    case Collective::reduce_scatter:
      return sum(rank * part + i);
    case Collective::broadcast:
      return input_element(0, i);
    case Collective::send_receive:
      return input_element((rank + n_ranks - 1) % n_ranks, i);
  }
  throw Error(ErrorKind::measurement, "unknown collective");
}

/// One device with its arrays.
struct Member {
  Member(DeviceInfo which, std::size_t bytes) : device(std::move(which)) {
    select();
    stream = std::make_unique<Stream>();
    input = DeviceBuffer(bytes);
    output = DeviceBuffer(bytes);
    check(cudaMemset(input.data(), 0, bytes), "cudaMemset");
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }

  void select() const { check(cudaSetDevice(device.index), "cudaSetDevice"); }

  DeviceInfo device;
  std::unique_ptr<Stream> stream;
  DeviceBuffer input;
  DeviceBuffer output;
};

/// What fits twice into half of the memory that every device has left.
std::size_t most_bytes(const std::vector<DeviceInfo>& devices) {
  constexpr std::size_t kShare = 4;
  std::size_t bytes = kMostBytes;
  for (const DeviceInfo& device : devices) {
    std::size_t free = 0;
    std::size_t total = 0;
    check(cudaSetDevice(device.index), "cudaSetDevice");
    check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    while (bytes > kVerifiedBytes && bytes > free / kShare) bytes /= 2;
  }
  return bytes;
}

class CollectiveBench {
 public:
  CollectiveBench(const std::vector<DeviceInfo>& devices, const nccl::Communicators& communicators)
      : devices_(devices), most_bytes_(most_bytes(devices)), communicators_(communicators) {
    std::vector<DeviceStream> streams;
    for (const DeviceInfo& device : devices) {
      const Member& member = *members_.emplace_back(std::make_unique<Member>(device, most_bytes_));
      ranks_.push_back({member.input.data(), member.output.data(), *member.stream});
      streams.push_back({device.index, *member.stream});
    }
    timer_ = std::make_unique<CommonTimer>(std::move(streams));
  }

  std::vector<CollectiveTimes> measure(bool counters) {
    std::vector<CollectiveTimes> all;
    for (const Collective collective : kCollectives) all.push_back(timed(collective));
    if (counters) count(all);
    return all;
  }

 private:
  CollectiveTimes timed(Collective collective) {
    CollectiveTimes times = {.collective = collective};
    if (const auto wrong = first_wrong_element(collective)) {
      times.missing = *wrong;
      return times;
    }
    for (const std::size_t bytes : sizes()) times.sizes.push_back(time_of(collective, bytes));
    return times;
  }

  /// Counts what crosses NVLink for the largest size. Comes after all timing, so that no counter slows down
  /// what is timed.
  void count(std::vector<CollectiveTimes>& all) const {
    LinkCounters counters(devices_);
    for (const CollectiveTimes& times : all) {
      counters.watch([&] {
        for (std::size_t i = 0; times.missing.empty() && i < kFewestCalls; ++i) {
          enqueue(times.collective, elements_in(most_bytes_));
        }
        synchronize();
      });
    }
    const std::vector<std::vector<LinkBytes>> counted = counters.finish();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!all[i].missing.empty()) continue;
      CounterValue sum = CounterValue::measured(0);
      for (const LinkBytes& bytes : counted[i]) sum = sum_of(sum, bytes.sent);
      all[i].sent_bytes = sum.available() ? CounterValue::measured(*sum.value() / kFewestCalls) : sum;
    }
  }

  /// Elements of the whole array, of which all ranks have parts of equal size.
  std::size_t elements_in(std::size_t bytes) const {
    const std::size_t n = ranks_.size();
    return std::max<std::size_t>(bytes / sizeof(float) / n, 1) * n;
  }

  std::vector<std::size_t> sizes() const {
    std::vector<std::size_t> all;
    for (std::size_t bytes = kLeastBytes; bytes < most_bytes_; bytes *= kSizeStep) {
      const std::size_t whole = elements_in(bytes) * sizeof(float);
      if (all.empty() || whole > all.back()) all.push_back(whole);
    }
    all.push_back(elements_in(most_bytes_) * sizeof(float));
    return all;
  }

  void enqueue(Collective collective, std::size_t n_elements) const {
    constexpr nccl::Type kType = nccl::Type::f32;
    const std::size_t part = n_elements / ranks_.size();
    switch (collective) {
      case Collective::all_reduce:
        return communicators_.all_reduce(ranks_, n_elements, kType);
      case Collective::all_gather:
        return communicators_.all_gather(ranks_, part, kType);
      case Collective::reduce_scatter:
        return communicators_.reduce_scatter(ranks_, part, kType);
      case Collective::broadcast:
        return communicators_.broadcast(ranks_, n_elements, kType);
      case Collective::send_receive:
        return communicators_.send_to_next(ranks_, n_elements, kType);
    }
  }

  void synchronize() const {
    for (const auto& member : members_) member->stream->synchronize();
  }

  /// Why the result is wrong; nothing if it is right.
  std::optional<std::string> first_wrong_element(Collective collective) const {
    const std::size_t n = ranks_.size();
    const std::size_t n_elements = elements_in(kVerifiedBytes);
    std::vector<float> elements(n_elements);
    for (std::size_t rank = 0; rank < n; ++rank) {
      for (std::size_t i = 0; i < n_elements; ++i) elements[i] = input_element(rank, i);
      fill(*members_[rank], elements);
    }
    enqueue(collective, n_elements);
    synchronize();
    if (collective == Collective::reduce_scatter) elements.resize(n_elements / n);
    for (std::size_t rank = 0; rank < n; ++rank) {
      check(cudaMemcpy(elements.data(), members_[rank]->output.data(), elements.size() * sizeof(float),
                       cudaMemcpyDeviceToHost),
            "cudaMemcpy");
      for (std::size_t i = 0; i < elements.size(); ++i) {
        const float right = output_element(collective, rank, i, n, n_elements);
        if (elements[i] == right) continue;
        return fmt::format("the result is wrong: element {} of device {} is {}, not {}", i, rank, elements[i],
                           right);
      }
    }
    return std::nullopt;
  }

  /// Fills the output with NaN, so that elements that are never written are found.
  static void fill(const Member& member, const std::vector<float>& elements) {
    constexpr int kNan = 0xFF;  // in every byte
    const std::size_t bytes = elements.size() * sizeof(float);
    member.select();
    check(cudaMemcpy(member.input.data(), elements.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
    check(cudaMemset(member.output.data(), kNan, bytes), "cudaMemset");
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }

  CollectiveTime time_of(Collective collective, std::size_t bytes) {
    const std::size_t n_elements = elements_in(bytes);
    const std::size_t calls = std::clamp(kBytesPerSample / bytes, kFewestCalls, kMostCalls);
    const auto enqueue_calls = [&] {
      for (std::size_t i = 0; i < calls; ++i) enqueue(collective, n_elements);
    };
    enqueue(collective, n_elements);  // NCCL connects on the first call of a kind
    synchronize();
    const auto begin = std::chrono::steady_clock::now();
    enqueue_calls();
    const double enqueuing_s = seconds_since(begin);
    synchronize();
    constexpr double kMargin = 2;
    constexpr double kNanoseconds = 1e9;
    const auto delay_ns = static_cast<std::uint64_t>(kMargin * enqueuing_s * kNanoseconds);
    std::vector<double> samples;
    for (int i = 0; i < kTimings; ++i) {
      samples.push_back(timer_->seconds(delay_ns, enqueue_calls) / static_cast<double>(calls));
    }
    return {.bytes = static_cast<double>(bytes),
            .time_s = median(samples),
            .relative_spread = relative_spread(samples)};
  }

  std::vector<DeviceInfo> devices_;
  std::size_t most_bytes_;
  const nccl::Communicators& communicators_;
  std::vector<std::unique_ptr<Member>> members_;
  std::vector<nccl::Rank> ranks_;
  std::unique_ptr<CommonTimer> timer_;
};

std::string method() {
  return fmt::format("float, out of place, {} to {} calls in a row, median of {}; results of {} MiB verified",
                     kFewestCalls, kMostCalls, kTimings, kVerifiedBytes / kMiB);
}

}  // namespace

Collectives measure_collectives(const std::vector<std::string>& uuids, bool counters) {
  const std::vector<DeviceInfo> devices = devices_of(uuids);
  std::vector<int> indices;
  for (const DeviceInfo& device : devices) indices.push_back(device.index);
  std::unique_ptr<nccl::Communicators> communicators;
  try {
    communicators = std::make_unique<nccl::Communicators>(indices);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::environment) throw;
    return {.missing = fmt::format("{} ({})", error.what(), error.hint())};
  }
  Collectives collectives = {.nccl = communicators->version(), .method = method()};
  collectives.times = CollectiveBench(devices, *communicators).measure(counters);
  return collectives;
}

}  // namespace rooflinectl
