// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/model/plan.h"
#include "core/model/run.h"
#include "runner/profiling/profile.h"

namespace rooflinectl {

/// Whether points of the plan are calls of functions in Python.
bool has_python_kernels(const Plan& plan);

/// Measures those that the run in `folder` lacks, on all its devices, and writes its `run.json`.
/// Each kernel has a Python of its own, which is profiled as `profile` does it: the time of a point is that
/// of the kernels that a call launches, from the trace; its counters are those of the kernel, if it is only
/// one. What fails becomes the cause of its point. `references` has results of functions in C++. Throws
/// Error(environment) if the run cannot be written.
void measure_python_kernels(Run& run, const std::filesystem::path& folder,
                            const std::filesystem::path& references, bool counters,
                            const ProfileObserver& observer);

/// Whether results of compiled kernels are compared with those of functions in Python.
bool has_python_references(const Plan& plan);

/// Computes these, in a process of Python with NumPy, into files of `folder` (`reference_file`). Throws
/// Error(usage) with what Python says if a function fails; Error(environment) if there is no Python.
void compute_references(const Plan& plan, const std::filesystem::path& folder);

}  // namespace rooflinectl
