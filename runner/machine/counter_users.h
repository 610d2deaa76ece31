// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

#include "core/machine/check.h"

namespace rooflinectl {

/// Warns of programs that may hold the GPU's hardware counters, with the command that makes each let go:
/// NVIDIA's data-centre monitor (DCGM), ncu, nsys, another rooflinectl. Nothing if none runs.
///
/// `processes` is the folder of the process file system, `self` the process whose ancestors and descendants
/// are not meant; nor are those that run the same command, the other ranks of a launcher.
std::optional<Check> counter_users_check(const std::filesystem::path& processes, int self);

/// The same for this process on this machine, or below the folder that the environment variable
/// ROOFLINECTL_PROCESSES names.
std::optional<Check> counter_users_check();

}  // namespace rooflinectl
