// SPDX-License-Identifier: Apache-2.0
#include "core/files.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include "core/error.h"

namespace rooflinectl {

std::string read_file(const std::filesystem::path& path, std::size_t max_bytes) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw Error(ErrorKind::usage, fmt::format("{}: is a folder, not a file", path.string()));
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
    throw Error(ErrorKind::usage, fmt::format("{}: is larger than {} MiB", path.string(), max_bytes >> 20));
  }
  if (!file.eof() || file.bad()) {
    throw Error(ErrorKind::usage, fmt::format("{}: cannot be read: {}", path.string(), std::strerror(errno)));
  }
  return content;
}

void write_file(const std::filesystem::path& path, std::string_view content, const char* hint) {
  const std::filesystem::path temporary = path.string() + ".part";
  std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(temporary, path, error);
  if (!file || error) {
    const std::string cause = error ? error.message() : std::strerror(errno);
    std::filesystem::remove(temporary, error);
    throw Error(ErrorKind::environment, fmt::format("{}: cannot be written: {}", path.string(), cause), hint);
  }
}

}  // namespace rooflinectl
