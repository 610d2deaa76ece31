// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/check.h"

namespace rooflinectl {

/// A program of that name on the PATH, or where NVIDIA's packages put theirs. Nothing if it is nowhere.
std::optional<std::filesystem::path> find_tool(const std::string& name);

/// What a program prints on standard output, or nothing if it cannot be run, fails, or takes more than ten
/// seconds.
std::optional<std::string> output_of(const std::filesystem::path& program,
                                     const std::vector<std::string>& arguments);

/// Nsight Compute: found, its version, and whether it may count here.
Check ncu_check();

/// Nsight Systems: found, its version, and whether it has the importer that makes a report of what it
/// recorded.
Check nsys_check();

}  // namespace rooflinectl
