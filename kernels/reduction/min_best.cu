// SPDX-License-Identifier: Apache-2.0
//
// min_best: the least element, by the kernels of sum_best.
//
// - Idea: the least element in place of the sum; NaN if there is one among the elements; for no elements, the
//   value that leaves every other value as it is: an infinity, or the end of the range of integers.
// - Changes from `sum_best`: what two values are combined with.
// - Launch shape: by `best_table.h`; one scalar.
// - Per element: one element read.
// - Minimum sm: 7.5; kernels for newer chips are chosen where they can run.
#include "kernels/reduction/best.cuh"

namespace rooflinectl::kernels::min_best {

namespace {

const Registration registration([] {
  Variant variant = best::variant<Minimum>("min_best", "min", "the least element, as sum_best");
  variant.info.family = "extreme";
  return variant;
}());

}  // namespace

}  // namespace rooflinectl::kernels::min_best
