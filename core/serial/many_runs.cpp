// SPDX-License-Identifier: Apache-2.0
#include "core/serial/many_runs.h"

#include <fmt/format.h>

#include <set>
#include <system_error>

#include "core/error.h"
#include "core/serial/run_file.h"

namespace rooflinectl {

namespace fs = std::filesystem;

namespace {

/// Those of all runs below `folder`, sorted.
std::vector<fs::path> run_files_in(const fs::path& folder) {
  constexpr const char* kHint = "name runs, or a folder that has some, such as the one given with --output";
  std::error_code error;
  std::vector<fs::path> files;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    std::error_code unknown;
    const bool is_folder = entry->is_directory(unknown) && !entry->is_symlink(unknown);
    if (is_folder && fs::exists(run_file(entry->path()), unknown)) files.push_back(run_file(entry->path()));
  }
  if (error) {
    throw Error(ErrorKind::usage, fmt::format("{}: cannot be read: {}", folder.string(), error.message()));
  }
  if (files.empty()) {
    throw Error(ErrorKind::usage, fmt::format("{}: no run is below this folder", folder.string()), kHint);
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::vector<fs::path> different_run_files(const std::vector<fs::path>& runs) {
  std::vector<fs::path> files;
  std::set<fs::path> known;
  for (const fs::path& run : runs) {
    std::error_code error;
    const fs::path file = run_file(run);
    const fs::path real = fs::canonical(file, error);
    if (error || known.insert(real).second) files.push_back(file);
  }
  return files;
}

std::vector<fs::path> run_files_below(const std::vector<std::string>& names) {
  std::vector<fs::path> files;
  for (const std::string& name : names) {
    std::error_code unknown;
    const fs::path file = run_file(name);
    if (!fs::is_directory(name, unknown) || fs::exists(file, unknown)) {
      files.push_back(file);
    } else {
      const std::vector<fs::path> below = run_files_in(name);
      files.insert(files.end(), below.begin(), below.end());
    }
  }
  return different_run_files(files);
}

}  // namespace rooflinectl
