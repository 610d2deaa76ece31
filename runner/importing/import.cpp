// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "core/error.h"
#include "core/serial/run_file.h"
#include "runner/built_in.h"
#include "runner/importing/importing.h"
#include "runner/profiling/profile.h"
#include "runner/runs/run_folder.h"

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;

/// One import:
///   1. read each file: its launches, the devices that they ran on, what these can do at most
///   2. group the launches into points
///   3. take over the measured ceilings that are given
///   4. write run.json
class Importing {
 public:
  explicit Importing(const ImportRequest& request) : request_(request) {}

  ImportResult run() {
    run_.devices.clear();
    std::vector<ImportedLaunch> launches;
    for (const fs::path& file : request_.files) add(read_imported_file(file), launches);
    describe();
    std::vector<std::string> problems;
    run_.measurements = imported_points(launches, run_.plan.name, problems);
    std::ranges::move(problems, std::back_inserter(run_.imports.back().problems));
    describe_counting();
    if (request_.ceilings) add_ceilings(*request_.ceilings);
    return write();
  }

 private:
  void add(ImportedContent content, std::vector<ImportedLaunch>& launches) {
    if (content.launches.empty()) {
      throw Error(ErrorKind::usage, fmt::format("{}: contains no kernels", content.file.name));
    }
    std::vector<std::size_t> places;
    std::vector<bool> are_new;
    for (const DeviceInfo& device : content.devices) {
      const auto found = std::ranges::find(run_.devices, device);
      places.push_back(static_cast<std::size_t>(found - run_.devices.begin()));
      are_new.push_back(found == run_.devices.end());
      if (are_new.back()) run_.devices.push_back(device);
    }
    for (Ceiling& ceiling : content.ceilings) {
      if (!are_new[ceiling.device]) continue;
      ceiling.device = places[ceiling.device];
      run_.ceilings.push_back(std::move(ceiling));
    }
    for (ImportedLaunch& launch : content.launches) {
      launch.device = places[launch.device];
      launches.push_back(std::move(launch));
    }
    run_.imports.push_back(std::move(content.file));
  }

  void describe() {
    run_.tool_version = tool_version();
    run_.tool_commit = tool_commit();
    run_.command_line = request_.command_line;
    run_.started_utc = run_.imports.front().recorded_utc;
    if (run_.started_utc.empty()) run_.started_utc = utc_time(std::chrono::system_clock::now());
    run_.plan.name = program_name({request_.files.front().string()});
    std::vector<std::string> names;
    for (const ImportedFile& file : run_.imports) names.push_back(file.name);
    Experiment& experiment = run_.plan.experiments.emplace_back();
    experiment.name = run_.plan.name;
    experiment.title = fmt::format("Imported from {}", fmt::join(names, ", "));
  }

  void describe_counting() {
    CounterSession& session = run_.counter_session;
    session.available = std::ranges::any_of(
        run_.measurements, [](const Measurement& measurement) { return !measurement.counters.empty(); });
    if (session.available) return;
    session.reason = "traces have times, and no counters";
    session.hint = "import a report of Nsight Compute";
  }

  /// The devices of the run, all of one model, get the ceilings of the first such device of the other run.
  void add_ceilings(const fs::path& path) {
    const fs::path file = run_file(path);
    const Run measured = read_run(file);
    for (std::size_t place = 0; place < run_.devices.size(); ++place) {
      const std::size_t source = same_device(measured, run_.devices[place], file);
      DeviceInfo& device = run_.devices[place];
      if (device.sm_count ==
          0) {  // the file does not describe its GPU: it is taken to be that of the ceilings
        const int index = std::exchange(device, measured.devices[source]).index;
        device.index = index;
      }
      std::erase_if(run_.ceilings, [&](const Ceiling& ceiling) { return ceiling.device == place; });
      for (Ceiling ceiling : measured.ceilings) {
        if (ceiling.device != source) continue;
        ceiling.device = place;
        run_.ceilings.push_back(std::move(ceiling));
      }
    }
  }

  /// The place of a device of the same model that has measured ceilings. A file that does not name its GPU
  /// may have any.
  static std::size_t same_device(const Run& measured, const DeviceInfo& device, const fs::path& file) {
    for (std::size_t place = 0; place < measured.devices.size(); ++place) {
      const DeviceInfo& other = measured.devices[place];
      const bool is_same =
          device.sm_count == 0 || (other.name == device.name && other.sm_count == device.sm_count);
      const bool has_ceilings = std::ranges::any_of(measured.ceilings, [&](const Ceiling& ceiling) {
        return ceiling.device == place && ceiling.source == CeilingSource::measured;
      });
      if (is_same && has_ceilings) return place;
    }
    throw Error(ErrorKind::usage,
                fmt::format("{}: has no measured ceilings of {}", file.string(), device.name),
                "measure them on that GPU: rooflinectl ceilings");
  }

  ImportResult write() {
    const auto now = std::chrono::system_clock::now();
    const fs::path folder = fs::absolute(create_run_folder(request_.output, run_.plan.name, now));
    write_run(folder / "run.json", run_);
    return {.run = as_written(run_), .folder = folder};
  }

  const ImportRequest& request_;
  Run run_;
};

}  // namespace

ImportResult import_files(const ImportRequest& request) {
  return Importing(request).run();
}

}  // namespace rooflinectl
