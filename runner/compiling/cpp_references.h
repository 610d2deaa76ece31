// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/model/plan.h"

namespace rooflinectl {

/// Whether results are compared with those of functions in C++.
bool has_cpp_references(const Plan& plan);

/// Compiles these, beside device code for the architecture (90 for 9.0). Throws Error(usage) with what the
/// compiler says; Error(environment) if there is none.
void compile_cpp_references(const Plan& plan, int architecture);

/// Computes them, each point in a process of its own, into files of `folder` (`reference_file`). Of one that
/// crashes, throws or does not end within ten minutes (ROOFLINECTL_SILENCE_LIMIT), the cause is in
/// `reference_cause_file`. Throws Error as compiling does.
void compute_cpp_references(const Plan& plan, const std::filesystem::path& folder, int architecture);

}  // namespace rooflinectl
