// SPDX-License-Identifier: Apache-2.0
//
// sum_best: the fastest kernel for type, size and chip.
//
// - Idea: a table, made from measurements, names for every type and size one of four kernels: one block,
//   many blocks with a mailbox, the same keeping part of the input in L2, and the same with bulk copies.
// - Changes from the others: up to 64 KiB one block does everything; above, as many bytes are in
//   flight as the memory can use; always a single launch, nothing to zero, the same result every time.
// - Launch shape: by `best_table.h`; one scalar.
// - Per element: one element read.
// - Minimum sm: 7.5; kernels for newer chips are chosen where they can run.
#include "kernels/reduction/best.cuh"

namespace rooflinectl::kernels::sum_best {

namespace {

const Registration registration(best::variant<Sum>("sum_best", "best",
                                                   "the fastest kernel for type, size and chip"));

}  // namespace

}  // namespace rooflinectl::kernels::sum_best
