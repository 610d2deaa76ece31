// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/model/run.h"
#include "core/program/application.h"

namespace rooflinectl {

/// One of the runs that are merged.
struct RunPart {
  std::string name;  ///< as messages have it
  Run run;           ///< of a profiled program: without measurements and ceilings, which come later
};

/// One run made of those of ranks that measured the same plan, a device each, in the order of the ranks. A
/// point over several GPUs, which all have measured together, is there once. Throws Error(usage) if the runs
/// cannot be of one launch: of different plans, options or builds, or two of one rank or GPU.
Run merged_plan(std::vector<RunPart> parts);

// What the ranks of one launch should have in common, and do not: what cannot be compared is named.

/// Programs and versions of rooflinectl that differ.
std::vector<ApplicationProblem> differences_of(const std::vector<const RunPart*>& parts);

/// Ranks that the launcher started, and of which there is no run.
std::vector<ApplicationProblem> missing_ranks(const Application& merged);

/// Hosts whose clocks could not be aligned with that of the first.
std::vector<ApplicationProblem> unaligned_hosts(const Application& merged);

}  // namespace rooflinectl
