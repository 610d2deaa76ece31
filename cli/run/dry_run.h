// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/run/run_options.h"
#include "core/model/plan.h"

namespace rooflinectl {

/// Prints what `--dry-run` shows of a plan: its points and an estimate of their time, or with `--json` the
/// request for the collector. Throws Error(usage) for a request for several devices.
void print_dry_run(const Plan& plan, const RunOptions& options);

}  // namespace rooflinectl
