// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <system_error>

#include "core/files/files.h"

namespace rooflinectl {

/// A folder for ourselves (`make_private_folder`), which goes with this.
class PrivateFolder {
 public:
  PrivateFolder() : path_(make_private_folder()) {}
  ~PrivateFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace rooflinectl
