// SPDX-License-Identifier: Apache-2.0
#include "core/files/cache_folder.h"

#include <cstdlib>

namespace rooflinectl {

std::optional<std::filesystem::path> cache_folder() {
  namespace fs = std::filesystem;
  constexpr const char* kFolder = "rooflinectl";
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && fs::path(cache).is_absolute()) return fs::path(cache) / kFolder;
  const char* const home = std::getenv("HOME");
  if (home != nullptr && fs::path(home).is_absolute()) return fs::path(home) / ".cache" / kFolder;
  return std::nullopt;
}

}  // namespace rooflinectl
