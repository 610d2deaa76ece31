// SPDX-License-Identifier: Apache-2.0
//
// sum_multi_load: the sums of all GPUs, loaded by the first one.
//
// - Idea: every GPU adds up its share with the kernel of `sum_best` and leaves the sum in its own memory.
//   When all have done so, one thread of the first GPU loads the sums over the links and adds them up.
// - Changes from sum_best: several GPUs; events between their streams; a second kernel on the first GPU.
// - Launch shape: that of `sum_best` for a share, on each GPU; then one thread.
// - Per element: one element read. Over the links: one sum from each of the other GPUs.
// - Minimum sm: 7.5; peer access between the GPUs.
#include <vector>

#include "kernels/multi/multi_sum.h"

namespace rooflinectl::kernels::sum_multi_load {

namespace {

void gather(const Team& team, Dtype dtype) {
  wait_for_members(team);
  std::vector<const void*> d_sums;
  for (const Member& member : team.members) d_sums.push_back(member.d_partial);
  enqueue_addition(team, dtype, d_sums);
}

const Registration registration(multi_sum("sum_multi_load", "multi load",
                                          "several GPUs, sums gathered by peer loads",
                                          {.enqueue = gather, .link_bytes = sums_of_others}));

}  // namespace

}  // namespace rooflinectl::kernels::sum_multi_load
