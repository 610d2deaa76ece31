// SPDX-License-Identifier: Apache-2.0
#include "runner/machine/device_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <filesystem>
#include <string_view>

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;

/// Empty if the UUID would make a name that leads elsewhere.
fs::path lock_file(const std::string& uuid) {
  std::error_code error;
  const fs::path folder = fs::temp_directory_path(error);
  const bool is_name =
      std::all_of(uuid.begin(), uuid.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '-'; });
  return error || !is_name ? fs::path() : folder / fmt::format("rooflinectl-{}.lock", uuid);
}

/// The file may belong to another user: then it cannot be written, and with O_CREAT perhaps not opened.
FileDescriptor open_shared(const fs::path& path) {
  constexpr int kFlags = O_CLOEXEC | O_NOFOLLOW;
  FileDescriptor file(open(path.c_str(), O_RDWR | O_CREAT | kFlags, 0644));
  return file.is_open() ? std::move(file) : FileDescriptor(open(path.c_str(), O_RDONLY | kFlags));
}

std::string holder(const FileDescriptor& file) {
  std::array<char, 16> text{};
  const ssize_t size = pread(file.get(), text.data(), text.size(), 0);
  const std::string_view words(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  const std::string_view number = words.substr(0, words.find_first_not_of("0123456789"));
  return number.empty() ? "another process" : fmt::format("process {}", number);
}

}  // namespace

DeviceLock::DeviceLock(const std::string& uuid) {
  const fs::path path = lock_file(uuid);
  if (path.empty()) return;
  file_ = open_shared(path);
  if (!file_.is_open()) return;
  if (flock(file_.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) other_ = holder(file_);
    return;
  }
  // Only a hint for the other one: not worth an error. A file with a second name may be somebody's own.
  struct stat status {};
  if (fstat(file_.get(), &status) != 0 || status.st_nlink != 1) return;
  const std::string number = fmt::format("{}\n", getpid());
  if (ftruncate(file_.get(), 0) == 0 && pwrite(file_.get(), number.data(), number.size(), 0) < 0) return;
}

}  // namespace rooflinectl
