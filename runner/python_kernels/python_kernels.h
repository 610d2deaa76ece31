// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

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
                            ProfileObserver& observer);

// What driver.py is asked for, and what it answers.

/// A point whose function in Python is called.
struct PythonCall {
  PointId point;
  std::string range;  ///< the NVTX range around each timed call
  double time_limit_s = 0;
  /// By argument, where to store the results of the reference; empty where the kernel itself is called.
  std::map<std::string, std::string> stored;
  /// The folder with the results of references in C++ (`reference_file`).
  std::filesystem::path references;
};

/// The GPU that functions are called on, and how.
struct PythonDevice {
  std::uint64_t l2_bytes = 0;
  std::uint64_t memory_bytes = 0;
  double count_s = 0;  ///< for how long all points are called in turn, after they were timed
};

/// What became of a call.
struct PythonAnswer {
  bool was_begun = false;
  bool has_ended = false;
  std::string cause;                         ///< why it failed; empty if it did not
  std::optional<Verification> verification;  ///< nothing if there is no reference
  int calls = 0;
  std::map<std::string, std::string> versions;  ///< as `Run::python_versions`
};

/// Writes the driver and its request into `folder`. Returns the command that carries it out. Throws Error.
std::vector<std::string> write_python_calls(const std::filesystem::path& folder, const Plan& plan,
                                            const std::vector<PythonCall>& calls,
                                            const PythonDevice& device = {});

/// What the command wrote, one answer for each call.
std::vector<PythonAnswer> read_python_answers(const std::filesystem::path& folder, std::size_t calls);

/// Whether results of compiled kernels are compared with those of functions in Python.
bool has_python_references(const Plan& plan);

/// Computes these, in a process of Python with NumPy, into files of `folder` (`reference_file`). Throws
/// Error(usage) with what Python says if a function fails; Error(environment) if there is no Python.
void compute_references(const Plan& plan, const std::filesystem::path& folder);

}  // namespace rooflinectl
