// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/model/plan.h"

namespace rooflinectl {

/// Reads a plan that may name what `load_catalogue()` holds; a .cu file, or a folder of them, whose comments
/// describe kernels, is one too. Throws Error(usage) with every mistake in it, or
/// if the file is a program.
Plan load_plan(const std::string& file);

}  // namespace rooflinectl
