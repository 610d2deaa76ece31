// SPDX-License-Identifier: Apache-2.0
//
// Times every kernel that `sum_best` could choose, beside CUB and in the same process, in CUDA graphs or
// launch by launch: what the table in `kernels/reduction/best_table.h` was made from.
//
//   cmake --build --preset dev --target tune_sum_best
//   build/dev/bin/tune_sum_best f32 warm graph 10 30     # type, caches, graph or plain, from 2^10 to 2^30
//   elements
//
// Launch by launch, a launch is timed like a point of a plan that sets `launch: plain`. All candidates and
// CUB read the same input: cold and alone, where it lies in device memory makes any of them up to 1 us faster
// or slower.
//
// A line per size: CUB's time, then the candidates that are right, fastest first, each with its time in
// microseconds and its speed over CUB's: `mailbox 256x4 m2` is 256 threads per block, 4 packs in flight per
// thread, 2 blocks per multiprocessor; `bulk … s4` has 4 tiles on their way.
#include <cstdio>
#include <cstring>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "collector/device/device.h"
#include "collector/device/instruments.h"
#include "collector/timing/timing.h"
#include "core/error.h"
#include "core/model/plan.h"
#include "core/stats/statistics.h"
#include "kernels/cuda_check.h"
#include "kernels/data.h"
#include "kernels/device_limits.h"
#include "kernels/reduction/bulk.cuh"
#include "kernels/reduction/complete.cuh"
#include "kernels/reduction/dispatch.h"
#include "kernels/reduction/persistent.h"
#include "kernels/reference.h"

namespace rooflinectl::kernels {
namespace {

constexpr std::size_t kShown = 8;
constexpr double kSecondsPerSize = 0.3;
constexpr double kGraphSeconds = 200e-6;
constexpr int kMostLaunches = 64;
constexpr std::size_t kColdBytes = std::size_t{512} << 20;

struct Candidate {
  std::string name;
  std::function<bool(std::uint64_t n)> is_sensible;
  std::function<void(const Problem&, const Buffers&, cudaStream_t)> launch;
};

std::string shape_name(const char* kernel, int block, int packs) {
  return std::string(kernel) + " " + std::to_string(block) + "x" + std::to_string(packs);
}

/// All kernels for one element type.
template <typename T>
class Candidates {
 public:
  Candidates() {
    one_block<128, 1>();
    one_block<128, 2>();
    one_block<128, 4>();
    one_block<256, 1>();
    one_block<256, 2>();
    one_block<256, 4>();
    one_block<256, 8>();
    one_block<512, 1>();
    one_block<512, 2>();
    one_block<512, 4>();
    one_block<512, 8>();
    one_block<1024, 1>();
    one_block<1024, 2>();
    one_block<1024, 4>();
    one_block<1024, 8>();
    mailbox<128, 4>();
    mailbox<256, 1>();
    mailbox<256, 2>();
    mailbox<256, 4>();
    mailbox<256, 8>();
    mailbox<512, 2>();
    mailbox<512, 4>();
    mailbox<512, 8>();
    bulk<256, 8>();
    bulk<512, 4>();
  }

  std::vector<Candidate> take() { return std::move(candidates_); }

 private:
  static const T* input(const Buffers& buffers) { return static_cast<const T*>(buffers.d_input); }
  static Accumulator<T>* output(const Buffers& buffers) {
    return static_cast<Accumulator<T>*>(buffers.d_output);
  }
  static MailboxWord* box(const Buffers& buffers) { return static_cast<MailboxWord*>(buffers.d_workspace); }

  template <int kBlock, int kPacks>
  void one_block() {
    constexpr std::uint64_t kElements = one_block_elements<T, kBlock, kPacks>();
    candidates_.push_back({shape_name("one block", kBlock, kPacks),
                           [](std::uint64_t n) { return n <= kElements && n >= kElements / 8; },
                           [](const Problem& problem, const Buffers& buffers, cudaStream_t stream) {
                             reduce_in_one_block<Sum, T, kBlock, kPacks><<<1, kBlock, 0, stream>>>(
                                 input(buffers), output(buffers), static_cast<unsigned>(problem.n));
                           }});
  }

  template <int kBlock, int kPacks>
  void mailbox() {
    for (const int blocks : {1, 2, 4, 8}) {
      if (blocks * kBlock > 2048) continue;
      const persistent::Shape shape{kBlock, kPacks, blocks};
      candidates_.push_back({shape_name("mailbox", kBlock, kPacks) + " m" + std::to_string(blocks),
                             is_larger_than(shape),
                             [shape](const Problem& problem, const Buffers& buffers, cudaStream_t stream) {
                               const auto grid = static_cast<unsigned>(persistent::grid(problem, shape));
                               reduce_by_mailbox<Sum, T, kBlock, kPacks><<<grid, kBlock, 0, stream>>>(
                                   input(buffers), output(buffers), problem.n, box(buffers));
                             }});
    }
  }

  template <int kBlock, int kPacks>
  void bulk() {
    constexpr unsigned kMostShared = 200 * 1024;
    const auto kernel = reduce_by_bulk_copies<Sum, T, kBlock, kPacks>;
    for (const int blocks : {1, 2}) {
      for (const int stages : {2, 3, 4, 6}) {
        const unsigned shared_bytes = bulk_shared_bytes<kBlock, kPacks>(stages);
        if (shared_bytes * static_cast<unsigned>(blocks) > kMostShared) continue;
        check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kMostShared),
              "cudaFuncSetAttribute");
        const persistent::Shape shape{kBlock, kPacks, blocks};
        const std::string name = shape_name("bulk", kBlock, kPacks) + " s" + std::to_string(stages) + " m" +
                                 std::to_string(blocks);
        candidates_.push_back({name,
                               [](std::uint64_t n) { return n * sizeof(T) >= (std::uint64_t{8} << 20); },
                               [=](const Problem& problem, const Buffers& buffers, cudaStream_t stream) {
                                 const auto grid = static_cast<unsigned>(persistent::grid(problem, shape));
                                 kernel<<<grid, kBlock, shared_bytes, stream>>>(
                                     input(buffers), output(buffers), problem.n, box(buffers), stages);
                               }});
      }
    }
  }

  /// More blocks per multiprocessor only where there are tiles for them.
  static std::function<bool(std::uint64_t)> is_larger_than(const persistent::Shape& shape) {
    return [shape](std::uint64_t n) {
      const Problem problem{.n = n * sizeof(T) / 4};  // as if of four bytes
      const auto most_of_fewer = static_cast<std::uint64_t>(shape.blocks_per_multiprocessor / 2) *
                                 static_cast<std::uint64_t>(device_limits().multiprocessors);
      const std::uint64_t tiles = persistent::tiles(problem, shape);
      return tiles >= 4 && tiles > most_of_fewer;
    };
  }

  std::vector<Candidate> candidates_;
};

std::vector<Candidate> candidates_for(Dtype dtype) {
  std::vector<Candidate> candidates;
  with_element_type(dtype,
                    [&](auto type) { candidates = Candidates<typename decltype(type)::type>().take(); });
  const Variant& cub = *find_variant("cub_sum");
  candidates.insert(candidates.begin(),
                    {"cub", [](std::uint64_t) { return true; },
                     [&cub](const Problem& problem, const Buffers& buffers, cudaStream_t stream) {
                       constexpr std::size_t kBehindMailbox = std::size_t{1} << 20;
                       Buffers own = buffers;
                       own.d_workspace = static_cast<std::byte*>(buffers.d_workspace) + kBehindMailbox;
                       cub.launch(problem, own, stream);
                     }});
  return candidates;
}

/// One candidate at one size, and how long it took.
struct Timed {
  const Candidate& candidate;
  cudaGraphExec_t graph = nullptr;  ///< null if timed launch by launch
  int launches = 1;
  std::vector<double> samples_s;
};

class Tuning {
 public:
  Tuning(Dtype dtype, CacheState cache, LaunchMode mode)
      : dtype_(dtype),
        cache_(cache),
        mode_(mode),
        device_(select_device("0")),
        timer_(device_, stream_),
        flush_(device_.l2_bytes),
        workspace_(8 << 20),
        output_(256) {
    check(cudaMemset(workspace_.data(), 0, workspace_.bytes()), "cudaMemset");
  }

  void tune(std::uint64_t n, const std::vector<Candidate>& candidates) {
    const Problem problem{.dtype = dtype_, .n = n, .block_size = 256};
    prepare(n);
    std::vector<Timed> timed;
    for (const Candidate& candidate : candidates) {
      if (!candidate.is_sensible(n)) continue;
      candidate.launch(problem, buffers(0), stream_);
      check_launch(candidate.name);
      stream_.synchronize();
      if (result() != references_.of(DataSet::integers, dtype_, 0, n).sum) {
        std::printf("WRONG: %s\n", candidate.name.c_str());
        continue;
      }
      timed.push_back(mode_ == LaunchMode::graph ? captured(candidate, problem) : Timed{candidate});
    }
    measure(timed, problem);
    print(n, timed);
    for (const Timed& each : timed) {
      if (each.graph != nullptr) cudaGraphExecDestroy(each.graph);
    }
  }

 private:
  void prepare(std::uint64_t n) {
    stride_bytes_ = (n * size_bytes(dtype_) + 255) / 256 * 256;
    copies_ = cache_ == CacheState::warm
                  ? 1
                  : std::clamp<int>(static_cast<int>(kColdBytes / stride_bytes_), 1, kMostLaunches);
    inputs_.require(stride_bytes_ * static_cast<std::size_t>(copies_));
    for (int copy = 0; copy < copies_; ++copy)
      fill(DataSet::integers, dtype_, buffers(copy).d_input, n, stream_);
    stream_.synchronize();
  }

  Buffers buffers(int copy) const {
    return {static_cast<std::byte*>(inputs_.data()) + stride_bytes_ * static_cast<std::size_t>(copy),
            output_.data(), workspace_.data()};
  }

  template <typename Value>
  Exact value() const {
    Value value;
    check(cudaMemcpy(&value, output_.data(), sizeof(value), cudaMemcpyDeviceToHost), "cudaMemcpy");
    return static_cast<Exact>(value);
  }

  Exact result() const {
    Exact found = 0;
    with_element_type(accumulator(dtype_),
                      [&](auto type) { found = value<Accumulator<typename decltype(type)::type>>(); });
    return found;
  }

  Timed captured(const Candidate& candidate, const Problem& problem) {
    EventTimer timer;
    timer.start(stream_);
    candidate.launch(problem, buffers(0), stream_);
    timer.stop(stream_);
    stream_.synchronize();
    const int wanted =
        timer.seconds() > kGraphSeconds / 2 ? 1 : static_cast<int>(kGraphSeconds / timer.seconds()) * 2;
    Timed timed{candidate};
    timed.launches = std::clamp(wanted, 1, cache_ == CacheState::warm ? kMostLaunches : copies_);
    cudaGraph_t graph = nullptr;
    check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
    for (int i = 0; i < timed.launches; ++i) candidate.launch(problem, buffers(i % copies_), stream_);
    check(cudaStreamEndCapture(stream_, &graph), "cudaStreamEndCapture");
    check(cudaGraphInstantiate(&timed.graph, graph, 0), "cudaGraphInstantiate");
    check(cudaGraphDestroy(graph), "cudaGraphDestroy");
    return timed;
  }

  /// One after the other, round after round, so that all of them see the same clock.
  void measure(std::vector<Timed>& timed, const Problem& problem) {
    if (mode_ == LaunchMode::plain) return measure_plain(timed, problem);
    constexpr std::size_t kFewestRounds = 7;
    constexpr std::size_t kMostRounds = 400;
    EventTimer timer;
    double spent_s = 0;
    for (std::size_t round = 0; round < kMostRounds && (spent_s < kSecondsPerSize || round < kFewestRounds);
         ++round) {
      for (Timed& each : timed) {
        if (cache_ == CacheState::cold) flush_.enqueue(stream_);
        timer.start(stream_);
        check(cudaGraphLaunch(each.graph, stream_), "cudaGraphLaunch");
        timer.stop(stream_);
        stream_.synchronize();
        spent_s += timer.seconds();
        each.samples_s.push_back(timer.seconds() / each.launches);
      }
    }
  }

  /// Like a point of a plan that sets `launch: plain`, in turns, three times.
  void measure_plain(std::vector<Timed>& timed, const Problem& problem) {
    constexpr int kTurns = 3;
    constexpr TimingTarget kTarget{.relative_half_width = 0.005, .time_limit_s = 0.1};
    for (int turn = 0; turn < kTurns; ++turn) {
      for (Timed& each : timed) {
        TimedWork work{.range_name = each.candidate.name, .cache = cache_};
        work.launch = [&](int) { each.candidate.launch(problem, buffers(0), stream_); };
        for (const double sample_s : timer_.measure(work, kTarget).samples_s)
          each.samples_s.push_back(sample_s);
      }
    }
  }

  static void print(std::uint64_t n, const std::vector<Timed>& timed) {
    if (timed.empty()) return;
    const double cub_s = median(timed.front().samples_s);
    std::vector<std::pair<double, std::string>> order;
    for (const Timed& each : timed) order.emplace_back(median(each.samples_s), each.candidate.name);
    std::ranges::sort(order);
    std::printf("%llu cub %.3f |", static_cast<unsigned long long>(n), cub_s * 1e6);
    for (std::size_t i = 0; i < std::min(kShown, order.size()); ++i) {
      std::printf(" %s %.3f (%.3fx),", order[i].second.c_str(), order[i].first * 1e6, cub_s / order[i].first);
    }
    std::printf("\n");
    std::fflush(stdout);
  }

  Dtype dtype_;
  CacheState cache_;
  LaunchMode mode_;
  Stream stream_;
  DeviceInfo device_;
  Timer timer_;
  CacheFlush flush_;
  DeviceBuffer inputs_;
  DeviceBuffer workspace_;
  DeviceBuffer output_;
  ReferenceSums references_;
  std::size_t stride_bytes_ = 0;
  int copies_ = 1;
};

int tune(int argc, char** argv) {
  const auto dtype = argc > 1 ? enumerator_from<Dtype>(argv[1]) : std::nullopt;
  const auto cache = argc > 2 ? enumerator_from<CacheState>(argv[2]) : std::nullopt;
  const auto mode = argc > 3 ? enumerator_from<LaunchMode>(argv[3]) : std::nullopt;
  if (!dtype || !cache || !mode || argc != 6)
    throw Error(ErrorKind::usage, "usage: tune_sum_best DTYPE cold|warm graph|plain FIRST_POWER LAST_POWER");
  const std::vector<Candidate> candidates = candidates_for(*dtype);
  Tuning tuning(*dtype, *cache, *mode);
  for (int power = std::stoi(argv[4]); power <= std::stoi(argv[5]); ++power)
    tuning.tune(std::uint64_t{1} << power, candidates);
  return 0;
}

}  // namespace
}  // namespace rooflinectl::kernels

int main(int argc, char** argv) {
  try {
    return rooflinectl::kernels::tune(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "tune_sum_best: " << error.what() << "\n";
    return 2;
  }
}
