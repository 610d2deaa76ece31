// SPDX-License-Identifier: Apache-2.0
//
// max_best: the greatest element, by the kernels of sum_best.
//
// - Idea: the greatest element in place of the sum; NaN if there is one among the elements; for no elements,
//   the value that leaves every other value as it is: an infinity, or the end of the range of integers.
// - Changes from `sum_best`: what two values are combined with.
// - Launch shape: by `best_table.h`; one scalar.
// - Per element: one element read.
// - Minimum sm: 7.5; kernels for newer chips are chosen where they can run.
#include "kernels/reduction/best.cuh"

namespace rooflinectl::kernels::max_best {

namespace {

const Registration registration([] {
  Variant variant = best::variant<Maximum>("max_best", "max", "the greatest element, as sum_best");
  variant.info.family = "extreme";
  return variant;
}());

}  // namespace

}  // namespace rooflinectl::kernels::max_best
