// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/plan.h"

namespace rooflinectl {

/// The architecture that kernels are compiled for where no GPU is named: that of an H100.
inline constexpr int kDefaultArchitecture = 90;

/// Compiles the plan's kernels from files as its points, and the references of these, call them, unless that
/// is already in the cache. Throws Error(usage) with all that the compiler refuses, or if a file has changed
/// since the plan was read; Error(environment) if there is no compiler.
std::vector<CompiledKernel> compile_kernels(const Plan& plan, const std::vector<int>& architectures);

/// The same for the devices that `selectors` name by index or UUID. Without kernels from files, it looks for
/// neither devices nor a compiler. Throws also as `chosen_devices`.
std::vector<CompiledKernel> compile_kernels_for(const Plan& plan, const std::vector<std::string>& selectors);

}  // namespace rooflinectl
