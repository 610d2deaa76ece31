// SPDX-License-Identifier: Apache-2.0
// Kernels that take long, and kernels that wait for what is done only after they were launched. They give up
// after 2 s.

#include <array>
#include <thread>
#include <vector>

#include "tests/gpu/stress/scenarios.h"

namespace stress {

__device__ inline unsigned long long nanoseconds() {
  unsigned long long time = 0;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time));
  return time;
}

/// Runs for that long; a number in the name makes them different kernels.
template <int kNumber>
__global__ void runs_for(unsigned milliseconds, unsigned long long* d_sum) {
  const unsigned long long start = nanoseconds();
  while (nanoseconds() - start < milliseconds * 1'000'000ULL) {
  }
  if (threadIdx.x == 0) atomicAdd(d_sum, kNumber + 1ULL);
}

__global__ void waits_for_flag(const volatile int* flag, int value, int* gave_up) {
  const unsigned long long start = nanoseconds();
  while (*flag < value) {
    if (nanoseconds() - start < 2'000'000'000ULL) continue;
    ++*gave_up;
    return;
  }
}

__global__ void adds_one(unsigned long long* d_sum) {
  atomicAdd(d_sum, 1ULL);
}

__global__ void sets_flag(volatile int* flag, int value) {
  *flag = value;
  __threadfence_system();
}

namespace {

struct Tallies {
  std::array<Tally, 3> runs{Tally("runs_for<0>"), Tally("runs_for<1>"), Tally("runs_for<2>")};
  Tally waits{"waits_for_flag"};
  Tally sets{"sets_flag"};
};

Tallies& tallies() {
  static auto* const all = new Tallies;
  return *all;
}

cudaStream_t new_stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return stream;
}

/// Memory of the host that kernels see.
struct Flags {
  volatile int* flag = nullptr;
  int* gave_up = nullptr;

  Flags() {
    int* both = nullptr;
    check(cudaHostAlloc(&both, 2 * sizeof(int), cudaHostAllocMapped | cudaHostAllocPortable));
    both[0] = both[1] = 0;
    flag = both;
    gave_up = both + 1;
  }
};

void launch_waiting(const Flags& flags, int value, cudaStream_t stream) {
  waits_for_flag<<<1, 1, 0, stream>>>(flags.flag, value, flags.gave_up);
  check(cudaGetLastError(), "launch");
  tallies().waits.add();
}

void launch_setting(const Flags& flags, int value, cudaStream_t stream) {
  sets_flag<<<1, 1, 0, stream>>>(flags.flag, value);
  check(cudaGetLastError(), "launch");
  tallies().sets.add();
}

/// A kernel of this thread waits for one that another thread launches later, or for this thread to write,
/// beside launches.
std::string waiting(Random random, int rounds, Lane& lane, const Flags& flags,
                    const std::array<cudaStream_t, 3>& streams) {
  for (int round = 1; round <= rounds; ++round) {
    launch_waiting(flags, round, streams[0]);
    for (int i = random.below(4); i > 0; --i) lane.launch(random.below(kKernels), 8, streams[2]);
    if (random.one_in(2)) {
      std::thread([&] { launch_setting(flags, round, streams[1]); }).join();
    } else {
      if (random.one_in(2)) std::this_thread::sleep_for(std::chrono::milliseconds(random.below(80)));
      *flags.flag = round;
    }
    check(cudaStreamSynchronize(streams[0]));
    check(cudaStreamSynchronize(streams[1]));
  }
  return text("%d rounds", rounds);
}

/// What waits for this thread is the first of more nodes than the driver takes while the GPU waits.
std::string waiting_graph(Random random, int rounds, const Flags& flags, cudaStream_t stream) {
  unsigned long long* d_sum = nullptr;
  check(cudaMalloc(&d_sum, sizeof *d_sum));
  check(cudaMemset(d_sum, 0, sizeof *d_sum));
  unsigned long long added = 0;
  for (int round = 1; round <= rounds; ++round) {
    const int nodes = random.between(600, 3000);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    waits_for_flag<<<1, 1, 0, stream>>>(flags.flag, round, flags.gave_up);
    for (int i = 0; i < nodes; ++i) adds_one<<<1, 32, 0, stream>>>(d_sum);
    check(cudaStreamEndCapture(stream, &graph));
    check(cudaGraphInstantiate(&executable, graph, 0));
    for (int launch = random.between(1, 4); launch > 0; --launch) {
      *flags.flag = round - 1;
      check(cudaGraphLaunch(executable, stream));
      if (random.one_in(2)) std::this_thread::sleep_for(std::chrono::milliseconds(random.below(80)));
      *flags.flag = round;
      check(cudaStreamSynchronize(stream));
      added += 32ULL * nodes;
    }
    check(cudaGraphExecDestroy(executable));
    check(cudaGraphDestroy(graph));
  }
  unsigned long long sum = 0;
  check(cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost));
  if (sum != added) wrong("%llu were added, not %llu", sum, added);
  return text("%d rounds, sum %llu", rounds, sum);
}

}  // namespace

/// Once, five times and last, between many short ones.
int long_kernels(const Plan& plan) {
  Random random(plan.seed);
  run_parts({{"long kernels", [&] {
                Lane lane;
                Stream stream(random);
                const auto run_long = [&](auto kernel, std::size_t number, unsigned milliseconds) {
                  kernel<<<8, 32, 0, stream>>>(milliseconds, lane.data().d_sum);
                  check(cudaGetLastError(), "launch");
                  tallies().runs[number].add();
                  lane.expect({.sum = (number + 1) * 8});
                };
                run_long(runs_for<0>, 0, 200);
                for (int repeat = 0; repeat < 5; ++repeat) {
                  run_long(runs_for<1>, 1, 100);
                  for (int i = plan.times(4000); i > 0; --i) {
                    lane.launch(random.below(20), 64, stream);
                    if (i % 100 == 0) stream.wait();
                  }
                }
                run_long(runs_for<2>, 2, static_cast<unsigned>(random.between(40, 300)));
                return text("checksum %016llx", static_cast<unsigned long long>(lane.check(stream)));
              }}});
  return 0;
}

/// With CUDA_MODULE_LOADING=EAGER, without which loading a kernel may wait for those that run.
int waiting_kernels(const Plan& plan) {
  setenv("CUDA_MODULE_LOADING", "EAGER", 1);  // before CUDA is up
  Random random(plan.seed);
  constexpr std::size_t kMost = 3;
  const auto count = static_cast<std::size_t>(random.between(1, kMost));
  std::array<Lane, kMost> lanes;
  std::array<Flags, kMost> flags;
  std::array<std::array<cudaStream_t, 3>, kMost> streams{};
  std::vector<Part> parts;
  for (std::size_t i = 0; i < count; ++i) {
    for (cudaStream_t& stream : streams[i]) stream = new_stream();
    parts.push_back({"waiting", [&, i, part = random.split(), rounds = plan.times(60)] {
                       return waiting(part, rounds, lanes[i], flags[i], streams[i]);
                     }});
  }
  run_parts(parts);
  for (std::size_t i = 0; i < count; ++i) {
    say(text("%d gave up, checksum %016llx", *flags[i].gave_up,
             static_cast<unsigned long long>(lanes[i].check(streams[i][2]))));
    if (*flags[i].gave_up != 0) wrong("kernels waited in vain");
  }
  return 0;
}

/// A thread for each GPU launches new kernels, and one that waits for a kernel on the next GPU.
int devices(const Plan& plan) {
  setenv("CUDA_MODULE_LOADING", "EAGER", 1);
  Random random(plan.seed);
  int count = 0;
  check(cudaGetDeviceCount(&count));
  const std::vector<Flags> flags(count);
  std::vector<Part> parts;
  for (int device = 0; device < count; ++device) {
    parts.push_back({"device", [&, device, part = random.split(), rounds = plan.times(100)]() mutable {
                       check(cudaSetDevice(device));
                       Lane lane;
                       const cudaStream_t waits = new_stream();
                       const cudaStream_t sets = new_stream();
                       const cudaStream_t stream = new_stream();
                       for (int round = 1; round <= rounds; ++round) {
                         launch_setting(flags[(device + count - 1) % count], round, sets);
                         for (int i = part.below(8); i > 0; --i)
                           lane.launch(part.below(kKernels), part.between(1, 64), stream);
                         launch_waiting(flags[device], round, waits);
                         for (int i = part.below(4); i > 0; --i) lane.launch(part.below(kKernels), 8, stream);
                         check(cudaStreamSynchronize(waits));
                       }
                       return text("checksum %016llx", static_cast<unsigned long long>(lane.check(stream)));
                     }});
  }
  run_parts(parts);
  int gave_up = 0;
  for (const Flags& one : flags) gave_up += *one.gave_up;
  say(text("%d gave up", gave_up));
  if (gave_up != 0) wrong("kernels waited in vain");
  return 0;
}

int waiting_graphs(const Plan& plan) {
  setenv("CUDA_MODULE_LOADING", "EAGER", 1);
  const Flags flags;
  run_parts({{"waiting graphs",
              [&] { return waiting_graph(Random(plan.seed), plan.times(12), flags, new_stream()); }}});
  say(text("%d gave up", *flags.gave_up));
  if (*flags.gave_up != 0) wrong("kernels waited in vain");
  write_launches("more");  // kernels of graphs, or graphs
  return 0;
}

}  // namespace stress
