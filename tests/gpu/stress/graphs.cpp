// SPDX-License-Identifier: Apache-2.0
// CUDA graphs. What each does is known, so that every execution is checked.

#include <array>
#include <cstdlib>
#include <memory>
#include <mutex>

#include "tests/gpu/stress/scenarios.h"

namespace stress {

namespace {

Tally& graph_tally() {
  static auto* const tally = new Tally("CUDA graph");
  return *tally;
}

/// Counts a launch of a graph as that of its kernels, unless a profile is to have the graph.
void launched_graph(const std::vector<int>& kernels) {
  static const bool is_whole = std::getenv("STRESS_WHOLE_GRAPHS") != nullptr;
  if (is_whole) return graph_tally().add();
  for (const int kernel : kernels) launched(kernel);
}

/// A graph, what an execution of it does to the lane, and which kernels it launches.
struct Known {
  cudaGraph_t graph = nullptr;
  Effect effect;
  std::vector<int> kernels;
};

struct Launched {
  int number;
  unsigned grid;
};

std::vector<Launched> some_launches(Random& random, int count, int kernels) {
  std::vector<Launched> result;
  for (int i = 0; i < count; ++i) {
    result.push_back({random.below(kernels), static_cast<unsigned>(random.between(1, 100))});
  }
  return result;
}

Known captured(cudaStream_t stream, cudaStreamCaptureMode mode, const std::vector<Launched>& launches,
               const Lane& lane, bool has_memset) {
  Known known;
  check(cudaStreamBeginCapture(stream, mode), "cudaStreamBeginCapture");
  if (has_memset) {
    const Data data = lane.data();
    check(cudaMemsetAsync(data.d_elements, 7, data.count * sizeof(unsigned), stream), "cudaMemsetAsync");
    known.effect = {.factor = 0, .summand = 0x07070707U};
  }
  for (const auto& [number, grid] : launches) {
    check(launch(number, grid, lane.data(), stream), "captured launch");
    known.effect = known.effect.then(effect_of(number, grid));
    known.kernels.push_back(number);
  }
  check(cudaStreamEndCapture(stream, &known.graph), "cudaStreamEndCapture");
  return known;
}

cudaKernelNodeParams node_of(const Launched& launched, void** arguments) {
  cudaKernelNodeParams params{};
  params.func = reinterpret_cast<void*>(kernel(launched.number));
  params.gridDim = dim3(launched.grid);
  params.blockDim = dim3(kBlock);
  params.kernelParams = arguments;
  return params;
}

/// Built node by node: kernels in a row, a copy to other memory and back between them, and a child graph.
struct Built {
  cudaGraph_t graph = nullptr;
  std::vector<cudaGraphNode_t> kernels;
  std::vector<Launched> launches;  // of these
  std::vector<bool> are_enabled;
  cudaGraphNode_t child = nullptr;
  std::vector<Launched> of_child;

  Known known() const {
    Known all{.graph = graph, .effect = {}, .kernels = {}};
    const auto add = [&](const Launched& launched) {
      all.effect = all.effect.then(effect_of(launched.number, launched.grid));
      all.kernels.push_back(launched.number);
    };
    for (std::size_t i = 0; i < launches.size(); ++i) {
      if (are_enabled[i]) add(launches[i]);
    }
    for (const Launched& launched : of_child) add(launched);
    return all;
  }
};

/// A graph that is to be a node of another one, which copies it.
cudaGraph_t child_graph(const std::vector<Launched>& launches, const Lane& lane) {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const Known child = captured(stream, cudaStreamCaptureModeRelaxed, launches, lane, false);
  check(cudaStreamDestroy(stream));
  return child.graph;
}

Built built(Random& random, const Lane& lane, unsigned* d_other) {
  Built result;
  check(cudaGraphCreate(&result.graph, 0));
  cudaGraph_t const graph = result.graph;
  Data data = lane.data();
  void* arguments[] = {&data};
  cudaGraphNode_t last = nullptr;
  const auto after = [&](cudaGraphNode_t node) { last = node; };
  const auto dependencies = [&] { return last == nullptr ? nullptr : &last; };
  const auto count = [&] { return last == nullptr ? std::size_t{0} : std::size_t{1}; };
  const auto add_kernel = [&](const Launched& launched) {
    const cudaKernelNodeParams params = node_of(launched, arguments);
    cudaGraphNode_t node = nullptr;
    check(cudaGraphAddKernelNode(&node, graph, dependencies(), count(), &params), "cudaGraphAddKernelNode");
    after(node);
    result.kernels.push_back(node);
    result.launches.push_back(launched);
    result.are_enabled.push_back(true);
  };
  const auto add_copy = [&](unsigned* d_to, const unsigned* d_from) {
    cudaGraphNode_t node = nullptr;
    check(cudaGraphAddMemcpyNode1D(&node, graph, dependencies(), count(), d_to, d_from,
                                   data.count * sizeof(unsigned), cudaMemcpyDeviceToDevice),
          "cudaGraphAddMemcpyNode1D");
    after(node);
  };
  for (const Launched& launched : some_launches(random, random.between(1, 4), kKernels)) add_kernel(launched);
  add_copy(d_other, data.d_elements);
  cudaMemsetParams memset{};
  memset.dst = data.d_elements;
  memset.value = 1;
  memset.elementSize = 4;
  memset.width = data.count;
  memset.height = 1;
  cudaGraphNode_t node = nullptr;
  check(cudaGraphAddMemsetNode(&node, graph, dependencies(), count(), &memset), "cudaGraphAddMemsetNode");
  after(node);
  add_copy(data.d_elements, d_other);
  if (random.one_in(2)) {
    result.of_child = some_launches(random, 2, kKernels);
    cudaGraph_t const child = child_graph(result.of_child, lane);
    check(cudaGraphAddChildGraphNode(&result.child, graph, dependencies(), count(), child),
          "cudaGraphAddChildGraphNode");
    check(cudaGraphDestroy(child));
  }
  return result;
}

void launch_graph(cudaGraphExec_t executable, cudaStream_t stream, const Known& known, int times,
                  Lane& lane) {
  for (int i = 0; i < times; ++i) {
    check(cudaGraphLaunch(executable, stream), "cudaGraphLaunch");
    launched_graph(known.kernels);
    lane.expect(known.effect);
  }
}

/// A captured graph, updated to another capture of as many kernels.
void captured_round(Random& random, cudaStream_t capturing, cudaStream_t stream, Lane& lane) {
  const bool has_memset = random.one_in(3);
  const int kernels = random.between(1, 20);
  const auto mode = random.one_in(2) ? cudaStreamCaptureModeThreadLocal : cudaStreamCaptureModeRelaxed;
  Known known = captured(capturing, mode, some_launches(random, kernels, kKernels), lane, has_memset);
  cudaGraphExec_t executable = nullptr;
  check(cudaGraphInstantiate(&executable, known.graph, 0), "cudaGraphInstantiate");
  for (int update = random.below(4); update >= 0; --update) {
    launch_graph(executable, stream, known, random.between(1, 10), lane);
    if (random.one_in(3)) lane.launch(random.below(kKernels), 8, stream);
    if (update == 0) break;
    check(cudaGraphDestroy(known.graph));
    known = captured(capturing, mode, some_launches(random, kernels, kKernels), lane, has_memset);
    cudaGraphExecUpdateResultInfo result{};
    if (cudaGraphExecUpdate(executable, known.graph, &result) != cudaSuccess) {
      // Kernels of other resources may need another graph.
      cudaGetLastError();
      check(cudaGraphExecDestroy(executable));
      check(cudaGraphInstantiate(&executable, known.graph, 0), "cudaGraphInstantiate");
    }
  }
  if (random.one_in(2)) check(cudaStreamSynchronize(stream));
  check(cudaGraphDestroy(known.graph));
  check(cudaGraphExecDestroy(executable));  // maybe while it runs
}

/// Gives kernels of the graph other grids, or leaves one out.
void change(Random& random, cudaGraphExec_t executable, Built& graph, const Lane& lane) {
  const auto changed = static_cast<std::size_t>(random.below(static_cast<int>(graph.kernels.size())));
  if (random.one_in(3)) {
    graph.are_enabled[changed] = !graph.are_enabled[changed];
    check(cudaGraphNodeSetEnabled(executable, graph.kernels[changed], graph.are_enabled[changed] ? 1 : 0),
          "cudaGraphNodeSetEnabled");
  }
  Data data = lane.data();
  void* arguments[] = {&data};
  graph.launches[changed].grid = static_cast<unsigned>(random.between(1, 200));
  const cudaKernelNodeParams params = node_of(graph.launches[changed], arguments);
  check(cudaGraphExecKernelNodeSetParams(executable, graph.kernels[changed], &params),
        "cudaGraphExecKernelNodeSetParams");
  if (graph.child == nullptr) return;
  for (Launched& launched : graph.of_child) launched.grid = static_cast<unsigned>(random.between(1, 200));
  cudaGraph_t const child = child_graph(graph.of_child, lane);
  check(cudaGraphExecChildGraphNodeSetParams(executable, graph.child, child),
        "cudaGraphExecChildGraphNodeSetParams");
  check(cudaGraphDestroy(child));
}

/// A graph that is changed between launches.
void built_round(Random& random, cudaStream_t stream, Lane& lane, unsigned* d_other) {
  Built graph = built(random, lane, d_other);
  cudaGraphExec_t executable = nullptr;
  check(cudaGraphInstantiate(&executable, graph.graph, 0), "cudaGraphInstantiate");
  for (int update = random.below(4); update >= 0; --update) {
    launch_graph(executable, stream, graph.known(), random.between(1, 6), lane);
    if (update > 0) change(random, executable, graph, lane);
  }
  check(cudaGraphDestroy(graph.graph));
  if (random.one_in(2)) check(cudaStreamSynchronize(stream));
  check(cudaGraphExecDestroy(executable));
}

class NonBlockingStream {
 public:
  NonBlockingStream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~NonBlockingStream() { check(cudaStreamDestroy(stream_)); }
  NonBlockingStream(const NonBlockingStream&) = delete;
  NonBlockingStream& operator=(const NonBlockingStream&) = delete;
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

class Event {
 public:
  Event() { check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming)); }
  ~Event() { check(cudaEventDestroy(event_)); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  operator cudaEvent_t() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

/// Two branches, each with the memory of its own lane, and a kernel behind both.
void branched_round(Random& random, cudaStream_t capturing, cudaStream_t stream, Lane& lane, Lane& other) {
  const NonBlockingStream branch;
  const Event fork;
  const Event join;
  Known known;
  Known of_other;
  const auto add = [&](Known& to, const Lane& of, cudaStream_t on) {
    for (const auto& [number, grid] : some_launches(random, random.between(1, 5), kKernels)) {
      check(launch(number, grid, of.data(), on), "captured launch");
      to.effect = to.effect.then(effect_of(number, grid));
      known.kernels.push_back(number);
    }
  };
  check(cudaStreamBeginCapture(capturing, cudaStreamCaptureModeRelaxed), "cudaStreamBeginCapture");
  check(cudaEventRecord(fork, capturing));
  check(cudaStreamWaitEvent(branch, fork, 0));
  add(of_other, other, branch);
  add(known, lane, capturing);
  check(cudaEventRecord(join, branch));
  check(cudaStreamWaitEvent(capturing, join, 0));
  add(of_other, other, capturing);
  check(cudaStreamEndCapture(capturing, &known.graph), "cudaStreamEndCapture");
  cudaGraphExec_t executable = nullptr;
  check(cudaGraphInstantiate(&executable, known.graph, 0), "cudaGraphInstantiate");
  for (int i = random.between(1, 8); i > 0; --i) {
    launch_graph(executable, stream, known, 1, lane);
    other.expect(of_other.effect);
    if (random.one_in(3)) other.launch(random.below(kKernels), 8, stream);
  }
  check(cudaGraphDestroy(known.graph));
  check(cudaGraphExecDestroy(executable));  // maybe while it runs
}

}  // namespace

std::string graphs(Random random, int rounds) {
  Lane lane;
  Lane other;
  const NonBlockingStream capturing;
  const NonBlockingStream stream;
  unsigned* d_other = nullptr;
  check(cudaMalloc(&d_other, lane.data().count * sizeof(unsigned)));
  for (int i = 0; i < rounds; ++i) {
    if (random.one_in(3)) {
      built_round(random, stream, lane, d_other);
    } else if (random.one_in(4)) {
      branched_round(random, capturing, stream, lane, other);
    } else {
      captured_round(random, random.one_in(2) ? capturing : stream, stream, lane);
    }
  }
  const std::uint64_t checksum = lane.check(stream);
  const std::uint64_t checksum_of_other = other.check(stream);
  check(cudaFree(d_other));
  return text("%d graphs, checksums %016llx and %016llx", rounds, static_cast<unsigned long long>(checksum),
              static_cast<unsigned long long>(checksum_of_other));
}

int graphs_in_threads(const Plan& plan) {
  Random random(plan.seed);
  std::vector<Part> parts;
  for (int i = random.between(1, 4); i > 0; --i) {
    parts.push_back(
        {"graphs", [part = random.split(), rounds = plan.times(400)] { return graphs(part, rounds); }});
  }
  for (int i = random.below(4); i > 0; --i) {
    parts.push_back({"lasting streams", [part = random.split(), launches = plan.times(10000)] {
                       return lasting_streams(part, launches);
                     }});
  }
  run_parts(parts);
  return 0;
}

/// Captures in each mode while other threads launch. In the global mode nobody may allocate, load a kernel or
/// wait for a stream meanwhile, unless a thread says that it knows what it does: those that launch do.
int captures(const Plan& plan) {
  constexpr int kLoaded = 64;
  Random random(plan.seed);
  std::vector<std::unique_ptr<Lane>> lanes;
  const std::array<NonBlockingStream, 4> streams;
  for (std::size_t i = 0; i < streams.size(); ++i) lanes.push_back(std::make_unique<Lane>());
  for (int number = 0; number < kLoaded; ++number) lanes[0]->launch(number, 1, nullptr);
  check(cudaDeviceSynchronize());
  std::vector<Part> parts;
  parts.push_back(
      {"captures", [&, part = random.split()]() mutable {
         Lane& lane = *lanes[0];
         cudaStream_t const stream = streams[0];
         constexpr cudaStreamCaptureMode kModes[] = {
             cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed};
         const int captures = plan.times(300);
         for (int i = 0; i < captures; ++i) {
           const Known known = captured(stream, kModes[part.below(3)],
                                        some_launches(part, part.between(1, 100), kLoaded), lane, false);
           if (part.one_in(2)) {
             cudaGraphExec_t executable = nullptr;
             check(cudaGraphInstantiate(&executable, known.graph, 0), "cudaGraphInstantiate");
             launch_graph(executable, stream, known, 2, lane);
             check(cudaStreamSynchronize(stream));
             check(cudaGraphExecDestroy(executable));
           }
           check(cudaGraphDestroy(known.graph));
         }
         return text("%d captures, checksum %016llx", captures,
                     static_cast<unsigned long long>(lane.check(stream)));
       }});
  for (std::size_t i = 1; i < lanes.size(); ++i) {
    parts.push_back(
        {"launches", [&plan, &lane = *lanes[i], &stream = streams[i], part = random.split()]() mutable {
           cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
           check(cudaThreadExchangeStreamCaptureMode(&mode), "cudaThreadExchangeStreamCaptureMode");
           const int launches = plan.times(30000);
           for (int j = 0; j < launches; ++j) {
             lane.launch(part.below(kLoaded), static_cast<unsigned>(part.between(1, 1000)), stream);
             if (j % 32 == 31) check(cudaStreamSynchronize(stream));
           }
           check(cudaStreamSynchronize(stream));
           return text("%d launches", launches);
         }});
  }
  run_parts(parts);
  for (std::size_t i = 1; i < lanes.size(); ++i) {
    say(text("checksum %016llx", static_cast<unsigned long long>(lanes[i]->check(nullptr))));
  }
  return 0;
}

/// One executable graph, launched by several threads in turn on streams of their own. Its executions are in
/// the order of the launches; all do the same.
int shared_graph(const Plan& plan) {
  Random random(plan.seed);
  Lane lane;
  const NonBlockingStream capturing;
  const Known known = captured(capturing, cudaStreamCaptureModeThreadLocal,
                               some_launches(random, random.between(1, 30), kKernels), lane, false);
  cudaGraphExec_t executable = nullptr;
  check(cudaGraphInstantiate(&executable, known.graph, 0), "cudaGraphInstantiate");
  std::mutex turn;
  std::vector<Part> parts;
  for (int i = random.between(2, 6); i > 0; --i) {
    parts.push_back({"shared graph", [&, part = random.split()]() mutable {
                       const NonBlockingStream stream;
                       Lane own;
                       const int launches = plan.times(2000);
                       for (int j = 0; j < launches; ++j) {
                         {
                           const std::lock_guard lock(turn);
                           launch_graph(executable, stream, known, 1, lane);
                         }
                         if (part.one_in(4)) own.launch(part.below(kKernels), 16, stream);
                         if (part.one_in(16)) check(cudaStreamSynchronize(stream));
                       }
                       return text("%d launches, checksum %016llx", launches,
                                   static_cast<unsigned long long>(own.check(stream)));
                     }});
  }
  run_parts(parts);
  check(cudaDeviceSynchronize());
  say(text("checksum %016llx", static_cast<unsigned long long>(lane.check(capturing))));
  check(cudaGraphExecDestroy(executable));
  check(cudaGraphDestroy(known.graph));
  return 0;
}

/// Executable graphs that threads make, launch once and destroy, all the time.
int new_graphs(const Plan& plan) {
  constexpr int kThreads = 8;
  constexpr int kFewKernels = 16;
  Random random(plan.seed);
  std::vector<Part> parts;
  for (int i = 0; i < kThreads; ++i) {
    parts.push_back({"new graphs", [&plan, part = random.split()]() mutable {
                       const NonBlockingStream stream;
                       Lane lane;
                       const Known known = captured(stream, cudaStreamCaptureModeThreadLocal,
                                                    some_launches(part, part.between(1, 6), kFewKernels),
                                                    lane, part.one_in(2));
                       const int rounds = plan.times(2000);
                       for (int j = 0; j < rounds; ++j) {
                         cudaGraphExec_t executable = nullptr;
                         check(cudaGraphInstantiate(&executable, known.graph, 0), "cudaGraphInstantiate");
                         launch_graph(executable, stream, known, 1, lane);
                         if (part.one_in(16)) check(cudaStreamSynchronize(stream));
                         check(cudaGraphExecDestroy(executable));  // maybe while it runs
                       }
                       check(cudaGraphDestroy(known.graph));
                       return text("%d graphs, checksum %016llx", rounds,
                                   static_cast<unsigned long long>(lane.check(stream)));
                     }});
  }
  run_parts(parts);
  return 0;
}

}  // namespace stress
