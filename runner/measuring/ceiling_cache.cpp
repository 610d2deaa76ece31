// SPDX-License-Identifier: Apache-2.0
#include "runner/measuring/ceiling_cache.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string_view>

#include "core/error.h"
#include "core/model/known_ceilings.h"
#include "core/serial/run_file.h"
#include "runner/version.h"

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;

/// Changes with the version, the commit and the file of the collector: a rebuilt one may measure differently.
std::string build_of(const fs::path& collector) {
  std::error_code error;
  const auto size = fs::file_size(collector, error);
  const auto written = fs::last_write_time(collector, error).time_since_epoch().count();
  const std::string text = fmt::format("{} {} {} {}", tool_version(), tool_commit(), size, written);
  return fmt::format("{:016x}", std::hash<std::string>{}(text));
}

std::optional<fs::path> cache_folder() {
  constexpr const char* kFolder = "rooflinectl/ceilings";
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && fs::path(cache).is_absolute()) return fs::path(cache) / kFolder;
  const char* const home = std::getenv("HOME");
  if (home != nullptr && fs::path(home).is_absolute()) return fs::path(home) / ".cache" / kFolder;
  return std::nullopt;
}

/// Adds to `kept` what only `earlier` has. The launch stays the earlier one: its clock is what all of them
/// were measured at, and must not drift from run to run.
void merge(Run& kept, const Run& earlier) {
  std::erase_if(kept.ceilings, [](const Ceiling& ceiling) { return ceiling.id == "launch"; });
  for (const Ceiling& ceiling : earlier.ceilings) {
    if (find_ceiling(kept, ceiling.id, ceiling.source, ceiling.device) == nullptr)
      kept.ceilings.push_back(ceiling);
  }
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

CeilingCache CeilingCache::of_user(const fs::path& collector, Warn warn) {
  return {cache_folder(), build_of(collector), std::move(warn)};
}

fs::path CeilingCache::file_of(const std::string& uuid) const {
  return *folder_ / fmt::format("{}.{}.json", uuid, build_);
}

std::vector<Run> CeilingCache::load() const {
  std::vector<Run> runs;
  if (!folder_) return runs;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(*folder_, error)) {
    if (!entry.path().filename().string().ends_with(fmt::format(".{}.json", build_))) continue;
    try {
      Run run = read_run(entry.path());
      if (file_of(run.device().uuid) != entry.path()) {
        warn_(fmt::format("{}: contains the ceilings of another device; ignored", entry.path().string()));
      } else {
        runs.push_back(std::move(run));
      }
    } catch (const Error& damage) {
      warn_(fmt::format("{}; ignored", damage.what()));
    }
  }
  return runs;
}

void CeilingCache::remove_other_builds(const std::string& uuid) const {
  for (const fs::directory_entry& entry : fs::directory_iterator(*folder_)) {
    if (entry.path() != file_of(uuid) && entry.path().filename().string().starts_with(uuid + ".")) {
      fs::remove(entry.path());
    }
  }
}

void CeilingCache::store(const Run& run) const {
  if (!folder_ || !is_file_name(run.device().uuid)) return;
  Run kept = ceilings_of(run);
  for (const Run& earlier : load()) {
    if (hold(known_ceilings(earlier), run.device(), launch_clock_hz(run))) merge(kept, earlier);
  }
  try {
    fs::create_directories(*folder_);
    remove_other_builds(run.device().uuid);
    write_run(file_of(run.device().uuid), kept);
  } catch (const std::exception& error) {
    warn_(fmt::format("cannot store the ceilings for later runs: {}", error.what()));
  }
}

}  // namespace rooflinectl
