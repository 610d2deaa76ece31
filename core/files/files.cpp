// SPDX-License-Identifier: Apache-2.0
#include "core/files/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sha2.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <thread>

#include "core/error.h"

namespace rooflinectl {

std::string read_file(const std::filesystem::path& path, std::size_t max_bytes) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw Error(ErrorKind::usage, fmt::format("{}: this is a folder, not a file", path.string()));
  }
  // In pieces: a pipe or a device does not tell its size.
  std::ifstream file(path, std::ios::binary);
  std::string content;
  std::array<char, 65536> piece{};
  while (file && content.size() <= max_bytes) {
    file.read(piece.data(), piece.size());
    content.append(piece.data(), static_cast<std::size_t>(file.gcount()));
  }
  if (content.size() > max_bytes) {
    throw Error(ErrorKind::usage, fmt::format("{}: larger than {} MiB", path.string(), max_bytes >> 20));
  }
  if (!file.eof() || file.bad()) {
    throw Error(ErrorKind::usage, fmt::format("{}: cannot be read: {}", path.string(), std::strerror(errno)));
  }
  return content;
}

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

[[noreturn]] void fail() {
  throw std::system_error(errno, std::generic_category());
}

void write_all(const FileDescriptor& file, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = write(file.get(), content.data(), content.size());
    if (written < 0 && errno != EINTR) fail();
    if (written > 0) content.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// Some file systems report only now that there was no space.
void close_written(FileDescriptor& file) {
  if (close(file.release()) != 0) fail();
}

/// A copy of the descriptor of this process that `path` stands for, as `/dev/stdout` and `/dev/fd/3` do:
/// opening it anew would write over what was written to it before. Not open if it stands for none.
FileDescriptor own_descriptor(fs::path path) {
  constexpr int kMostLinks = 40;
  const fs::path descriptors = "/proc/self/fd";
  std::error_code error;
  for (int links = 0; links < kMostLinks && fs::is_symlink(path, error); ++links) {
    const fs::path folder = fs::absolute(path).parent_path();
    if (fs::equivalent(folder, descriptors, error)) {
      return FileDescriptor(fcntl(std::stoi(path.filename()), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
    }
    path = folder / fs::read_symlink(path, error);
  }
  return {};
}

/// Opens what is there, or the target of a link that leads nowhere yet. The kernel decides which links may be
/// followed. Not open if there is nothing.
FileDescriptor open_existing(const fs::path& path) {
  constexpr int kFlags = O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  constexpr mode_t kPermissions = 0666;
  const auto deadline = std::chrono::steady_clock::now() + 10s;
  std::error_code ignored;
  const int creation = fs::is_symlink(path, ignored) ? O_CREAT : 0;
  while (true) {
    FileDescriptor file(open(path.c_str(), kFlags | creation, kPermissions));
    if (file.is_open()) {
      fcntl(file.get(), F_SETFL, O_WRONLY);  // only opening must not block
      return file;
    }
    const int error = errno;
    if (error == ENOENT) return file;
    const bool lacks_reader = error == ENXIO && fs::is_fifo(path, ignored);
    errno = error;
    if (!lacks_reader || std::chrono::steady_clock::now() > deadline) fail();
    std::this_thread::sleep_for(50ms);
  }
}

/// `permissions`: those of the file that is replaced, if there is one.
void replace(const fs::path& path, std::string_view content, std::optional<fs::perms> permissions) {
  const fs::path temporary = unforeseen_name(path.parent_path());
  write_new_file(temporary, content, permissions);
  try {
    fs::rename(temporary, path);
  } catch (const std::system_error&) {
    std::error_code ignored;
    fs::remove(temporary, ignored);
    throw;
  }
}

void write_following_links(const fs::path& path, std::string_view content) {
  if (FileDescriptor own = own_descriptor(path); own.is_open()) {
    std::fflush(nullptr);  // earlier output comes first
    write_all(own, content);
    return close_written(own);
  }
  FileDescriptor existing = open_existing(path);
  if (!existing.is_open()) return replace(path, content, std::nullopt);
  struct stat status {};
  if (fstat(existing.get(), &status) != 0) fail();
  if (S_ISREG(status.st_mode)) {
    return replace(fs::canonical(path), content, fs::perms(status.st_mode) & fs::perms::mask);
  }
  write_all(existing, content);
  close_written(existing);
}

}  // namespace

void write_new_file(const fs::path& path, std::string_view content, std::optional<fs::perms> permissions) {
  constexpr mode_t kPermissions = 0666;
  FileDescriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kPermissions));
  if (!file.is_open()) fail();
  try {
    if (permissions && fchmod(file.get(), static_cast<mode_t>(*permissions)) != 0) fail();
    write_all(file, content);
    close_written(file);
  } catch (const std::system_error&) {
    std::error_code ignored;
    fs::remove(path, ignored);
    throw;
  }
}

void write_file(const fs::path& path, std::string_view content, const char* hint) {
  try {
    write_following_links(path, content);
  } catch (const std::system_error& error) {
    throw Error(ErrorKind::environment,
                fmt::format("{}: cannot be written: {}", path.string(), error.code().message()), hint);
  }
}

std::filesystem::path make_folder(const std::filesystem::path& folder, const char* hint) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error) return folder;
  throw Error(ErrorKind::environment,
              fmt::format("{}: cannot be created: {}", folder.string(), error.message()), hint);
}

fs::path make_private_folder() {
  std::string folder = (fs::temp_directory_path() / "rooflinectl-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) {
    throw Error(ErrorKind::environment,
                fmt::format("{}: cannot be created: {}", folder, std::strerror(errno)),
                "TMPDIR names the folder for temporary files");
  }
  return folder;
}

bool is_same_file(const fs::path& a, const fs::path& b) {
  std::error_code error;
  if (fs::exists(a, error) && fs::exists(b, error)) {
    return fs::is_regular_file(a, error) && fs::equivalent(a, b, error);
  }
  return fs::weakly_canonical(fs::absolute(a), error) == fs::weakly_canonical(fs::absolute(b), error);
}

void refuse_to_overwrite(const fs::path& output, const std::vector<fs::path>& inputs) {
  for (const fs::path& input : inputs) {
    if (!is_same_file(output, input)) continue;
    throw Error(ErrorKind::usage, fmt::format("{}: refusing to overwrite an input", output.string()),
                "choose another output");
  }
}

fs::path unforeseen_name(const fs::path& folder) {
  std::random_device random;
  return folder / fmt::format(".rooflinectl-{:08x}{:08x}.part", random(), random());
}

std::optional<std::filesystem::path> cache_folder() {
  namespace fs = std::filesystem;
  constexpr const char* kFolder = "rooflinectl";
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && fs::path(cache).is_absolute()) return fs::path(cache) / kFolder;
  const char* const home = std::getenv("HOME");
  if (home != nullptr && fs::path(home).is_absolute()) return fs::path(home) / ".cache" / kFolder;
  return std::nullopt;
}

std::string sha256(std::string_view text) {
  std::array<char, SHA256_DIGEST_STRING_LENGTH> digits{};
  SHA256Data(reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), digits.data());
  return digits.data();
}

std::string cut_name(std::string_view name, std::size_t length) {
  if (name.size() <= length) return std::string(name);
  const std::string end = "..." + sha256(name).substr(0, 12);
  return std::string(name.substr(0, length - end.size())) + end;
}

}  // namespace rooflinectl
