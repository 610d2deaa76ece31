// SPDX-License-Identifier: Apache-2.0
#include "runner/machine/machine.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/written_number.h"
#include "runner/machine/catalogue.h"

namespace rooflinectl {

namespace {

// Of CUDA, its libraries, its tools and ours: any of these variables can affect the measurement.
constexpr std::array<std::string_view, 5> kPrefixes = {"CUBLAS", "CUDA_", "CUPTI_", "NVTX_", "ROOFLINECTL_"};

// By their full names: others of the same kind (NVIDIA_API_KEY) hold secrets.
constexpr std::array<std::string_view, 6> kNames = {"LD_LIBRARY_PATH",        "LD_PRELOAD",
                                                    "NVIDIA_DISABLE_REQUIRE", "NVIDIA_DRIVER_CAPABILITIES",
                                                    "NVIDIA_TF32_OVERRIDE",   "NVIDIA_VISIBLE_DEVICES"};

/// What follows `key` and a separator in the first line of the file that begins with it, without quotes.
std::string field_of_file(const char* path, std::string_view key, char separator) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t found = line.find(separator);
    if (found == std::string::npos) continue;
    const std::size_t first = line.find_first_not_of(" \t\"", found + 1);
    const std::size_t last = line.find_last_not_of(" \t\"");
    return first == std::string::npos ? std::string() : line.substr(first, last - first + 1);
  }
  return {};
}

/// Which container this is, by the signs that container programs leave; empty outside of containers.
std::string container() {
  std::error_code error;
  if (std::getenv("KUBERNETES_SERVICE_HOST") != nullptr) return "kubernetes";
  if (std::filesystem::exists("/.dockerenv", error)) return "docker";
  if (std::filesystem::exists("/run/.containerenv", error)) return "podman";
  if (std::getenv("APPTAINER_CONTAINER") != nullptr) return "apptainer";
  if (std::getenv("SINGULARITY_CONTAINER") != nullptr) return "singularity";
  // Set by systemd-nspawn, LXC and others (systemd's Container Interface).
  const char* const named = std::getenv("container");
  return named == nullptr ? "" : named;
}

}  // namespace

bool is_recorded(std::string_view name) {
  return std::ranges::find(kNames, name) != kNames.end() ||
         std::ranges::any_of(kPrefixes, [&](std::string_view prefix) { return name.starts_with(prefix); });
}

Environment host_environment() {
  Environment environment;
  environment.operating_system = field_of_file("/etc/os-release", "PRETTY_NAME=", '=');
  if (utsname names{}; uname(&names) == 0) {
    environment.kernel = fmt::format("{} {} {}", names.sysname, names.release, names.machine);
  }
  environment.processor = field_of_file("/proc/cpuinfo", "model name", ':');
  environment.container = container();
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || !is_recorded(text.substr(0, equals))) continue;
    environment.variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return environment;
}

namespace fs = std::filesystem;

std::optional<Check> container_check(const fs::path& root) {
  std::error_code error;
  if (!fs::exists(root / "proc/driver/nvidia/version", error) || fs::exists(root / "dev/nvidiactl", error)) {
    return std::nullopt;
  }
  return Check{"container", CheckStatus::fails, "the driver is loaded, but this container sees no GPU",
               "expose it with `docker run --gpus all`, or nvidia.com/gpu in the pod's limits", true};
}

std::vector<Check> machine_checks(const std::string& device) {
  std::vector<Check> checks;
  if (const auto check = container_check()) checks.push_back(*check);
  for (const Check& check : load_checks(device)) checks.push_back(check);
  if (const auto check = counter_users_check()) checks.push_back(*check);
  return checks;
}

const Check* stopping_check(const std::vector<Check>& checks) {
  const auto found = std::ranges::find_if(
      checks, [](const Check& check) { return check.status == CheckStatus::fails && check.stops_measuring; });
  return found == checks.end() ? nullptr : &*found;
}

std::vector<Check> require_usable(const std::string& device) {
  std::vector<Check> checks = machine_checks(device);
  if (const Check* stopping = stopping_check(checks)) {
    throw CannotMeasure(ErrorKind::environment, stopping->detail, stopping->fix);
  }
  std::erase_if(checks, [](const Check& check) { return check.status == CheckStatus::ok; });
  return checks;
}

UsableDevices usable_devices(const std::vector<DeviceInfo>& devices) {
  UsableDevices usable;
  std::optional<CannotMeasure> why_not;
  for (const DeviceInfo& device : devices) {
    try {
      for (Check& warning : require_usable(device.uuid)) usable.warnings.push_back(std::move(warning));
      usable.devices.push_back(device);
    } catch (const CannotMeasure& error) {
      if (!why_not) why_not = error;
      usable.losses.push_back(fmt::format("GPU {} ({}): {}", device.index, device.uuid, error.what()));
    }
  }
  if (usable.devices.empty()) throw *why_not;
  return usable;
}

namespace {

/// Empty if the UUID would make a name that leads elsewhere.
fs::path lock_file(const std::string& uuid) {
  std::error_code error;
  const fs::path folder = fs::temp_directory_path(error);
  const bool is_name =
      std::ranges::all_of(uuid, [](unsigned char c) { return std::isalnum(c) != 0 || c == '-'; });
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

namespace {

struct Process {
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
    const auto number = parse_number<int>(id);
    if (!number) continue;
    const std::string name = text_of_process_file(entry.path() / "comm");
    processes[*number] = {.parent = parent_in(text_of_process_file(entry.path() / "stat")),
                          .name = name.substr(0, name.find('\n')),
                          .command = text_of_process_file(entry.path() / "cmdline")};
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
  return std::ranges::find(names, name) != names.end();
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
