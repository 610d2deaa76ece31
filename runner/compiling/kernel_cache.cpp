// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <set>
#include <sstream>

#include "core/error.h"
#include "core/files/files.h"
#include "runner/compiling/compiling.h"

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;

constexpr const char* kCacheHint = "set XDG_CACHE_HOME to a folder that can be written";

/// The name in a line `#include "name"`; nothing if it is none.
std::optional<std::string> included_in(const std::string& line) {
  const std::size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string::npos || line[begin] != '#') return std::nullopt;
  const std::size_t word = line.find_first_not_of(" \t", begin + 1);
  if (word == std::string::npos || line.compare(word, 7, "include") != 0) return std::nullopt;
  const std::size_t open = line.find('"', word);
  const std::size_t close = open == std::string::npos ? open : line.find('"', open + 1);
  if (close == std::string::npos) return std::nullopt;
  return line.substr(open + 1, close - open - 1);
}

/// The text of a file and of all that it includes by names in quotes, relative to itself or to `folder`.
void add_text(const fs::path& file, const fs::path& folder, std::set<fs::path>& seen, std::string& text) {
  if (!seen.insert(file.lexically_normal()).second) return;
  const std::string content = read_file(file);
  text += content;
  std::istringstream lines(content);
  for (std::string line; std::getline(lines, line);) {
    const auto name = included_in(line);
    if (!name) continue;
    for (const fs::path& from : {file.parent_path(), folder}) {
      std::error_code error;
      if (!fs::is_regular_file(from / *name, error)) continue;
      add_text(from / *name, folder, seen, text);
      break;
    }
  }
}

fs::path cache_file(const std::string& name) {
  const auto folder = cache_folder();
  return (folder ? *folder : fs::temp_directory_path() / "rooflinectl") / "kernels" / name;
}

fs::path cached_log(const std::string& key) {
  return cache_file(key + ".log");
}

}  // namespace

std::string text_with_includes(const fs::path& source) {
  std::string text;
  std::set<fs::path> seen;
  add_text(source, source.parent_path(), seen, text);
  return text;
}

fs::path cached_cubin(const std::string& key) {
  return cache_file(key + ".cubin");
}

fs::path cached_program(const std::string& key) {
  return cache_file(key + ".reference");
}

std::optional<CompiledCode> cached_code(const std::string& key) {
  std::error_code error;
  if (!fs::is_regular_file(cached_cubin(key), error) || !fs::is_regular_file(cached_log(key), error)) {
    return std::nullopt;
  }
  return CompiledCode{read_file(cached_cubin(key)), read_file(cached_log(key))};
}

void cache_code(const std::string& key, const CompiledCode& code) {
  make_folder(cached_log(key).parent_path(), kCacheHint);
  write_file(cached_log(key), code.log, kCacheHint);
  write_file(cached_cubin(key), code.cubin, kCacheHint);
}

void cache_program(const std::string& key, const fs::path& program) {
  const fs::path cached = cached_program(key);
  make_folder(cached.parent_path(), kCacheHint);
  // Another process may run it already: it is replaced as a whole.
  const fs::path beside = cache_file(fmt::format("{}.{}", key, getpid()));
  std::error_code error;
  fs::copy_file(program, beside, fs::copy_options::overwrite_existing, error);
  if (!error) fs::rename(beside, cached, error);
  if (error) {
    throw Error(ErrorKind::environment,
                fmt::format("{}: cannot be written: {}", cached.string(), error.message()), kCacheHint);
  }
}

}  // namespace rooflinectl
