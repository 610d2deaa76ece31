// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "core/model/agreement.h"
#include "core/model/run.h"
#include "readers/ncu/ncu_kernel.h"

/// Kernels of a profiled program compared with what Nsight Compute counts of them when the program runs
/// again, with the tolerances of `docs/crosscheck.md`.
namespace rooflinectl {

/// A point of which Nsight Compute profiles a launch.
struct ChosenPoint {
  const Measurement* measurement = nullptr;  ///< of the run, which must outlive this
  std::string label;                         ///< as reports call it
  std::uint64_t launch = 1;                  ///< which one of its kernel in its process, from 1
};

struct ChosenPoints {
  std::vector<ChosenPoint> points;   ///< the one with the most time first
  std::vector<Agreement> left_out;   ///< points that are not among them, and why
  std::set<std::uint64_t> launches;  ///< that are profiled, of each kernel of a point

  /// What `ncu --kernel-name-base mangled --kernel-id` is to be given: `::regex:^(a|b)$:^(1|5)$`.
  std::string kernel_id() const;
};

/// Up to 30 points with the most time, as far as a few launches of each of their kernels show them: Nsight
/// Compute takes a third of a second for each.
ChosenPoints choose_points(const Run& run);

/// The hardware metrics that the counters of `chosen` are compared with, and the duration.
std::vector<std::string> ncu_metrics(const Run& run, const ChosenPoints& chosen);

/// Operations, instructions, bytes and times of the chosen points beside those of `kernels`: of the same
/// launch where all of `ChosenPoints::launches` are there, as `kernel_id` selects them; else of the first one
/// with the same kernel, grid and block.
std::vector<Agreement> compare_with_ncu(const Run& run, const ChosenPoints& chosen,
                                        const std::vector<NcuKernel>& kernels);

}  // namespace rooflinectl
