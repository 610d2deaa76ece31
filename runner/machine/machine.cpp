// SPDX-License-Identifier: Apache-2.0
#include "runner/machine/machine.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

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

std::string kernel() {
  utsname names{};
  return uname(&names) == 0 ? fmt::format("{} {} {}", names.sysname, names.release, names.machine)
                            : std::string();
}

}  // namespace

bool is_recorded(std::string_view name) {
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end() ||
         std::any_of(kPrefixes.begin(), kPrefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

Environment host_environment() {
  Environment environment;
  environment.operating_system = field_of_file("/etc/os-release", "PRETTY_NAME=", '=');
  environment.kernel = kernel();
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
  const auto found = std::find_if(checks.begin(), checks.end(), [](const Check& check) {
    return check.status == CheckStatus::fails && check.stops_measuring;
  });
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
      std::all_of(uuid.begin(), uuid.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '-'; });
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

}  // namespace rooflinectl
