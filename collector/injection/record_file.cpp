// SPDX-License-Identifier: Apache-2.0
#include "collector/injection/record_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "core/files/file_descriptor.h"
#include "core/serial/profile_records.h"

namespace rooflinectl::injection {

namespace {

constexpr std::size_t kWriteBytes = std::size_t{256} << 10;

/// Writes all of `text` at the end of the file, or leaves it as it was.
bool append(const FileDescriptor& file, const std::string& text) {
  const off_t size = lseek(file.get(), 0, SEEK_END);
  if (size < 0) return false;
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t count = write(file.get(), text.data() + written, text.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      // If this fails too, the file ends in half a line, and nothing more can be written to it.
      static_cast<void>(ftruncate(file.get(), size));
      return false;
    }
    written += static_cast<std::size_t>(count);
  }
  return true;
}

}  // namespace

RecordFile::RecordFile(std::string path) : path_(std::move(path)) {
  const FileDescriptor file(open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
  is_usable_ = file.is_open();
}

void RecordFile::add(const ProfileRecord& record) {
  const std::string line = encode(record) + "\n";
  const std::lock_guard lock(mutex_);
  gathered_ += line;
  ++gathered_records_;
  if (gathered_.size() >= kWriteBytes) write_gathered();
}

void RecordFile::flush() {
  const std::lock_guard lock(mutex_);
  write_gathered();
}

std::uint64_t RecordFile::lost_records() const {
  const std::lock_guard lock(mutex_);
  return lost_records_;
}

void RecordFile::write_gathered() {
  if (gathered_.empty()) return;
  const FileDescriptor file(is_usable_ ? open(path_.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC) : -1);
  if (!file.is_open() || !append(file, gathered_)) lost_records_ += gathered_records_;
  gathered_.clear();
  gathered_records_ = 0;
}

}  // namespace rooflinectl::injection
