// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/files/file_descriptor.h"

namespace rooflinectl {

/// Keeps a second rooflinectl from writing to the same run's folder, for as long as this object lives.
class FolderLock {
 public:
  FolderLock() = default;
  /// Throws Error(environment) if another program holds it. A file system without locks counts as free.
  explicit FolderLock(const std::filesystem::path& folder);

 private:
  FileDescriptor folder_;
};

}  // namespace rooflinectl
