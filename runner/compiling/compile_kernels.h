// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/plan.h"

namespace rooflinectl {

/// The architecture that kernels are compiled for where no GPU is named: that of an H100.
inline constexpr int kDefaultArchitecture = 90;

/// A kernel from a file, compiled as some of its points call it.
struct CompiledKernel {
  std::string kernel;    ///< its id
  std::string function;  ///< with the values of axes
  std::vector<std::string> options;
  int architecture = 0;  ///< compute capability: 90 for 9.0
  std::string compiler;  ///< `nvcc 13.0.48`
  std::string file;      ///< the cubin
  std::string symbol;    ///< in the cubin
  int registers = 0;     ///< per thread
  /// That its code stores and loads per thread because registers do not suffice.
  std::uint64_t spill_bytes = 0;
  std::vector<std::string> warnings;
};

/// Compiles the plan's kernels from files as its points, and the references of these, call them, unless that
/// is already in the cache. Throws Error(usage) if the compiler refuses one, or if a file has changed since
/// the plan was read; Error(environment) if there is no compiler.
std::vector<CompiledKernel> compile_kernels(const Plan& plan, const std::vector<int>& architectures);

}  // namespace rooflinectl
