// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include "analysis/program/recoverable.h"
#include "analysis/roofline/point.h"

namespace rooflinectl {

namespace {

/// From this share of the time on, waiting in collectives matters.
constexpr double kNotableWaiting = 0.1;

/// From this share of the time on, short launches matter.
constexpr double kNotableShort = 0.05;

/// The share of the time in which anything ran.
double running_share(const ProgramUse& program) {
  const double share = program.busy_share().value_or(1) + program.waiting_share();
  return share > 0 ? share : 1;
}

bool overlaps(const RooflinePoint* group) {
  return group->launches->is_overlapped;
}

/// Kernels that could save notably more in several launch groups, if they do not overlap with others: what
/// the program would gain is then not known.
std::vector<KernelSaving> group_savings(const ProgramUse& program) {
  std::vector<KernelSaving> savings = kernel_savings(program);
  std::erase_if(savings,
                [](const KernelSaving& saving) { return std::ranges::any_of(saving.groups, overlaps); });
  return savings;
}

}  // namespace

LossBasis loss_basis(const ProgramUse& program) {
  if (program.step != nullptr) return {.time_s = *program.step->interval_s, .is_step = true};
  return {.time_s = program.kernel_s / running_share(program)};
}

double time_share(const ProgramUse& program, double in_steps_s) {
  return program.in_steps_s > 0 ? running_share(program) * in_steps_s / program.in_steps_s : 0;
}

double saving_share(const ProgramUse& program, double recoverable_s,
                    const std::optional<double>& recoverable_per_step_s) {
  if (program.step != nullptr && recoverable_per_step_s && *program.step->interval_s > 0) {
    return *recoverable_per_step_s / *program.step->interval_s;
  }
  return time_share(program, recoverable_s);
}

double saving_share(const ProgramUse& program, const LaunchUse& launches) {
  return saving_share(program, launches.recoverable_s.value_or(0), launches.recoverable_per_step_s);
}

std::vector<Loss> losses(const ProgramUse& program) {
  std::vector<Loss> all;
  if (program.waiting_share() >= kNotableWaiting)
    all.push_back({.kind = LossKind::waiting, .share = program.waiting_share()});
  if (program.idle && program.idle->cause != IdleCause::unclear)
    all.push_back({.kind = LossKind::idle, .share = program.idle->share});
  if (const auto& fusion = program.fusion) {
    all.push_back({.kind = LossKind::fusion,
                   .share = saving_share(program, fusion->recoverable_s, fusion->recoverable_per_step_s),
                   .groups = fusion->kernels});
  }
  if (const double share = time_share(program, program.short_s); share >= kNotableShort) {
    Loss loss = {.kind = LossKind::short_launches, .share = share};
    std::ranges::copy_if(program.groups, std::back_inserter(loss.groups), [](const RooflinePoint* group) {
      return group->launches->is_short && group->launches->in_steps_s > 0;
    });
    all.push_back(std::move(loss));
  }
  std::set<std::string_view> together;
  for (const KernelSaving& saving : group_savings(program)) {
    all.push_back({.kind = LossKind::groups,
                   .share = saving_share(program, saving.recoverable_s, saving.recoverable_per_step_s),
                   .groups = saving.groups});
    together.insert(saving.groups.front()->measurement->point.subject);
  }
  for (const RooflinePoint* group : program.recoverable) {
    if (together.contains(group->measurement->point.subject)) continue;
    all.push_back({.share = saving_share(program, *group->launches), .groups = {group}});
  }
  std::ranges::stable_sort(all, std::greater(), &Loss::share);
  return all;
}

namespace {

/// Passes over the same data differ in how many arrays they read and write, by no more than this factor.
constexpr double kMostBytesOverFewest = 8;
constexpr std::size_t kFewestKernels = 3;
/// From this share of the time of a range on, there is little else that could lie between its kernels.
constexpr double kNearlyAll = 0.8;
/// Below the ridge points of FP32, even where each element is divided.
constexpr double kFewFlopsPerByte = 4;

/// Range, blocks and threads per block.
using Shape = std::tuple<std::string, std::uint64_t, int>;

std::string path_of(const RooflinePoint& group) {
  return std::string(group.measurement->point.axes.text(axis::kPath).value_or(""));
}

bool is_pass_over_data(const RooflinePoint& group) {
  return group.bound == Bound::dram && group.dram_bytes.value_or(0) > 0 &&
         group.ai_executed.value_or(0) < kFewFlopsPerByte;
}

/// How often each kernel runs while the one with the fewest launches runs once; nothing where that is no
/// whole number.
std::vector<double> passes_of(const std::vector<const RooflinePoint*>& kernels) {
  constexpr double kTolerance = 0.05;
  double fewest = launch_count(*kernels.front()->measurement);
  for (const RooflinePoint* kernel : kernels) fewest = std::min(fewest, launch_count(*kernel->measurement));
  std::vector<double> passes;
  for (const RooflinePoint* kernel : kernels) {
    const double times = launch_count(*kernel->measurement) / fewest;
    if (std::abs(times - std::round(times)) > kTolerance * times) return {};
    passes.push_back(std::round(times));
  }
  return passes;
}

std::optional<FusionSaving> saving_of(const std::string& path, std::vector<const RooflinePoint*> kernels,
                                      std::optional<double> steps) {
  if (kernels.size() < kFewestKernels) return std::nullopt;
  const std::vector<double> passes = passes_of(kernels);
  if (passes.empty()) return std::nullopt;
  FusionSaving saving = {.path = path};
  double smallest = *kernels.front()->dram_bytes;
  double per_step_s = 0;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const double bytes = *kernels[i]->dram_bytes;
    saving.total_s += kernels[i]->launches->total_s;
    saving.bytes += passes[i] * bytes;
    saving.fewest_bytes = std::max(saving.fewest_bytes, bytes);
    smallest = std::min(smallest, bytes);
    per_step_s += launch_count(*kernels[i]->measurement) * mean_launch(*kernels[i]->measurement).time_s /
                  steps.value_or(1);
  }
  if (saving.fewest_bytes > kMostBytesOverFewest * smallest) return std::nullopt;
  const double beyond = 1 - saving.fewest_bytes / saving.bytes;
  saving.recoverable_s = beyond * saving.total_s;
  if (steps) saving.recoverable_per_step_s = beyond * per_step_s;
  saving.kernels = std::move(kernels);
  return saving;
}

}  // namespace

std::optional<FusionSaving> fusion_saving(const std::vector<const RooflinePoint*>& groups,
                                          std::optional<double> steps) {
  std::map<std::string, double> times_s;  // by range
  std::map<Shape, std::vector<const RooflinePoint*>> passes;
  for (const RooflinePoint* group : groups) {
    const std::string path = path_of(*group);
    if (path.empty()) continue;
    times_s[path] += group->launches->total_s;
    const LaunchShape& launch = group->measurement->launch;
    if (is_pass_over_data(*group)) passes[{path, launch.grid, launch.block}].push_back(group);
  }
  std::optional<FusionSaving> most;
  for (auto& [shape, kernels] : passes) {
    const std::string& path = std::get<0>(shape);
    auto saving = saving_of(path, std::move(kernels), steps);
    if (!saving || saving->total_s < kNearlyAll * times_s[path]) continue;
    if (!most || saving->recoverable_s > most->recoverable_s) most = std::move(saving);
  }
  return most;
}

}  // namespace rooflinectl
