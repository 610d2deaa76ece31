// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "core/model/plan.h"
#include "core/model/run.h"

namespace rooflinectl {

/// A recorded run in place of a measured one.
struct Replay {
  Run run;                       ///< of the plan asked for, with the recording's device, date and numbers
  std::vector<PointId> missing;  ///< points of the plan that the recording lacks
  std::vector<std::string> missing_primitives;
};

/// Answers `plan` from `recording`. A point is found if the recording has one with the same variant, dtype,
/// size, cache state, block size, elements per thread and launch mode, whatever its experiment was called.
Replay replay(const Plan& plan, const Run& recording);

/// The replay from the recording among `recordings` with the most points and primitives of the plan;
/// nothing if none has any. Throws Error(usage) if a recording cannot be read.
std::optional<Replay> replay_best(const Plan& plan, const std::vector<std::filesystem::path>& recordings);

/// The folder of the plans, examples and recordings that come with this program; empty if they are not there.
std::filesystem::path shipped_folder();

/// The `run.json` files that come with this program, sorted.
std::vector<std::filesystem::path> shipped_recordings();

}  // namespace rooflinectl
