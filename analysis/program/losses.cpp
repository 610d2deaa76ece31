// SPDX-License-Identifier: Apache-2.0
#include "analysis/program/losses.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace rooflinectl {

namespace {

/// From this share of the time on, waiting in collectives matters.
constexpr double kNotableWaiting = 0.1;

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
  std::erase_if(savings, [](const KernelSaving& saving) {
    return std::any_of(saving.groups.begin(), saving.groups.end(), overlaps);
  });
  return savings;
}

}  // namespace

LossBasis loss_basis(const ProgramUse& program) {
  if (program.step != nullptr) return {.time_s = *program.step->interval_s, .is_step = true};
  return {.time_s = program.kernel_s / running_share(program)};
}

double time_share(const ProgramUse& program, double kernel_s) {
  return program.kernel_s > 0 ? running_share(program) * kernel_s / program.kernel_s : 0;
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
  std::stable_sort(all.begin(), all.end(), [](const Loss& a, const Loss& b) { return a.share > b.share; });
  return all;
}

}  // namespace rooflinectl
