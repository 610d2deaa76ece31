// SPDX-License-Identifier: Apache-2.0
// CUDA graphs, and what must not disturb their capture.

#include <atomic>

#include "tests/gpu/profiled/program.cuh"

namespace profiled {

struct InGraph;
struct OutsideOfGraph;
struct Captured;
struct BesideCapture;

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
