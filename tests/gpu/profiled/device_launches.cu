// SPDX-License-Identifier: Apache-2.0
// Work that the device launches: bodies of conditional nodes, graphs and kernels that kernels launch. A
// program of its own, as MPS runs no program with kernels that launch others.

#include "tests/gpu/profiled/program.cuh"

namespace profiled {

struct InLoop;
struct InDeviceGraph;
struct LaunchedByKernel;

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

}  // namespace
}  // namespace profiled

int main(int argc, char** argv) {
  using namespace profiled;
  return run_program({{"conditional-graph", conditional_graph},
                      {"device-graph", device_graph},
                      {"nested-launches", nested_launches}},
                     argc, argv);
}
