// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "core/error.h"
#include "core/machine/launcher.h"
#include "core/model/run.h"

namespace rooflinectl {

/// `2026-11-21T09:30:00Z`
std::string utc_time(std::chrono::system_clock::time_point time);

/// Makes the folder of a new run, `<parent>/<plan_name>/<UTC time>`, or `<UTC time>-rank07` for one rank
/// of several; with a number added if a run began in the same second. Throws Error(environment) if it cannot
/// be made or written to.
std::filesystem::path create_run_folder(const std::filesystem::path& parent, const std::string& plan_name,
                                        std::chrono::system_clock::time_point time,
                                        const std::optional<LauncherRank>& rank = {});

/// Removes the folder of a run of which there is nothing to keep, and that of its plan unless other runs are
/// in there. What cannot be removed stays.
void remove_run_folder(const std::filesystem::path& folder);

/// For a run that `why` keeps from being written to its folder: writes its `run.json` into a new one among
/// the temporary files. Returns the error that reports it; throws Error(environment) if that fails too.
Error rescue_run(const Run& run, const Error& why);

/// Makes the link `latest` next to `run_folder` point to it, replacing an earlier link atomically. Returns
/// whether it does: a file or a folder of that name is the user's, and stays. Throws Error(environment).
bool link_latest(const std::filesystem::path& run_folder);

}  // namespace rooflinectl
