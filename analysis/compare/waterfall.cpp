// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "analysis/compare/comparison.h"
#include "core/text/kernel_name.h"

namespace rooflinectl {

namespace {

/// What is less than this part of the time before goes into the rest.
constexpr double kSmallest = 1e-4;
/// Rounding errors of sums of doubles.
constexpr double kNothing = 1e-9;

double group_time_s(const RooflinePoint* point) {
  return point != nullptr ? whole_time_s(*point) : 0;
}

/// Groups of one kernel that only one run has.
struct Unmatched {
  bool before = false;
  bool now = false;
  double change_s = 0;
  std::vector<const PointComparison*> groups;
};

KernelChange kind_of(const Unmatched& unmatched, bool is_matched) {
  if (unmatched.before && unmatched.now) return KernelChange::reshaped;
  if (unmatched.now) return is_matched ? KernelChange::only_now : KernelChange::introduced;
  return is_matched ? KernelChange::only_before : KernelChange::eliminated;
}

WaterfallStep step_of(const std::string& kernel, const Unmatched& unmatched, bool is_matched) {
  return {.label = unmatched.groups.size() == 1 ? unmatched.groups.front()->label : short_kernel_name(kernel),
          .kind = kind_of(unmatched, is_matched),
          .change_s = unmatched.change_s,
          .groups = unmatched.groups.size()};
}

std::vector<WaterfallStep> steps_of(const RunComparison& comparison, std::size_t device) {
  std::vector<WaterfallStep> steps;
  std::map<std::string, Unmatched> unmatched;  // by kernel
  std::set<std::string> matched;
  for (const PointComparison& point : comparison.points) {
    const double before_s = group_time_s(point.base);
    const double now_s = group_time_s(point.now);
    if (point.device != device || (before_s == 0 && now_s == 0)) continue;
    const double change_s = now_s - before_s;
    if (point.base != nullptr && point.now != nullptr) {
      matched.insert(point.point.subject);
      steps.push_back({.label = point.label, .change_s = change_s, .groups = 1});
      continue;
    }
    Unmatched& kernel = unmatched[point.point.subject];
    (point.now != nullptr ? kernel.now : kernel.before) = true;
    kernel.change_s += change_s;
    kernel.groups.push_back(&point);
  }
  for (const auto& [kernel, groups] : unmatched) {
    steps.push_back(step_of(kernel, groups, matched.contains(kernel)));
  }
  return steps;
}

}  // namespace

std::string_view to_string(KernelChange change) {
  return separated_name<'-'>(change);
}

std::vector<Waterfall> waterfalls(const RunComparison& comparison, std::size_t most) {
  std::vector<Waterfall> result;
  for (const ProgramComparison& program : comparison.programs) {
    Waterfall waterfall = {.program = &program, .steps = steps_of(comparison, program.whole.device)};
    std::ranges::stable_sort(waterfall.steps, std::greater(),
                             [](const WaterfallStep& step) { return std::abs(step.change_s); });
    const TimeChange& whole = *program.whole.time;
    const auto first_small = std::ranges::find_if(waterfall.steps, [&](const WaterfallStep& one) {
      return std::abs(one.change_s) < kSmallest * whole.from.median_s;
    });
    const auto told = std::min(most, static_cast<std::size_t>(first_small - waterfall.steps.begin()));
    WaterfallStep rest = {.kind = KernelChange::rest, .change_s = whole.to.median_s - whole.from.median_s};
    for (std::size_t i = 0; i < waterfall.steps.size(); ++i) {
      if (i < told) rest.change_s -= waterfall.steps[i].change_s;
      if (i >= told) rest.groups += waterfall.steps[i].groups;
    }
    if (std::abs(rest.change_s) < kNothing * whole.from.median_s) rest.change_s = 0;
    waterfall.steps.resize(told);
    if (rest.groups > 0) waterfall.steps.push_back(rest);
    result.push_back(std::move(waterfall));
  }
  return result;
}

}  // namespace rooflinectl
