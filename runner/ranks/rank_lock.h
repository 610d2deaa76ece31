// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/files/file_descriptor.h"

namespace rooflinectl {

/// A locked file that shows others, on any host that sees it, that this process lives: the lock goes with the
/// process, however it ends.
class RankLock {
 public:
  RankLock() = default;
  /// Makes the file.
  explicit RankLock(const std::filesystem::path& file);

  /// False where the file system has no locks: then the file shows nothing.
  bool is_held() const { return file_.is_open(); }

 private:
  FileDescriptor file_;
};

/// Whether the process that made this lock has ended.
bool is_released(const std::filesystem::path& lock);

}  // namespace rooflinectl
