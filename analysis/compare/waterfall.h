// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/compare/comparison.h"

namespace rooflinectl {

/// What became of a kernel from one run of a program to another.
enum class KernelChange {
  changed,      ///< both runs have the group
  introduced,   ///< only the new run has the kernel
  eliminated,   ///< only the base run has it
  only_now,     ///< only the new run has these groups of a kernel that both have
  only_before,  ///< only the base run has them
  reshaped,     ///< each run has groups of the kernel, with other shapes or ranges, that the other lacks
  rest,         ///< all that are not listed
};

/// `changed`, `introduced`, …
std::string_view to_string(KernelChange change);

/// A part of what a program gained or lost.
struct WaterfallStep {
  std::string label;  ///< of the group, or of the kernel where it is a sum of groups; empty for the rest
  KernelChange kind = KernelChange::changed;
  double change_s = 0;     ///< above 0 where time was lost
  std::size_t groups = 0;  ///< that it sums
};

/// From the time that all kernels of a program took to the time that they take now.
struct Waterfall {
  const ProgramComparison* program = nullptr;
  std::vector<WaterfallStep> steps;  ///< the largest first, the rest last; they add up to the whole change
};

/// One for each of `comparison.programs`, with at most `most` steps besides the rest, none of them below a
/// ten-thousandth of the time before. A group counts with all launches that were seen at the median, as in
/// `ProgramComparison::whole`.
std::vector<Waterfall> waterfalls(const RunComparison& comparison, std::size_t most);

}  // namespace rooflinectl
