// SPDX-License-Identifier: Apache-2.0
// Work that no call of the host launches by itself: CUDA graphs, and kernels that launch.

#include <atomic>

#include "tests/gpu/profiled/program.cuh"

namespace profiled {

struct InGraph;
struct OutsideOfGraph;
struct InLoop;
struct InDeviceGraph;
struct LaunchedByKernel;
struct Captured;
struct BesideCapture;

constexpr int kIterations = 10;

__global__ void loops_again(cudaGraphConditionalHandle handle, int* iteration) {
  *iteration = (*iteration + 1) % kIterations;
  cudaGraphSetConditional(handle, *iteration == 0 ? 0 : 1);
}

__global__ void launches_graph(cudaGraphExec_t graph) {
  cudaGraphLaunch(graph, cudaStreamGraphFireAndForget);
}

__global__ void launches_kernel(Arrays arrays) {
  saxpy_in<LaunchedByKernel><<<static_cast<unsigned>(arrays.count / kBlock), kBlock>>>(arrays);
}

namespace {

/// So many launches of one kernel, as a graph.
template <typename Where>
cudaGraph_t captured(cudaStream_t stream, const Arrays& arrays, int launches) {
  cudaGraph_t graph = nullptr;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int i = 0; i < launches; ++i) saxpy_in<Where><<<arrays.blocks(), kBlock, 0, stream>>>(arrays);
  check(cudaStreamEndCapture(stream, &graph));
  return graph;
}

cudaStream_t new_stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return stream;
}

}  // namespace

/// A graph of three launches, and one launch beside it.
int graph(const Arguments&) {
  const Arrays arrays = new_arrays(kSmall);
  cudaStream_t const stream = new_stream();
  cudaGraphExec_t executable = nullptr;
  check(cudaGraphInstantiate(&executable, captured<InGraph>(stream, arrays, 3), 0));
  repeat_for(kAllPassesS, [&] {
    check(cudaGraphLaunch(executable, stream));
    saxpy_in<OutsideOfGraph><<<arrays.blocks(), kBlock, 0, stream>>>(arrays);
  });
  return 0;
}

/// A graph whose body runs ten times in a launch.
int conditional_graph(const Arguments&) {
  const Arrays arrays = new_arrays(kSmall);
  int* iteration = nullptr;
  check(cudaMalloc(&iteration, sizeof *iteration));
  check(cudaMemset(iteration, 0, sizeof *iteration));
  cudaStream_t const stream = new_stream();
  cudaGraph_t graph = nullptr;
  check(cudaGraphCreate(&graph, 0));
  cudaGraphConditionalHandle handle = 0;
  check(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
  cudaGraphNodeParams parameters{};
  parameters.type = cudaGraphNodeTypeConditional;
  parameters.conditional.handle = handle;
  parameters.conditional.type = cudaGraphCondTypeWhile;
  parameters.conditional.size = 1;
  cudaGraphNode_t node = nullptr;
  check(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &parameters));
  cudaGraph_t body = parameters.conditional.phGraph_out[0];
  check(cudaStreamBeginCaptureToGraph(stream, body, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
  saxpy_in<InLoop><<<arrays.blocks(), kBlock, 0, stream>>>(arrays);
  loops_again<<<1, 1, 0, stream>>>(handle, iteration);
  check(cudaStreamEndCapture(stream, &body));
  cudaGraphExec_t executable = nullptr;
  check(cudaGraphInstantiate(&executable, graph, 0));
  for (int i = 0; i < 200; ++i) {
    check(cudaGraphLaunch(executable, stream));
    check(cudaStreamSynchronize(stream));
  }
  return 0;
}

/// A graph whose kernel launches another graph.
int device_graph(const Arguments&) {
  const Arrays arrays = new_arrays(kSmall);
  cudaStream_t const stream = new_stream();
  cudaGraphExec_t inner = nullptr;
  check(cudaGraphInstantiate(&inner, captured<InDeviceGraph>(stream, arrays, 2),
                             cudaGraphInstantiateFlagDeviceLaunch));
  check(cudaGraphUpload(inner, stream));
  cudaGraph_t outer = nullptr;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  launches_graph<<<1, 1, 0, stream>>>(inner);
  check(cudaStreamEndCapture(stream, &outer));
  cudaGraphExec_t executable = nullptr;
  check(cudaGraphInstantiate(&executable, outer, cudaGraphInstantiateFlagDeviceLaunch));
  for (int i = 0; i < 200; ++i) {
    check(cudaGraphLaunch(executable, stream));
    check(cudaStreamSynchronize(stream));
  }
  return 0;
}

/// A kernel that launches another one.
int nested_launches(const Arguments&) {
  const Arrays arrays = new_arrays(kSmall);
  for (int i = 0; i < 200; ++i) {
    launches_kernel<<<1, 1>>>(arrays);
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
  }
  return 0;
}

/// Captures graphs while another thread launches.
int capture_beside_launches(const Arguments&) {
  const Arrays arrays = new_arrays(kSmall);
  launch_some<Captured>(arrays);  // loads the kernel, which must not be done while a stream is captured
  launch_some<BesideCapture>(arrays);
  std::atomic<bool> is_over = false;
  std::thread other([&] {
    cudaStream_t const stream = new_stream();
    while (!is_over) {
      saxpy_in<BesideCapture><<<arrays.blocks(), kBlock, 0, stream>>>(arrays);
      check(cudaGetLastError());
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  });
  cudaStream_t const stream = new_stream();
  for (int i = 0; i < 50; ++i) {
    cudaGraph_t graph = nullptr;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int launch = 0; launch < 5; ++launch) {
      saxpy_in<Captured><<<arrays.blocks(), kBlock, 0, stream>>>(arrays);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    check(cudaStreamEndCapture(stream, &graph));
    check(cudaGraphDestroy(graph));
  }
  is_over = true;
  other.join();
  check(cudaDeviceSynchronize());
  return 0;
}

}  // namespace profiled
