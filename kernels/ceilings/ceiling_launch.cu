// SPDX-License-Identifier: Apache-2.0
//
// launch: the time that a launch takes however little it does.
//
// - Idea: an empty kernel.
// - Launch shape: one block per SM.
// - Amount: one launch.
// - Minimum sm: 7.5.
#include "kernels/ceiling.h"
#include "kernels/cuda_check.h"

namespace rooflinectl::kernels::ceiling_launch {

namespace {

__global__ void ceiling_launch() {}

double amount(const CeilingBuffers& /*buffers*/, int /*grid*/, int /*block*/) {
  return 1;
}

void launch(const CeilingBuffers& /*buffers*/, int grid, int block, cudaStream_t stream) {
  ceiling_launch<<<grid, block, 0, stream>>>();
  check_launch("ceiling_launch");
}

const CeilingRegistration registration({.id = std::string(ceiling_id::kLaunch),
                                        .kind = CeilingKind::latency,
                                        .subject = "",
                                        .operation = "launch",
                                        .shapes = {{.blocks_per_sm = 1, .block = 256}},
                                        .amount = amount,
                                        .launch = launch});

}  // namespace

}  // namespace rooflinectl::kernels::ceiling_launch
