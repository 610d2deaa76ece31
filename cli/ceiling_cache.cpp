// SPDX-License-Identifier: Apache-2.0
#include "cli/ceiling_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "analysis/analysis.h"
#include "cli/version.h"
#include "core/error.h"
#include "core/files.h"

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;

bool is_of_this_version(const Run& run) {
  return run.tool_version == tool_version() && run.tool_commit == tool_commit();
}

std::optional<fs::path> cache_folder() {
  constexpr const char* kFolder = "rooflinectl/ceilings";
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && fs::path(cache).is_absolute()) return fs::path(cache) / kFolder;
  const char* const home = std::getenv("HOME");
  if (home != nullptr && fs::path(home).is_absolute()) return fs::path(home) / ".cache" / kFolder;
  return std::nullopt;
}

/// Whether two runs saw the same device in the same state.
bool is_same_device(const DeviceInfo& a, const DeviceInfo& b) {
  return a.uuid == b.uuid && a.driver_version == b.driver_version && a.sm_clock_hz == b.sm_clock_hz;
}

/// A UUID is part of a file name.
bool is_file_name(const std::string& text) {
  return !text.empty() &&
         text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-") ==
             std::string::npos;
}

/// `run` without its points.
Run ceilings_of(const Run& run) {
  Run ceilings = run;
  ceilings.plan = {};
  ceilings.plan.name = "ceilings";
  ceilings.measurements.clear();
  return ceilings;
}

}  // namespace

CeilingCache CeilingCache::of_user() {
  return {cache_folder(), [](const std::string& warning) { fmt::print(stderr, "{}\n", warning); }};
}

fs::path CeilingCache::file_of(const std::string& uuid) const {
  return *folder_ / (uuid + ".json");
}

std::vector<Run> CeilingCache::load() const {
  std::vector<Run> runs;
  if (!folder_) return runs;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(*folder_, error)) {
    if (entry.path().extension() != ".json") continue;
    try {
      Run run = run_from_json(read_file(entry.path()), entry.path().string());
      if (file_of(run.device.uuid) != entry.path()) {
        warn_(fmt::format("{}: holds the ceilings of another device; not used", entry.path().string()));
      } else if (is_of_this_version(run)) {
        runs.push_back(std::move(run));
      }
    } catch (const Error& damage) {
      warn_(fmt::format("{}; not used", damage.what()));
    }
  }
  return runs;
}

void CeilingCache::store(const Run& run) const {
  if (!folder_ || !is_file_name(run.device.uuid)) return;
  Run kept = ceilings_of(run);
  for (const Run& earlier : load()) {
    if (!is_same_device(earlier.device, run.device)) continue;
    for (const Ceiling& ceiling : earlier.ceilings) {
      if (find_ceiling(kept, ceiling.id, ceiling.source) == nullptr) kept.ceilings.push_back(ceiling);
    }
  }
  try {
    fs::create_directories(*folder_);
    write_file(file_of(run.device.uuid), run_to_json(kept));
  } catch (const std::exception& error) {
    warn_(fmt::format("the ceilings are not kept for later runs: {}", error.what()));
  }
}

}  // namespace rooflinectl
