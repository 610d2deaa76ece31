// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/model/plan.h"

namespace rooflinectl {

/// Whether results of compiled kernels are compared with those of functions in Python.
bool has_python_references(const Plan& plan);

/// Computes these, in a process of Python with NumPy, into files of `folder` (`reference_file`). Throws
/// Error(usage) with what Python says if a function fails; Error(environment) if there is no Python.
void compute_references(const Plan& plan, const std::filesystem::path& folder);

}  // namespace rooflinectl
