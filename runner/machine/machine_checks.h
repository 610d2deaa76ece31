// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/machine/check.h"

namespace rooflinectl {

/// Fails where the driver is loaded, but this container does not see its devices; else nothing. `root`: of
/// the file system.
std::optional<Check> container_check(const std::filesystem::path& root = "/");

/// What stands in the way of measuring on a device, index or UUID, and what could make its numbers poor: what
/// the collector finds, the check above, and that for other users of the counters. Throws what `load_checks`
/// throws.
std::vector<Check> machine_checks(const std::string& device);

/// The first check because of which nothing can be measured; null if there is none.
const Check* stopping_check(const std::vector<Check>& checks);

}  // namespace rooflinectl
