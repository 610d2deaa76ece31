// SPDX-License-Identifier: Apache-2.0
//
// sum_multi_host: the sums of all GPUs, copied through the host.
//
// - Idea: every GPU copies its sum into pinned memory of the host. When all have arrived, the first GPU
//   copies them from there and adds them up.
// - Changes from sum_multi_load: copies over PCIe, which need no peer access.
// - Launch shape: that of `sum_best` for a share, on each GPU; then one thread.
// - Per element: one element read. Over PCIe: the sum of each GPU to the host, and all of them back.
// - Minimum sm: 7.5.
#include <vector>

#include "kernels/cuda_check.h"
#include "kernels/multi/multi_sum.h"

namespace rooflinectl::kernels::sum_multi_host {

namespace {

void gather(const Team& team, Dtype dtype) {
  const std::size_t sum_bytes = size_bytes(accumulator(dtype));
  auto* h_slot = static_cast<std::byte*>(team.h_slots);
  for (const Member& member : team.members) {
    check(cudaSetDevice(member.device), "cudaSetDevice");
    check(cudaMemcpyAsync(h_slot, member.d_partial, sum_bytes, cudaMemcpyDeviceToHost, member.stream),
          "cudaMemcpyAsync");
    h_slot += sum_bytes;
  }
  wait_for_members(team);
  const std::size_t gpus = team.members.size();
  check(cudaMemcpyAsync(team.d_slots, team.h_slots, gpus * sum_bytes, cudaMemcpyHostToDevice,
                        team.members.front().stream),
        "cudaMemcpyAsync");
  std::vector<const void*> d_sums;
  for (std::size_t gpu = 0; gpu < gpus; ++gpu) {
    d_sums.push_back(static_cast<const std::byte*>(team.d_slots) + gpu * sum_bytes);
  }
  enqueue_addition(team, dtype, d_sums);
}

double link_bytes(Dtype /*dtype*/, int /*gpus*/) {
  return 0;
}

const Registration registration(
    multi_sum("sum_multi_host", "multi host", "several GPUs, sums gathered through the host",
              {.needs_peer_access = false, .enqueue = gather, .link_bytes = link_bytes}));

}  // namespace

}  // namespace rooflinectl::kernels::sum_multi_host
