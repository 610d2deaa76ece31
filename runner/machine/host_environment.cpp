// SPDX-License-Identifier: Apache-2.0
#include "runner/machine/host_environment.h"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>

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

}  // namespace rooflinectl
