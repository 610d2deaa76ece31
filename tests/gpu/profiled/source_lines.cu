// SPDX-License-Identifier: Apache-2.0
// Compiled with the lines of its source.

#include <vector>

#include "tests/gpu/profiled/program.cuh"

namespace profiled {

/// Each step waits for the load of the one before it.
__global__ void follows(const unsigned* next, int steps, unsigned* last) {
  unsigned at = threadIdx.x;
  for (int step = 0; step < steps; ++step) at = next[at];  // most of the time is spent here
  last[threadIdx.x] = at;
}

/// Launches of a kernel that waits for memory in one of its lines, until its lines were sampled.
int source_lines(const Arguments&) {
  constexpr unsigned kElements = 1U << 26;
  constexpr unsigned kStep = (1U << 20) + 64;  // beyond what L2 holds
  std::vector<unsigned> order(kElements);
  for (unsigned i = 0; i < kElements; ++i) order[i] = (i + kStep) % kElements;
  unsigned* next = nullptr;
  unsigned* last = nullptr;
  check(cudaMalloc(&next, kElements * sizeof(unsigned)));
  check(cudaMalloc(&last, kBlock * sizeof(unsigned)));
  check(cudaMemcpy(next, order.data(), kElements * sizeof(unsigned), cudaMemcpyHostToDevice));
  repeat_for(kAllPassesS + 2, [&] { follows<<<1, kBlock>>>(next, 1000, last); });
  return 0;
}

}  // namespace profiled
