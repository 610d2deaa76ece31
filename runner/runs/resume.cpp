// SPDX-License-Identifier: Apache-2.0
#include "runner/runs/resume.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "core/error.h"
#include "core/serial/run_file.h"
#include "runner/version.h"

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& folder, std::string_view what, std::string_view then,
                         std::string_view now) {
  throw Error(
      ErrorKind::usage,
      fmt::format("{}: cannot resume: measured with {} {}, but this is {}", folder.string(), what, then, now),
      "the new results would not be comparable with the old ones; start a new run");
}

std::string build(std::string_view version, std::string_view commit) {
  return fmt::format("{} (commit {})", version, commit);
}

}  // namespace

UnfinishedRun load_unfinished(const fs::path& path) {
  const fs::path file = run_file(path);
  UnfinishedRun unfinished;
  unfinished.run = read_run(file);
  // `latest` may point elsewhere before the run has ended.
  unfinished.folder = fs::canonical(file).parent_path();
  if (unfinished.run.devices.size() > 1 && has_ceilings_alone(unfinished.run.plan)) {
    throw Error(ErrorKind::usage, fmt::format("{}: cannot resume ceilings of several devices", file.string()),
                "rooflinectl ceilings with the same --device, without --fresh, reuses what was measured");
  }
  if (unfinished.run.source == RunSource::replayed) {
    throw Error(ErrorKind::usage, fmt::format("{}: cannot resume a replay", file.string()),
                "start a new run on a machine with a GPU");
  }
  const std::string then = build(unfinished.run.tool_version, unfinished.run.tool_commit);
  const std::string now = build(tool_version(), tool_commit());
  if (then != now) refuse(unfinished.folder, "rooflinectl", then, now);
  return unfinished;
}

std::vector<std::size_t> measured_devices(const Run& run) {
  std::vector<std::size_t> places;
  for (std::size_t place = 0; place < run.devices.size(); ++place) {
    const bool has_point = std::any_of(
        run.measurements.begin(), run.measurements.end(),
        [&](const Measurement& measurement) { return measurement.device == place && !measurement.launches; });
    // A program starts once all points are measured: then the other devices are only its own.
    if (has_point || !run.application || place == Run::kFirstDevice) places.push_back(place);
  }
  return places;
}

void require_same_device(const UnfinishedRun& unfinished, const DeviceInfo& here) {
  const DeviceInfo& then = unfinished.run.device();
  if (then.uuid != here.uuid) refuse(unfinished.folder, "device", then.uuid, here.uuid);
  if (then.driver_version != here.driver_version) {
    refuse(unfinished.folder, "driver", then.driver_version, here.driver_version);
  }
}

}  // namespace rooflinectl
