// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace rooflinectl {

/// Loads a library of the CUDA toolkit from where toolkits put theirs: CUDA_HOME and CUDA_PATH first, then
/// the usual folders, then the loader's own search path. Null if it is nowhere.
void* open_toolkit_library(const char* name);

/// Where a library that is loaded came from; empty if it is not loaded.
std::string path_of_loaded_library(const char* name);

}  // namespace rooflinectl
