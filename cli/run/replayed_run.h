// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/run/run_options.h"
#include "core/model/plan.h"
#include "runner/machine/cannot_measure.h"

/// Recordings in place of a run.
namespace rooflinectl {

/// Writes the reports of the recording that `options` name. Returns the exit code. Throws Error(environment)
/// if it has no point of the plan.
int replay_file(const Plan& plan, const RunOptions& options);

/// The same for the shipped recording that has most of the plan, on a machine that cannot measure.
int replay_shipped(const Plan& plan, const RunOptions& options, const CannotMeasure& why);

}  // namespace rooflinectl
