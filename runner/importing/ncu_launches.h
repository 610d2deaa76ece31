// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "readers/ncu/ncu_kernel.h"
#include "runner/importing/imported_file_reader.h"

namespace rooflinectl {

/// The launches that Nsight Compute profiled, with the devices that they ran on and the theoretical ceilings
/// of these. What is known about the file remains to be added.
ImportedContent ncu_content(const std::vector<NcuKernel>& kernels);

}  // namespace rooflinectl
