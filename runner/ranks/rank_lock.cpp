// SPDX-License-Identifier: Apache-2.0
#include "runner/ranks/rank_lock.h"

#include <fcntl.h>
#include <sys/file.h>

namespace rooflinectl {

// Over NFS an exclusive lock takes a file that is open for writing, and a shared one a file open for reading.

RankLock::RankLock(const std::filesystem::path& file)
    : file_(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
  if (file_.is_open() && flock(file_.get(), LOCK_EX | LOCK_NB) != 0) file_.reset();
}

bool is_released(const std::filesystem::path& lock) {
  const FileDescriptor file(open(lock.c_str(), O_RDONLY | O_CLOEXEC));
  return file.is_open() && flock(file.get(), LOCK_SH | LOCK_NB) == 0;
}

}  // namespace rooflinectl
