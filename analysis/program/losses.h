// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "analysis/program/recoverable.h"

/// Where to begin: everything that costs a program time, whatever its kind, compared by the same time.
namespace rooflinectl {

/// What a loss is a share of.
struct LossBasis {
  /// A step, if the program has steps; else the time in which its traced kernels ran, idle time included.
  double time_s = 0;
  bool is_step = false;
};

LossBasis loss_basis(const ProgramUse& program);

/// The share of that time in which kernels with `kernel_s` of all kernels' time ran.
double time_share(const ProgramUse& program, double kernel_s);

/// The share of the time that these kernels could save, each by reaching its roof.
double saving_share(const ProgramUse& program, double recoverable_s,
                    const std::optional<double>& recoverable_per_step_s);
double saving_share(const ProgramUse& program, const LaunchUse& launches);

enum class LossKind {
  waiting,  ///< in collectives, for the rank that comes last
  idle,
  fusion,  ///< several kernels where one would do
  groups,  ///< one kernel in several launch groups
  kernel,
};

struct Loss {
  LossKind kind = LossKind::kernel;
  double share = 0;                          ///< of the time of `LossBasis`
  std::vector<const RooflinePoint*> groups;  ///< the kernels that could save it, if any; the most first
};

/// The largest first. A kernel that is listed for several launch groups is not listed for each.
std::vector<Loss> losses(const ProgramUse& program);

}  // namespace rooflinectl
