// SPDX-License-Identifier: Apache-2.0
//
// sum_multi_best: the fastest sum over several GPUs.
//
// - Idea: the kernel of `sum_best` on each GPU, and the fastest way to gather: peer stores and flags.
// - Changes from the others: none beyond the choice.
// - Launch shape: as sum_multi_store.
// - Per element: one element read. Over the links: one sum and one flag from each of the other GPUs.
// - Minimum sm: 7.5; peer access between the GPUs.
#include "kernels/multi/multi_sum.h"

namespace rooflinectl::kernels::sum_multi_best {

namespace {

const Registration registration(multi_sum("sum_multi_best", "multi best",
                                          "several GPUs, the fastest way to gather", store_gathering()));

}  // namespace

}  // namespace rooflinectl::kernels::sum_multi_best
