// SPDX-License-Identifier: Apache-2.0
#include "analysis/roofline/steps/ladder.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "analysis/roofline/point.h"
#include "analysis/roofline/steps/counter_changes.h"

namespace rooflinectl {

namespace {

std::set<std::string> result_names(const FileKernel& kernel) {
  std::set<std::string> names;
  for (const FileKernelArgument& argument : results_of(kernel)) names.insert(argument.name);
  return names;
}

/// Complete results are not compared with partial ones, nor kernels from files with other results.
bool same_output(const Run& run, const PointId& a, const PointId& b) {
  const FileKernel* const kernel_a = find_file_kernel(run.plan, a.subject);
  const FileKernel* const kernel_b = find_file_kernel(run.plan, b.subject);
  if (kernel_a != nullptr && kernel_b != nullptr) return result_names(*kernel_a) == result_names(*kernel_b);
  const VariantInfo* variant_a = run.catalogue.find_variant(a.subject);
  const VariantInfo* variant_b = run.catalogue.find_variant(b.subject);
  return variant_a != nullptr && variant_b != nullptr && variant_a->output == variant_b->output;
}

/// Whether a step leads to another version, at equal elements per thread where both have a number of them.
bool is_next_version(const PointId& from, const PointId& to) {
  const auto from_elements = from.axes.number(axis::kElements);
  const auto to_elements = to.axes.number(axis::kElements);
  return from.subject != to.subject && (!from_elements || !to_elements || from_elements == to_elements);
}

/// Whether a step leads to another setting of the same version.
bool is_next_setting(const PointId& from, const PointId& to) {
  return from.subject == to.subject;
}

/// The points of a ladder have all axes in common except the elements per thread.
Axes ladder_axes(const PointId& point) {
  Axes axes = point.axes;
  axes.erase(axis::kElements);
  return axes;
}

}  // namespace

std::vector<LadderStep> ladder_steps(const Run& run, const std::vector<RooflinePoint>& points) {
  std::map<Axes, std::vector<std::size_t>> ladders;  // places of their points
  for (std::size_t i = 0; i < points.size(); ++i) {
    ladders[ladder_axes(points[i].measurement->point)].push_back(i);
  }

  std::vector<LadderStep> steps;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const RooflinePoint& from = points[i];
    const std::vector<std::size_t>& candidates = ladders[ladder_axes(from.measurement->point)];
    const auto first = std::upper_bound(candidates.begin(), candidates.end(), i);
    for (const auto is_next : {is_next_setting, is_next_version}) {
      const auto found = std::find_if(first, candidates.end(), [&](std::size_t candidate) {
        const RooflinePoint& to = points[candidate];
        return from.family == to.family && same_output(run, from.measurement->point, to.measurement->point) &&
               is_next(from.measurement->point, to.measurement->point);
      });
      if (found == candidates.end()) continue;
      const RooflinePoint& to = points[*found];
      if (!is_timed(*from.measurement) || !is_timed(*to.measurement)) continue;
      if (launch_mode(*from.measurement->time) != launch_mode(*to.measurement->time)) continue;
      const double speedup = from.measurement->time->median_s / to.measurement->time->median_s;
      auto changes = counter_changes(from.quantities, to.quantities, kSmallestStepFactor);
      sort_by_explanation(changes, speedup, speedup >= 1 ? from.bound : to.bound);
      steps.push_back({&from, &to, speedup, std::move(changes)});
    }
  }
  return steps;
}

}  // namespace rooflinectl
