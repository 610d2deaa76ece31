// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/model/file_kernel.h"
#include "core/model/point_id.h"
#include "core/plan/kernel_call.h"

namespace rooflinectl {

/// A reference in C++ as a program of its own, which may crash: `runner/compiling/reference_main.h`.
struct ReferenceTask {
  std::filesystem::path source;      ///< absolute
  std::string place;                 ///< where the description names the function: `scale.cu:1:27`
  std::string text;                  ///< the program
  std::vector<std::string> options;  ///< of the compiler
  int architecture = 0;              ///< of device code beside the function: 90

  bool operator==(const ReferenceTask&) const = default;
};

/// The program that computes the reference of a kernel for points like this one: the same for all sizes.
ReferenceTask reference_task(const FileKernel& kernel, const KernelCall& call, const Axes& axes,
                             int architecture);

/// What it is called with to store the results, by argument, in `folder` (`reference_file`).
std::vector<std::string> reference_arguments(const FileKernel& kernel, const KernelCall& call,
                                             const PointId& point, const std::filesystem::path& folder);

/// A compiler of programs for the host.
struct HostCompiler {
  std::filesystem::path program;
  std::string version;
};

/// Asks for the one that sources like this task's need. Throws Error(environment) if there is none.
HostCompiler require_host_compiler(const ReferenceTask& task);

/// Compiles the program, unless the user's cache has it, and returns its file. Throws Error(usage) with the
/// compiler's messages if it refuses, Error(environment) if it does not end.
std::filesystem::path compile_reference(const ReferenceTask& task, const HostCompiler& compiler);

}  // namespace rooflinectl
