// SPDX-License-Identifier: Apache-2.0
// Compiled with --default-stream per-thread: CUDA then calls the driver's functions for it, `…_ptsz`.

#include "tests/gpu/stress/lanes.h"

namespace stress {

cudaError_t launch_on_default_stream_per_thread(Kernel kernel, unsigned grid, Data data) {
  kernel<<<grid, kBlock>>>(data);
  return cudaGetLastError();
}

}  // namespace stress
