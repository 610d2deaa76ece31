// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <numeric>
#include <set>
#include <utility>

#include "core/error.h"
#include "core/serial/program/program_files.h"
#include "core/serial/run_file.h"
#include "runner/built_in.h"
#include "runner/measuring/device_ceilings.h"
#include "runner/merging/merging.h"
#include "runner/runs/run_folder.h"

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;

/// The outline of a program's run; all of a plan's.
Run read_part(const fs::path& file) {
  Run run = read_run_without_details(file);
  return run.application ? run : read_run(file);
}

/// What to do about a run that rooflinectl was killed in.
std::string with_way_out(const Error& error, const fs::path& folder) {
  if (!fs::exists(folder / "records-1")) return error.what();
  return fmt::format("{}; rooflinectl was killed there: rooflinectl profile --resume {} completes the run",
                     error.what(), folder.string());
}

/// One merge:
///   1. read the outline of each run, and what its groups took in each process; those of a plan are joined
///      by `merged_plan`
///   2. put their processes, devices and times together
///   3. choose the devices that are kept in full; read their runs once more
///   4. write run.json and the timeline
class Merging {
 public:
  Merging(const MergeRequest& request, const MergeProgress& progress)
      : request_(request), progress_(progress) {}

  MergeResult run() {
    std::vector<RunPart> parts = read_parts();
    if (parts.size() < 2) refuse();
    result_.run =
        parts.front().run.application ? merged_program(std::move(parts)) : merged_plan(std::move(parts));
    result_.run.tool_version = tool_version();
    result_.run.tool_commit = tool_commit();
    result_.run.command_line = request_.command_line;
    write();
    return std::move(result_);
  }

 private:
  Run merged_program(std::vector<RunPart> parts) {
    MergedRun merged(std::move(parts));
    for (const std::string& cause : result_.left_out) merged.add_problem({.cause = cause});
    merged.add_rows(rows_, added_in_full(merged, devices_to_keep(merged)));
    result_.timeline = merged.take_timeline();
    Run run = merged.take_run();
    add_known_collectives(run);
    return run;
  }

  /// What the collectives of the program take alone, if that is known here.
  static void add_known_collectives(Run& run) {
    if (run.application->collectives.empty()) return;
    run.collectives = known_collectives(run.devices, [&](const std::string& warning) {
      run.application->problems.push_back({.cause = warning});
    });
  }

  std::vector<RunPart> read_parts() {
    const std::vector<fs::path> files = different_run_files({request_.runs.begin(), request_.runs.end()});
    std::vector<RunPart> parts;
    read_in_parallel(files, read_part, [&](std::size_t i, std::future<Run>& reading) {
      try {
        Run run = reading.get();
        const bool is_of_program = run.application.has_value();
        if (!parts.empty() && parts.front().run.application.has_value() != is_of_program) {
          throw Error(ErrorKind::usage, fmt::format("{}: is not a run of rooflinectl {}", files[i].string(),
                                                    is_of_program ? "run" : "profile"));
        }
        if (is_of_program) take_details(parts.size(), run);
        parts.push_back({.name = files[i].parent_path().string(), .run = std::move(run)});
        files_.push_back(files[i]);
      } catch (const Error& error) {
        result_.left_out.push_back(with_way_out(error, files[i].parent_path()));
      }
      progress_(i + 1, files.size());
    });
    result_.merged = parts.size();
    return parts;
  }

  void take_details(std::size_t part, Run& run) {
    rows_.add(part, run);
    for (const Measurement& measurement : run.measurements) used_.emplace(part, measurement.device);
    run.measurements = {};
    run.ceilings = {};
    run.application->other_ranks = {};
  }

  [[noreturn]] void refuse() const {
    std::string message = "merge needs at least two runs";
    for (const std::string& cause : result_.left_out) message += fmt::format("\n{}", cause);
    throw Error(ErrorKind::usage, message,
                "name the folders that rooflinectl profile or run wrote, one for each rank or host");
  }

  std::set<std::size_t> devices_to_keep(const MergedRun& merged) const {
    std::vector<double> times(merged.devices());
    for (const GroupRows::Row& row : rows_.rows()) {
      const bool is_waiting = is_collective(rows_.groups()[row.group].subject);
      if (!is_waiting && !merged.is_duplicate(row.run))
        times[merged.device(row.run, row.device)] += row.launches.total_s;
    }
    std::vector<std::size_t> by_time(times.size());
    std::iota(by_time.begin(), by_time.end(), 0);
    if (by_time.size() <= kMostDevicesInFull) return {by_time.begin(), by_time.end()};
    std::ranges::stable_sort(by_time, [&](std::size_t a, std::size_t b) { return times[a] < times[b]; });
    std::set<std::size_t> chosen;
    for (std::size_t i = 0; i < kMostDevicesInFull; ++i) {
      chosen.insert(by_time[i * (by_time.size() - 1) / (kMostDevicesInFull - 1)]);
    }
    return chosen;
  }

  /// Returns those of `devices` that are there: a run may be damaged where its outline is not.
  std::set<std::size_t> added_in_full(MergedRun& merged, const std::set<std::size_t>& devices) {
    std::set<std::size_t> added;
    for (std::size_t part = 0; part < files_.size(); ++part) {
      if (merged.is_duplicate(part)) continue;
      std::set<std::size_t> of_part;
      for (const auto& [user, device] : used_) {
        if (user == part) of_part.insert(merged.device(part, device));
      }
      std::erase_if(of_part, [&](std::size_t device) { return !devices.contains(device); });
      if (of_part.empty()) continue;
      try {
        add_in_full(merged, part, of_part);
        added.merge(of_part);
      } catch (const Error& error) {
        merged.add_problem(
            {.cause = fmt::format("measurements are left out, except for their times: {}", error.what())});
      }
    }
    return added;
  }

  void add_in_full(MergedRun& merged, std::size_t part, const std::set<std::size_t>& devices) const {
    const Run full = read_run(files_[part]);
    std::optional<Timeline> timeline;
    try {
      timeline = read_timeline(files_[part], full);
    } catch (const Error& error) {
      merged.add_problem({.cause = fmt::format("{}: {}", kNoTimeline, error.what())});
    }
    merged.add_in_full(part, full, timeline, devices);
  }

  void write() {
    const auto now = std::chrono::system_clock::now();
    result_.folder = fs::absolute(create_run_folder(request_.output, "merged", now));
    const fs::path file = result_.folder / "run.json";
    write_run(file, result_.run);
    if (result_.timeline) write_timeline(file, *result_.timeline);
    result_.run = read_run(file);  // with the digits that were written, as later reports have it
    result_.timeline = read_timeline(file, result_.run);
  }

  const MergeRequest& request_;
  const MergeProgress& progress_;
  GroupRows rows_;
  std::vector<fs::path> files_;                         // of the parts
  std::set<std::pair<std::size_t, std::size_t>> used_;  // part, and device in it
  MergeResult result_;
};

}  // namespace

MergeResult merge_runs(const MergeRequest& request, const MergeProgress& progress) {
  return Merging(request, progress).run();
}

/// Leaves out samples of a device that is there already, and of those that are not in `devices`.
/// `measurements`: where those of the run are in the merged one.
void MergedRun::add_timeline(const Timeline& timeline, const Places& places,
                             const std::vector<std::optional<std::size_t>>& measurements,
                             const std::set<std::size_t>& devices) {
  for (DeviceTimeline device : timeline.devices) {
    device.device = places.devices[device.device];
    const auto is_same = [&](const DeviceTimeline& other) { return other.device == device.device; };
    if (!devices.contains(device.device) || std::ranges::any_of(timeline_.devices, is_same)) continue;
    device.began_ns += places.shift_ns;
    for (std::uint64_t& start_ns : device.start_ns) start_ns += places.shift_ns;
    for (TimelinePower& power : device.power) power.at_ns += places.shift_ns;
    std::erase_if(device.launches,
                  [&](const TimelineLaunch& launch) { return !measurements[launch.measurement]; });
    for (TimelineLaunch& launch : device.launches) {
      launch.measurement = *measurements[launch.measurement];
      launch.start_ns += places.shift_ns;
    }
    for (TimelineTransfer& transfer : device.transfers) transfer.start_ns += places.shift_ns;
    timeline_.devices.push_back(std::move(device));
  }
  for (TimelineRange range : timeline.ranges) {
    const auto process = places.processes.find(range.process);
    if (process != places.processes.end()) range.process = process->second;
    const auto [path, is_new] =
        timeline_paths_.try_emplace(timeline.paths[range.path], timeline_.paths.size());
    if (is_new) timeline_.paths.push_back(path->first);
    range.path = path->second;
    range.start_ns += places.shift_ns;
    timeline_.ranges.push_back(range);
  }
}

std::optional<Timeline> MergedRun::take_timeline() {
  if (timeline_.devices.empty()) return std::nullopt;
  std::ranges::stable_sort(timeline_.ranges, {}, &TimelineRange::start_ns);
  return std::move(timeline_);
}

}  // namespace rooflinectl
