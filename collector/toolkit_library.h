// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace rooflinectl {

/// Loads a library of the CUDA toolkit from where toolkits put theirs: CUDA_HOME and CUDA_PATH first, then
/// the usual folders, then the loader's own search path. Null if it is nowhere.
void* open_toolkit_library(const char* name);

}  // namespace rooflinectl
