// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/model/run.h"
#include "runner/merging/run_part.h"

namespace rooflinectl {

/// One run made of those of ranks that measured the same plan, a device each, in the order of the ranks. A
/// point over several GPUs, which all have measured together, is there once. Throws Error(usage) if the runs
/// cannot be of one launch: of different plans, options or builds, or two of one rank or GPU.
Run merged_plan(std::vector<RunPart> parts);

}  // namespace rooflinectl
