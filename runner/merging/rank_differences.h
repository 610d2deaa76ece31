// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/program/application.h"
#include "runner/merging/run_part.h"

/// What the ranks of one launch should have in common, and do not: what cannot be compared is named.
namespace rooflinectl {

/// Programs and versions of rooflinectl that differ.
std::vector<ApplicationProblem> differences_of(const std::vector<const RunPart*>& parts);

/// Ranks that the launcher started, and of which there is no run.
std::vector<ApplicationProblem> missing_ranks(const Application& merged);

/// Hosts whose clocks could not be aligned with that of the first.
std::vector<ApplicationProblem> unaligned_hosts(const Application& merged);

}  // namespace rooflinectl
