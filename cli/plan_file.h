// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "core/model/plan.h"

namespace rooflinectl {

/// Reads a plan that may name what `load_catalogue()` holds; a file of kernels
/// whose comments describe them, or a folder of such, is one too. Throws Error(usage) with every mistake in
/// it, or if the file is a program.
Plan load_plan(const std::string& file);

/// Whether a file by its name may have kernels: .cu or .py.
bool is_kernel_file(const std::filesystem::path& path);

}  // namespace rooflinectl
