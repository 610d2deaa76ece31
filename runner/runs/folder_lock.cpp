// SPDX-License-Identifier: Apache-2.0
#include "runner/runs/folder_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <cerrno>

#include "core/error.h"

namespace rooflinectl {

FolderLock::FolderLock(const std::filesystem::path& folder)
    : folder_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  const bool is_held_elsewhere =
      folder_.is_open() && flock(folder_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (is_held_elsewhere) {
    throw Error(ErrorKind::environment,
                fmt::format("{}: another rooflinectl is writing to it", folder.string()),
                "wait until it finishes, or stop it");
  }
}

}  // namespace rooflinectl
