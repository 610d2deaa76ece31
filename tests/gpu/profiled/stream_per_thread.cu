// SPDX-License-Identifier: Apache-2.0
// Compiled with --default-stream per-thread: CUDA then calls the driver's functions for it, `…_ptsz`.

#include "tests/gpu/profiled/program.cuh"

namespace profiled {

struct StreamPerThread;

/// Two threads at once.
void launch_on_stream_per_thread(const Arrays& arrays) {
  const auto launch = [&] {
    saxpy_in<StreamPerThread><<<arrays.blocks(), kBlock>>>(arrays);
    check(cudaGetLastError());
    check(cudaStreamSynchronize(nullptr));
  };
  std::thread other(launch);
  launch();
  other.join();
}

}  // namespace profiled
