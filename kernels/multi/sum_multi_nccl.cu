// SPDX-License-Identifier: Apache-2.0
//
// sum_multi_nccl: the sums of all GPUs, added up by NCCL.
//
// - Idea: every GPU adds up its share with the kernel of `sum_best`; then NCCL's all-reduce makes each of the
//   sums the sum of all. This is what programs use that do not care how it is done.
// - Changes from sum_multi_load: a collective in place of events and loads; all GPUs have the result. Timed
//   launch by launch: NCCL may wait for the GPUs.
// - Launch shape: that of `sum_best` for a share, on each GPU; then that of NCCL.
// - Per element: one element read. Over the links: at least one sum from each of the other GPUs.
// - Minimum sm: 7.5; NCCL.
#include "kernels/cuda_check.h"
#include "kernels/multi/multi_sum.h"

namespace rooflinectl::kernels::sum_multi_nccl {

namespace {

void gather(const Team& team, Dtype dtype) {
  team.all_reduce();
  const Member& first = team.members.front();
  check(cudaMemcpyAsync(team.d_output, first.d_partial, size_bytes(accumulator(dtype)),
                        cudaMemcpyDeviceToDevice, first.stream),
        "cudaMemcpyAsync");
  wait_for_members(team);
}

Variant variant() {
  Variant variant = multi_sum(
      "sum_multi_nccl", "multi NCCL", "several GPUs, sums gathered by NCCL's all-reduce",
      {.needs_peer_access = false, .needs_nccl = true, .enqueue = gather, .link_bytes = sums_of_others});
  variant.waits_for_device = true;
  return variant;
}

const Registration registration(variant());

}  // namespace

}  // namespace rooflinectl::kernels::sum_multi_nccl
