// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

#include "core/check.h"

namespace rooflinectl {

/// Fails where the driver is loaded, but this container does not see its devices; else nothing.
std::optional<Check> container_check();

/// Warns of NVIDIA's data-centre monitor (DCGM), which may hold the counters; nothing where it does not run.
/// `processes`: the folder of the process file system.
std::optional<Check> dcgm_check(const std::filesystem::path& processes = "/proc");

}  // namespace rooflinectl
