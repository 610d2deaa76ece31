// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "runner/machine/machine.h"

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;

struct Process {
  int id = 0;
  int parent = 0;
  std::string name;     ///< as in `comm`: at most 15 characters
  std::string command;  ///< its arguments, each ended by a null character
};

std::string text_of_process_file(const fs::path& file) {
  std::ostringstream content;
  content << std::ifstream(file).rdbuf();
  return content.str();
}

/// The parent in the text of `stat`: `42 (name, which may have blanks) S 7 …`.
int parent_in(std::string_view stat) {
  constexpr std::string_view kBeforeState = ") ";
  constexpr std::size_t kStateAndBlank = 2;
  const std::size_t end_of_name = stat.rfind(kBeforeState);
  if (end_of_name == std::string_view::npos) return 0;
  const std::size_t start = end_of_name + kBeforeState.size() + kStateAndBlank;
  int parent = 0;
  if (start < stat.size()) std::from_chars(stat.data() + start, stat.data() + stat.size(), parent);
  return parent;
}

/// All processes by id. One that ends meanwhile has empty texts.
std::map<int, Process> running_processes(const fs::path& folder) {
  std::map<int, Process> processes;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string id = entry.path().filename().string();
    Process process;
    const auto [end, mistake] = std::from_chars(id.data(), id.data() + id.size(), process.id);
    if (mistake != std::errc() || end != id.data() + id.size()) continue;
    std::string name = text_of_process_file(entry.path() / "comm");
    process.name = name.substr(0, name.find('\n'));
    process.parent = parent_in(text_of_process_file(entry.path() / "stat"));
    process.command = text_of_process_file(entry.path() / "cmdline");
    processes.emplace(process.id, std::move(process));
  }
  return processes;
}

/// Whether `process` is `ancestor`, or descends from it.
bool descends(const std::map<int, Process>& processes, int process, int ancestor) {
  for (std::size_t steps = 0; process != 0 && steps <= processes.size(); ++steps) {
    if (process == ancestor) return true;
    const auto found = processes.find(process);
    process = found == processes.end() ? 0 : found->second.parent;
  }
  return false;
}

/// Programs that hold counters, by the names of their processes.
constexpr std::array<std::string_view, 2> kMonitors = {"nv-hostengine", "dcgm-exporter"};
constexpr std::array<std::string_view, 2> kProfilers = {"ncu", "nsys"};
constexpr std::string_view kOwnName = "rooflinectl";
constexpr std::array<std::string_view, 7> kCountingCommands = {"ceilings", "crosscheck", "gate", "profile",
                                                               "run",      "selftest",   "watch"};

template <typename Names>
bool is_one_of(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// What follows the name of the program; empty if nothing does.
std::string first_argument(const Process& process) {
  const std::size_t end_of_program = process.command.find('\0');
  return end_of_program == std::string::npos ? "" : process.command.c_str() + end_of_program + 1;
}

/// `rooflinectl watch`, `ncu`; empty if the process counts nothing.
std::string profiler_name(const Process& process) {
  if (is_one_of(kProfilers, process.name)) return process.name;
  const std::string command = first_argument(process);
  if (process.name != kOwnName || !is_one_of(kCountingCommands, command)) return "";
  return fmt::format("{} {}", process.name, command);
}

/// `a`, `a and b`, `a, b and c`
std::string listed(const std::vector<std::string>& texts) {
  if (texts.size() == 1) return texts.front();
  return fmt::format("{} and {}", fmt::join(texts.begin(), texts.end() - 1, ", "), texts.back());
}

}  // namespace

std::optional<Check> counter_users_check(const fs::path& folder, int self) {
  const std::map<int, Process> processes = running_processes(folder);
  const auto own = processes.find(self);
  std::vector<std::string> users;
  std::vector<std::string> remedies;
  std::vector<std::string> profilers;
  for (const auto& [id, process] : processes) {
    const bool is_monitor = is_one_of(kMonitors, process.name);
    const std::string name = is_monitor ? process.name : profiler_name(process);
    if (name.empty()) continue;
    if (descends(processes, id, self) || descends(processes, self, id)) continue;
    if (own != processes.end() && !process.command.empty() && process.command == own->second.command)
      continue;
    users.push_back(fmt::format("{} (process {})", name, id));
    if (!is_monitor) profilers.push_back(std::to_string(id));
    if (is_monitor && remedies.empty())
      remedies.emplace_back("dcgmi profile --pause, and --resume afterwards");
  }
  if (users.empty()) return std::nullopt;
  if (!profilers.empty()) {
    remedies.push_back(
        fmt::format("wait for the other profiler, or end it: kill {}", fmt::join(profilers, " ")));
  }
  return Check{"counter users", CheckStatus::warning,
               fmt::format("{} may be using the counters", listed(users)),
               fmt::format("if counting fails: {}", fmt::join(remedies, "; "))};
}

std::optional<Check> counter_users_check() {
  const char* const folder = std::getenv("ROOFLINECTL_PROCESSES");
  return counter_users_check(folder != nullptr ? folder : "/proc", getpid());
}

}  // namespace rooflinectl
