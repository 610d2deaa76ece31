// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "analysis/roofline/point.h"
#include "analysis/roofline/quantities/quantities.h"

namespace rooflinectl {
namespace {

/// A ratio that goes from 0.01 % to 0.02 % has doubled, and means nothing.
constexpr double kSmallestRatioChange = 0.01;

/// By how much a quantity, never negative, changed up or down: at least 1, infinite from or to zero.
double factor(const CounterChange& change) {
  if (change.from == change.to) return 1;
  return std::max(change.from, change.to) / std::min(change.from, change.to);
}

/// The logarithm of the factor by which a move alone would change the time, positive if it makes a kernel
/// faster. Infinite from or to zero.
double log_gain(const CounterChange& change) {
  return change.quantity->change->is_cost ? std::log(change.from / change.to)
                                          : std::log(change.to / change.from);
}

/// Whether `quantity` measures a kernel's demand for a resource: per element of a variant, per launch of a
/// program's kernel.
bool is_demand_of(Bound bound, const Quantity* quantity) {
  using namespace quantity;
  switch (bound) {
    case Bound::dram:
      return quantity == &kDramBytesPerElement || quantity == &kDramBytesPerLaunch;
    case Bound::l2:
      return quantity == &kL2BytesPerElement || quantity == &kL2BytesPerLaunch;
    case Bound::shared:
      return quantity == &kSharedWavefronts;
    case Bound::fp64:
    case Bound::fp32:
    case Bound::fp16:
    case Bound::tensor:
      return quantity == &kFlopsPerElement || quantity == &kFlopsPerLaunch;
    case Bound::issue_slots:
      return quantity == &kInstructionsPerElement || quantity == &kInstructionsPerLaunch;
    case Bound::atomics:
      return quantity == &kAtomicsPerElement;
    case Bound::bytes_in_flight:
    case Bound::memory_latency:  // bytes in flight hide it
    case Bound::latency:
      return quantity == &kBytesInFlightPerThread;
    default:
      return false;
  }
}

bool is_notable(const CounterChange& change, double smallest_factor) {
  const bool is_ratio = change.quantity->unit == Unit::ratio;
  if (is_ratio && std::abs(change.to - change.from) < kSmallestRatioChange) return false;
  return factor(change) >= smallest_factor;
}

}  // namespace

std::string_view CounterChange::meaning() const {
  return to < from ? quantity->change->fell : quantity->change->rose;
}

std::vector<CounterChange> counter_changes(const std::vector<QuantityValue>& before,
                                           const std::vector<QuantityValue>& after,
                                           double smallest_exact_factor) {
  std::vector<CounterChange> changes;
  for (const auto& [quantity, from] : before) {
    const auto to = std::ranges::find(after, quantity, &QuantityValue::quantity);
    if (to == after.end()) continue;
    const CounterChange change = {quantity, from, to->value};
    if (is_notable(change, quantity->change->is_exact ? smallest_exact_factor : kSmallestStepFactor)) {
      changes.push_back(change);
    }
  }
  return changes;
}

void sort_by_explanation(std::vector<CounterChange>& changes, double speedup, Bound bound_of_slower) {
  const double log_speedup = std::log(speedup);
  const auto rank = [&](const CounterChange& change) {
    const double gain = log_gain(change);
    if (!std::isfinite(gain)) return 3;
    if ((gain > 0) != (log_speedup > 0)) return 2;
    return is_demand_of(bound_of_slower, change.quantity) ? 0 : 1;
  };
  std::ranges::stable_sort(changes, [&](const CounterChange& a, const CounterChange& b) {
    if (rank(a) != rank(b)) return rank(a) < rank(b);
    return rank(a) < 3 && std::abs(log_gain(a) - log_speedup) < std::abs(log_gain(b) - log_speedup);
  });
}

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
