// SPDX-License-Identifier: Apache-2.0
#include "cli/profiler_tools.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "cli/collector_process.h"

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kAnswerLimit{10};

bool is_program(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

std::vector<fs::path> path_folders() {
  std::vector<fs::path> folders;
  const char* const path = std::getenv("PATH");
  std::istringstream entries(path != nullptr ? path : "");
  for (std::string folder; std::getline(entries, folder, ':');) folders.emplace_back(folder);
  return folders;
}

/// Toolkits and the packages of the tools alone, the newest version first.
std::vector<fs::path> nvidia_folders() {
  std::vector<fs::path> folders = {"/usr/local/cuda/bin"};
  for (const char* package : {"/opt/nvidia/nsight-compute", "/opt/nvidia/nsight-systems"}) {
    std::vector<fs::path> versions;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(package, error))
      versions.push_back(entry.path());
    std::sort(versions.rbegin(), versions.rend());
    for (const fs::path& version : versions) {
      folders.push_back(version);
      folders.push_back(version / "bin");
    }
  }
  return folders;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Whether the driver lets administrators alone use counters.
bool counters_are_reserved() {
  std::ifstream parameters("/proc/driver/nvidia/params");
  for (std::string line; std::getline(parameters, line);) {
    if (line == "RmProfilingAdminOnly: 1") return geteuid() != 0;
  }
  return false;
}

Check not_found(std::string subject, const char* package) {
  return {std::move(subject), CheckStatus::warning, "not found; numbers cannot be cross-checked with it",
          fmt::format("install {} or put it on the PATH", package)};
}

/// The folders that `program` lies in: as it was found, and as every symbolic link on the way leads to.
std::vector<fs::path> folders_of(fs::path program) {
  constexpr int kMostLinks = 8;
  std::vector<fs::path> folders = {program.parent_path()};
  std::error_code error;
  for (int link = 0; link < kMostLinks && fs::is_symlink(program, error); ++link) {
    program = (program.parent_path() / fs::read_symlink(program, error)).lexically_normal();
    folders.push_back(program.parent_path());
  }
  folders.push_back(fs::canonical(program, error).parent_path());
  return folders;
}

}  // namespace

std::optional<fs::path> find_tool(const std::string& name) {
  for (const auto& folders : {path_folders(), nvidia_folders()}) {
    for (const fs::path& folder : folders) {
      if (is_program(folder / name)) return folder / name;
    }
  }
  return std::nullopt;
}

std::string version_of_tool(const fs::path& program) {
  std::istringstream words(output_of(program, {"--version"}).value_or(""));
  for (std::string word; words >> word;) {
    const auto end =
        std::find_if_not(word.begin(), word.end(), [](char c) { return is_digit(c) || c == '.'; });
    const std::string numbers(word.begin(), end);
    const auto first_dot = numbers.find('.');
    const auto second_dot = numbers.find('.', first_dot + 1);
    if (first_dot != 4 || second_dot == std::string::npos) continue;
    return numbers.substr(0, numbers.find('.', second_dot + 1));
  }
  return {};
}

std::optional<fs::path> find_importer(const fs::path& nsys) {
  std::error_code error;
  for (const fs::path& folder : folders_of(nsys)) {
    for (const fs::path& root : {folder, folder.parent_path()}) {
      if (is_program(root / "QdstrmImporter")) return root / "QdstrmImporter";
      for (const fs::directory_entry& entry : fs::directory_iterator(root, error)) {
        const fs::path importer = entry.path() / "QdstrmImporter";
        if (entry.path().filename().string().starts_with("host") && is_program(importer)) return importer;
      }
    }
  }
  return std::nullopt;
}

std::optional<std::string> output_of(const fs::path& program, const std::vector<std::string>& arguments) {
  const FinishedProgram finished = run_program(program, arguments, kAnswerLimit);
  return finished.wait_status == 0 ? std::optional(finished.output) : std::nullopt;
}

Check ncu_check() {
  const auto ncu = find_tool("ncu");
  if (!ncu) return not_found("ncu", "Nsight Compute");
  const std::string version = version_of_tool(*ncu);
  if (version.empty()) {
    return {"ncu", CheckStatus::fails, fmt::format("{} does not tell its version", ncu->string()),
            "install Nsight Compute again"};
  }
  const std::string found = fmt::format("{} ({})", version, ncu->string());
  if (!counters_are_reserved()) return {"ncu", CheckStatus::ok, found};
  return {
      "ncu", CheckStatus::warning, found + "; the driver reserves counters for administrators",
      "set NVreg_RestrictProfilingToAdminUsers=0 for the nvidia kernel module and reload it, or run as root"};
}

Check nsys_check() {
  const auto nsys = find_tool("nsys");
  if (!nsys) return not_found("nsys", "Nsight Systems");
  const std::string version = version_of_tool(*nsys);
  if (version.empty()) {
    return {"nsys", CheckStatus::fails, fmt::format("{} does not tell its version", nsys->string()),
            "install Nsight Systems again"};
  }
  const std::string found = fmt::format("{} ({})", version, nsys->string());
  if (find_importer(*nsys)) return {"nsys", CheckStatus::ok, found};
  return {"nsys", CheckStatus::warning, found + "; without its importer it leaves a .qdstrm and no report",
          "install the host part of Nsight Systems (QdstrmImporter)"};
}

}  // namespace rooflinectl
