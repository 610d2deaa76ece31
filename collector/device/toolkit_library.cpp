// SPDX-License-Identifier: Apache-2.0
#include "collector/device/toolkit_library.h"

#include <dlfcn.h>
#include <link.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;

/// Best guess first.
std::vector<fs::path> toolkits() {
  std::vector<fs::path> roots;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* root = std::getenv(variable)) roots.emplace_back(root);
  }
  for (const char* root : {"/usr/local/cuda-13.0", "/usr/local/cuda-13", "/usr/local/cuda"})
    roots.emplace_back(root);
  return roots;
}

}  // namespace

void* open_toolkit_library(const char* name) {
  for (const fs::path& root : toolkits()) {
    for (const char* folder : {"extras/CUPTI/lib64", "lib64"}) {
      if (void* library = dlopen((root / folder / name).c_str(), RTLD_NOW | RTLD_GLOBAL)) return library;
    }
  }
  return dlopen(name, RTLD_NOW | RTLD_GLOBAL);
}

std::string path_of_loaded_library(const char* name) {
  void* const library = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return {};
  const link_map* map = nullptr;
  const bool is_known = dlinfo(library, RTLD_DI_LINKMAP, static_cast<void*>(&map)) == 0;
  std::string path = is_known ? map->l_name : "";
  dlclose(library);
  return path;
}

}  // namespace rooflinectl
