// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/model/run.h"

/// What the compiler made of kernels from files.
namespace rooflinectl {

/// `40 registers, 16 bytes spilled`
std::string registers_text(const CompiledKernel& compiled);

/// `scale<float>, nvcc 13.0.48 for sm_90: 40 registers, no spills`
std::string compiled_text(const CompiledKernel& compiled);

/// Sentences on the spills and warnings of the run's kernels.
std::vector<std::string> compiler_findings(const Run& run);

}  // namespace rooflinectl
