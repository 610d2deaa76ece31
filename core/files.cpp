// SPDX-License-Identifier: Apache-2.0
#include "core/files.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <system_error>

#include "core/error.h"

namespace rooflinectl {

std::string read_file(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw Error(ErrorKind::usage, fmt::format("{}: is a folder, not a file", path.string()));
  }
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  if (file) content << file.rdbuf();
  if (!file || file.bad()) {
    throw Error(ErrorKind::usage, fmt::format("{}: cannot be read: {}", path.string(), std::strerror(errno)));
  }
  return content.str();
}

void write_file(const std::filesystem::path& path, std::string_view content) {
  const std::filesystem::path temporary = path.string() + ".part";
  std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(temporary, path, error);
  if (!file || error) {
    const std::string cause = error ? error.message() : std::strerror(errno);
    std::filesystem::remove(temporary, error);
    throw Error(ErrorKind::environment, fmt::format("{}: cannot be written: {}", path.string(), cause),
                "choose another folder with --output");
  }
}

}  // namespace rooflinectl
