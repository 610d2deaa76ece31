// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/model/run.h"
#include "core/program/profile_settings.h"
#include "runner/profiling/profile.h"

/// A profile whose program ran, but whose rooflinectl was killed before it wrote `run.json`: the processes'
/// records are still in the run's folder.
namespace rooflinectl {

/// Where the records of a run of the program are, from 1.
std::filesystem::path records_folder(const std::filesystem::path& run_folder, int number);

/// Writes into the folder of the first records what they do not hold: the run's head, and what the library
/// was told. Throws Error(environment).
void keep_head(const std::filesystem::path& records, const Run& head, const ProfileSettings& settings);

/// The request that makes a run from what is in `folder`. Throws Error(usage) if there are no records, or the
/// run is complete; Error(environment) if a process that may write records still runs.
ProfileRequest unfinished_profile(const std::filesystem::path& folder);

}  // namespace rooflinectl
