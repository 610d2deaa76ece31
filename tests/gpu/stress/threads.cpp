// SPDX-License-Identifier: Apache-2.0
// Many threads launch ever new kernels with ever new grids, on streams that stay or pass.

#include <algorithm>

#include "tests/gpu/stress/scenarios.h"

namespace stress {

namespace {

constexpr int kThreads = 4;

/// Kernels become available evenly in time: one that was never launched comes as soon as there is one.
class Pool {
 public:
  Pool(Random& random, int first, int step) : random_(random), next_(first), step_(step) {}

  int pick(double progress) {
    const int available = std::clamp(1 + static_cast<int>(progress * kKernels), 1, kKernels);
    if (next_ < available) {
      const int number = next_;
      next_ += step_;
      return number;
    }
    return random_.below(available);
  }

 private:
  Random& random_;
  int next_;
  int step_;
};

/// A thread of `phased`: new kernels in three bursts, with pauses in which what counts kernels may come to an
/// end. Two threads are busy, two launch now and then, and most new kernels come from those.
std::string burst(const Plan& plan, Random random, int thread) {
  constexpr int kBursts = 3;
  const bool is_busy = thread < kThreads / 2;
  const int launches = plan.times(is_busy ? 60000 : 3000);
  Lane lane;
  Stream stream(random, false);
  Pool pool(random, thread, kThreads);
  for (int i = 0; i < kBursts * launches; ++i) {
    if (i > 0 && i % launches == 0) {
      stream.wait();
      pause(plan, 2.3);
    }
    lane.launch(pool.pick(1.0 * i / (kBursts * launches)), 64, stream);
    if (!is_busy) pause(plan, 0.0004);
    if (i % 32 == 31) stream.wait();
  }
  return text("%d launches, checksum %016llx", kBursts * launches,
              static_cast<unsigned long long>(lane.check(stream)));
}

/// A thread of `groups`: few kernels, with the grids of thousands of shapes.
std::string new_grids(const Plan& plan, Random random, int thread) {
  constexpr int kMostGrids = 4000;
  const int launches = plan.times(2000);
  Lane lane;
  Stream stream(random, false);
  for (int i = 0; i < launches; ++i) {
    lane.launch(random.below(8), static_cast<unsigned>(1 + (thread + kThreads * i) % kMostGrids), stream);
    pause(plan, 0.001);
    if (i % 16 == 15) stream.wait();
  }
  return text("%d launches, checksum %016llx", launches, static_cast<unsigned long long>(lane.check(stream)));
}

template <typename Thread>
int in_threads(const Plan& plan, const char* name, Thread thread) {
  Random random(plan.seed);
  std::vector<Part> parts;
  for (int i = 0; i < kThreads; ++i) {
    parts.push_back({name, [&plan, part = random.split(), i, thread] { return thread(plan, part, i); }});
  }
  run_parts(parts);
  return 0;
}

}  // namespace

std::string lasting_streams(Random random, int launches) {
  Lane lane(static_cast<unsigned>(1 << random.between(8, 18)));
  Stream stream(random);
  const bool is_per_thread = static_cast<cudaStream_t>(stream) == cudaStreamPerThread;
  const int most_grids = random.one_in(3) ? 2000 : 16;
  const int between_waits = 1 << random.between(0, 9);
  Pool pool(random, random.below(8), random.between(1, 8));
  for (int i = 0; i < launches; ++i) {
    const int number = pool.pick(1.0 * i / launches);
    const auto grid = static_cast<unsigned>(random.between(1, most_grids));
    if (is_per_thread && random.one_in(2)) {
      check(launch_on_default_stream_per_thread(kernel(number), grid, lane.data()), "launch");
      launched(number);
      lane.expect(effect_of(number, grid));
    } else {
      lane.launch(number, grid, stream);
    }
    if (random.one_in(50)) lane.set(static_cast<unsigned char>(random.below(256)), stream);
    if (i % between_waits == 0) stream.wait();
  }
  return text("%d launches, checksum %016llx", launches, static_cast<unsigned long long>(lane.check(stream)));
}

std::string passing_streams(Random random, int rounds) {
  Lane lane;
  Pool pool(random, random.below(8), random.between(1, 8));
  Stream last(random, false);
  cudaEvent_t done = nullptr;
  check(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
  check(cudaEventRecord(done, last));
  for (int i = 0; i < rounds; ++i) {
    const Stream stream(random, false);
    check(cudaStreamWaitEvent(stream, done, 0), "cudaStreamWaitEvent");
    for (int j = 0; j < 4; ++j) {
      lane.launch_apart(pool.pick(1.0 * i / rounds), static_cast<unsigned>(random.between(1, 512)), stream);
    }
    lane.launch(pool.pick(1.0 * i / rounds), 64, stream);
    if (random.one_in(4)) {
      check(cudaEventDestroy(done));
      check(cudaEventCreateWithFlags(&done, random.one_in(2) ? cudaEventDisableTiming : cudaEventDefault));
    }
    check(cudaEventRecord(done, stream));
    if (random.one_in(3)) stream.wait();
    if (random.one_in(16)) check(cudaEventSynchronize(done));
  }
  check(cudaStreamWaitEvent(last, done, 0));
  // What is apart may still run on streams that were destroyed, but each of those had the round's last launch
  // after it.
  const std::uint64_t checksum = lane.check(last);
  check(cudaEventDestroy(done));
  return text("%d streams, checksum %016llx", rounds, static_cast<unsigned long long>(checksum));
}

int threads(const Plan& plan) {
  Random random(plan.seed);
  std::vector<Part> parts;
  for (int i = random.between(2, 10); i > 0; --i) {
    parts.push_back(
        {"lasting streams", [part = random.split(), launches = plan.times(random.between(2000, 20000))] {
           return lasting_streams(part, launches);
         }});
  }
  run_parts(parts);
  return 0;
}

int phased(const Plan& plan) {
  return in_threads(plan, "phased", burst);
}

int groups(const Plan& plan) {
  return in_threads(plan, "groups", new_grids);
}

int streams(const Plan& plan) {
  return in_threads(plan, "streams", [](const Plan& the_plan, Random random, int) {
    return passing_streams(random, the_plan.times(8000));
  });
}

}  // namespace stress
