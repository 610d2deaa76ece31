// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/text/written_number.h"
#include "runner/crosscheck/crosscheck.h"

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kToolAnswerLimit{10};

/// Year and number of the tools in the toolkit of CUDA 13.0 (August 2025), the oldest one that the collector
/// is built with.
constexpr std::pair kFirstForCuda13{2025, 3};

bool is_program(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
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

/// Whether the driver lets only administrators use counters.
bool counters_are_reserved() {
  std::ifstream parameters("/proc/driver/nvidia/params");
  for (std::string line; std::getline(parameters, line);) {
    if (line == "RmProfilingAdminOnly: 1") return geteuid() != 0;
  }
  return false;
}

/// Of `ncu` and `nsys`.
const char* package_of(CrossCheckTool tool) {
  return tool == CrossCheckTool::ncu ? "Nsight Compute" : "Nsight Systems";
}

/// `other_shortcoming` applies to a tool that is new enough.
Check tool_check(CrossCheckTool checked,
                 std::optional<Shortcoming> (*other_shortcoming)(const fs::path& tool)) {
  const std::string name(to_string(checked));
  const char* const package = package_of(checked);
  const auto tool = find_tool(name);
  if (!tool) {
    return {name, CheckStatus::warning, "not found; no cross-check with it is possible",
            fmt::format("install {}, or add it to the PATH", package)};
  }
  const std::string version = version_of_tool(*tool);
  if (version.empty()) {
    return {name, CheckStatus::fails, fmt::format("{} does not print its version", tool->string()),
            fmt::format("reinstall {}", package)};
  }
  const std::string found = fmt::format("{} ({})", version, tool->string());
  const auto age = too_old(checked, version);
  const auto shortcoming = age ? age : other_shortcoming(*tool);
  if (!shortcoming) return {name, CheckStatus::ok, found};
  return {name, CheckStatus::warning, fmt::format("{}; {}", found, shortcoming->cause), shortcoming->fix};
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
  const FinishedProgram answer = run_program(program, {"--version"}, kToolAnswerLimit);
  std::istringstream words(answer.wait_status == 0 ? answer.output : "");
  for (std::string word; words >> word;) {
    const auto end = std::ranges::find_if_not(word, [](char c) { return is_digit(c) || c == '.'; });
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

std::optional<Shortcoming> too_old(CrossCheckTool tool, const std::string& version) {
  std::istringstream numbers(version);
  int year = 0;
  char dot = 0;
  int release = 0;
  if (!(numbers >> year >> dot >> release) || std::pair(year, release) >= kFirstForCuda13) {
    return std::nullopt;
  }
  return Shortcoming{tool == CrossCheckTool::nsys ? "older than CUDA 13: it sees NVTX ranges, but no kernels"
                                                  : "older than CUDA 13: it sees no kernels",
                     fmt::format("install {} {}.{} or newer", package_of(tool), kFirstForCuda13.first,
                                 kFirstForCuda13.second)};
}

std::string require_output(const fs::path& tool, const FinishedProgram& finished) {
  const std::string name = tool.filename().string();
  if (!finished.wait_status) {
    throw Error(ErrorKind::environment, fmt::format("{} did not finish in time", name));
  }
  if (*finished.wait_status != 0) {
    const std::string& words = finished.last_log_line;
    throw Error(ErrorKind::environment, fmt::format("{} {}", name, describe_exit(*finished.wait_status)),
                words.empty() ? "" : fmt::format("last line of its log: {}", words));
  }
  return finished.output;
}

void export_nsys_sqlite(const fs::path& nsys, const fs::path& report, const fs::path& database,
                        std::chrono::seconds limit, int stop_fd) {
  require_output(nsys, run_program(nsys,
                                   {"export", "--type", "sqlite", "--force-overwrite", "true", "--output",
                                    database.string(), fs::absolute(report).string()},
                                   limit, stop_fd));
}

Check ncu_check() {
  return tool_check(CrossCheckTool::ncu, [](const fs::path&) -> std::optional<Shortcoming> {
    if (!counters_are_reserved()) return std::nullopt;
    return Shortcoming{"the driver restricts counters to administrators",
                       "set NVreg_RestrictProfilingToAdminUsers=0 for the nvidia kernel module and reload "
                       "it; or run as root"};
  });
}

Check nsys_check() {
  return tool_check(CrossCheckTool::nsys, [](const fs::path& nsys) -> std::optional<Shortcoming> {
    if (find_importer(nsys)) return std::nullopt;
    return Shortcoming{"its importer is missing: it writes a .qdstrm but no report",
                       "install the host components of Nsight Systems (QdstrmImporter)"};
  });
}

}  // namespace rooflinectl
