// SPDX-License-Identifier: Apache-2.0
#include "runner/measuring/device_ceilings.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "core/files/files.h"
#include "core/model/known_ceilings.h"
#include "core/serial/run_file.h"
#include "core/text/names.h"
#include "runner/built_in.h"
#include "runner/machine/catalogue.h"
#include "runner/measuring/device_runs.h"

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

/// `run` without its points.
Run ceilings_of(const Run& run) {
  Run ceilings = run;
  ceilings.plan = {};
  ceilings.plan.name = "ceilings";
  ceilings.measurements.clear();
  return ceilings;
}

/// The UUIDs of devices and their drivers.
std::set<std::pair<std::string, std::string>> identity_of(const std::vector<DeviceInfo>& devices) {
  std::set<std::pair<std::string, std::string>> identity;
  for (const DeviceInfo& device : devices) identity.emplace(device.uuid, device.driver_version);
  return identity;
}

/// Removes the files of other builds, whose names differ in the build alone.
void remove_other_builds(const fs::path& file) {
  const std::string name = file.stem().stem().string() + ".";
  for (const fs::directory_entry& entry : fs::directory_iterator(file.parent_path())) {
    if (entry.path() != file && entry.path().filename().string().starts_with(name)) fs::remove(entry.path());
  }
}

}  // namespace

CeilingCache CeilingCache::of_user(const fs::path& collector, Warn warn) {
  const auto folder = cache_folder();
  return {folder ? std::optional(*folder / "ceilings") : std::nullopt, build_of(collector), std::move(warn)};
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
        warn_(fmt::format("{}: contains the ceilings of a different device; ignored", entry.path().string()));
      } else {
        runs.push_back(std::move(run));
      }
    } catch (const Error& damage) {
      warn_(fmt::format("{}; ignored", damage.what()));
    }
  }
  return runs;
}

void CeilingCache::write(const fs::path& file, const Run& run) const {
  try {
    fs::create_directories(file.parent_path());
    remove_other_builds(file);
    write_run(file, run);
  } catch (const std::exception& error) {
    warn_(fmt::format("cannot store the ceilings for later runs: {}", error.what()));
  }
}

void CeilingCache::store(const Run& run) const {
  if (!folder_ || !is_plain_name(run.device().uuid)) return;  // a part of a file name
  Run kept = ceilings_of(run);
  for (const Run& earlier : load()) {
    if (!hold(known_ceilings(earlier), run.device(), launch_clock_hz(run))) continue;
    // The launch ceiling stays the earlier one: its clock is the one that all of them were measured at, and
    // must not drift from run to run.
    std::erase_if(kept.ceilings, [](const Ceiling& ceiling) { return ceiling.id == ceiling_id::kLaunch; });
    for (const Ceiling& ceiling : earlier.ceilings) add_if_unknown(kept, ceiling);
  }
  write(file_of(run.device().uuid), kept);
}

fs::path CeilingCache::collectives_file_of(const std::vector<DeviceInfo>& devices) const {
  std::string uuids;  // too long for a file's name
  for (const auto& [uuid, driver] : identity_of(devices)) uuids += uuid + " ";
  const std::size_t hash = std::hash<std::string>{}(uuids);
  return *folder_ / "collectives" / fmt::format("{:016x}.{}.json", hash, build_);
}

std::optional<Collectives> CeilingCache::load_collectives(const std::vector<DeviceInfo>& devices) const {
  if (!folder_) return std::nullopt;
  const fs::path file = collectives_file_of(devices);
  std::error_code error;
  if (!fs::exists(file, error)) return std::nullopt;
  try {
    const Run run = read_run(file);
    if (identity_of(run.devices) == identity_of(devices)) return run.collectives;
  } catch (const Error& damage) {
    warn_(fmt::format("{}; ignored", damage.what()));
  }
  return std::nullopt;
}

void CeilingCache::store_collectives(const Run& run) const {
  if (!folder_ || !run.collectives || !run.collectives->missing.empty()) return;
  Run kept = ceilings_of(run);
  kept.ceilings.clear();
  write(collectives_file_of(run.devices), kept);
}

MeasureResult measure_ceilings_into(Run& run, std::size_t place, MeasureRequest request,
                                    const MeasureObserver& observer) {
  request.device = run.devices[place].uuid;
  MeasureResult measured = measure(request, observer);
  std::error_code ignored;
  std::filesystem::remove_all(request.output / request.plan.name, ignored);
  if (measured.folder.empty()) return measured;
  add_device_run(run, place, measured.run);
  run.plan.ceilings = measured.run.plan.ceilings;
  return measured;
}

std::optional<Collectives> known_collectives(const std::vector<DeviceInfo>& devices,
                                             const CeilingCache::Warn& warn) {
  const auto collector = find_collector();
  return collector ? CeilingCache::of_user(*collector, warn).load_collectives(devices) : std::nullopt;
}

}  // namespace rooflinectl
