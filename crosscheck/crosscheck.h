// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/counters/counters.h"
#include "core/model/agreement.h"
#include "core/model/run.h"
#include "readers/ncu/ncu_kernel.h"
#include "readers/nsys/nsys.h"

/// Our numbers compared with those of other tools, with the tolerances of `docs/crosscheck.md`.
namespace rooflinectl {

/// The hardware metrics to ask Nsight Compute for: those that the run's compared counters came from, and the
/// duration.
std::vector<std::string> ncu_metrics(const Run& run);

/// Counters and times of every point that was measured beside those of the kernels in its NVTX range: their
/// sums; efficiencies of warps weighed by their instructions.
std::vector<Agreement> compare_with_ncu(const Run& run, const std::vector<NcuKernel>& kernels);

/// The time of every point beside the sum of the operations in its NVTX range, the median where it ran
/// several times; and whether there is a range at all.
std::vector<Agreement> compare_with_trace(const Run& run, const std::vector<TracedLaunch>& launches);

// Numbers of other tools, with which ours are compared.

/// A number of a tool with what is known about its precision.
using Reference = NcuValue;

Reference no_reference(std::string reason);

/// A hardware metric of a kernel in our units, that of `scale`.
Reference metric_of(const NcuKernel& kernel, const std::string& metric, double scale);

/// The sum of both numbers; if one is unavailable, that one.
Reference sum(const Reference& a, const Reference& b);

struct Tolerance {
  double value = 0;
  bool is_relative = true;
  double absolute = 0;  ///< on top of it, in the unit of the numbers
  std::string note;
};

/// The comparison of one quantity of `subject`; the rounding of the reference is added to the tolerance.
Agreement agreement(std::string subject, std::string_view quantity, ComparedUnit unit, CounterValue ours,
                    const Reference& reference, const Tolerance& tolerance);

/// The counter; unavailable if it was not counted.
CounterValue ours_of(const Counters& counters, std::string_view key);

/// The median time of a launch, or why there is none.
CounterValue time_of(const Measurement& measurement);

// Kernels of a profiled program compared with what Nsight Compute counts of them when the program runs
// again, with the tolerances of `docs/crosscheck.md`.

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
