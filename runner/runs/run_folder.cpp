// SPDX-License-Identifier: Apache-2.0
#include "runner/runs/run_folder.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "core/files/files.h"
#include "core/serial/run_file.h"
#include "core/text/names.h"

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;

constexpr const char* kHint = "choose another folder with --output";

std::tm utc(std::chrono::system_clock::time_point time) {
  return fmt::gmtime(std::chrono::system_clock::to_time_t(time));
}

/// `-rank07` of 16: folders sort by ranks.
std::string rank_suffix(const std::optional<LauncherRank>& rank) {
  if (!rank || !rank->has_others()) return {};
  const std::size_t digits = fmt::formatted_size("{}", rank->ranks.value_or(1) - 1);
  return fmt::format("-rank{:0{}}", rank->rank, digits);
}

[[noreturn]] void fail(const fs::path& path, const char* problem, const std::string& cause) {
  throw Error(ErrorKind::environment, fmt::format("{}: {}: {}", path.string(), problem, cause), kHint);
}

}  // namespace

std::string utc_time(std::chrono::system_clock::time_point time) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", utc(time));
}

fs::path create_run_folder(const fs::path& parent, const std::string& plan_name,
                           std::chrono::system_clock::time_point time,
                           const std::optional<LauncherRank>& rank) {
  if (!is_plain_name(plan_name)) {
    throw Error(ErrorKind::usage, fmt::format("'{}' is not a valid folder name", plan_name),
                "a plan's name consists of letters, digits, '_' and '-'");
  }
  const fs::path plan_folder = make_folder(parent / plan_name);
  std::error_code error;

  // No colons: some file systems and tools do not take them.
  const std::string name = fmt::format("{:%Y-%m-%dT%H-%M-%SZ}{}", utc(time), rank_suffix(rank));
  fs::path folder = plan_folder / name;
  for (int number = 2; !fs::create_directory(folder, error); ++number) {
    if (error) fail(folder, "cannot be created", error.message());
    folder = plan_folder / fmt::format("{}-{}", name, number);
  }
  if (access(folder.c_str(), W_OK) != 0) {
    fail(folder, "cannot be written", std::generic_category().message(errno));
  }
  return folder;
}

void remove_run_folder(const fs::path& folder) {
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  fs::remove(folder.parent_path(), ignored);  // fails where it is not empty
}

Error rescue_run(const Run& run, const Error& why) {
  const fs::path file =
      create_run_folder(make_private_folder(), run.plan.name, std::chrono::system_clock::now()) / "run.json";
  write_run(file, run);
  return {
      ErrorKind::environment, fmt::format("{}; all results were saved to {}", why.what(), file.string()),
      fmt::format("write the reports to another folder: rooflinectl report {} --output DIR", file.string())};
}

bool link_latest(const fs::path& run_folder) {
  const fs::path link = run_folder.parent_path() / "latest";
  std::error_code error;
  const fs::file_status there = fs::symlink_status(link, error);
  if (fs::exists(there) && !fs::is_symlink(there)) return false;
  const fs::path temporary = unforeseen_name(run_folder.parent_path());
  fs::create_symlink(run_folder.filename(), temporary, error);
  if (!error) fs::rename(temporary, link, error);
  if (!error) return true;
  std::error_code ignored;
  fs::remove(temporary, ignored);
  fail(link, "link cannot be created", error.message());
}

}  // namespace rooflinectl
