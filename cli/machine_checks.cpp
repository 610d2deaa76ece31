// SPDX-License-Identifier: Apache-2.0
#include "cli/machine_checks.h"

#include <fmt/format.h>

#include <fstream>
#include <string>

namespace rooflinectl {

namespace fs = std::filesystem;

std::optional<Check> container_check() {
  std::error_code error;
  if (!fs::exists("/proc/driver/nvidia/version", error) || fs::exists("/dev/nvidiactl", error)) {
    return std::nullopt;
  }
  return Check{"container", CheckStatus::fails, "the driver is loaded, but no GPU is visible here",
               "expose it: docker run --gpus all, or nvidia.com/gpu in the pod's limits", true};
}

std::optional<Check> dcgm_check(const fs::path& processes) {
  std::error_code error;
  for (const fs::directory_entry& process : fs::directory_iterator(processes, error)) {
    std::ifstream file(process.path() / "comm");
    std::string name;
    if (!std::getline(file, name) || (name != "nv-hostengine" && name != "dcgm-exporter")) continue;
    return Check{"dcgm", CheckStatus::warning,
                 fmt::format("{} runs (process {}), and may hold the counters", name,
                             process.path().filename().string()),
                 "where counting fails: dcgmi profile --pause, and --resume afterwards"};
  }
  return std::nullopt;
}

}  // namespace rooflinectl
