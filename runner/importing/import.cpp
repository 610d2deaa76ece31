// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <istream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/error.h"
#include "core/files/compression.h"
#include "core/files/files.h"
#include "core/serial/run_file.h"
#include "core/stats/repeated_counters.h"
#include "core/stats/statistics.h"
#include "core/text/printable.h"
#include "readers/ncu/ncu_kernel.h"
#include "readers/torch/torch_trace_file.h"
#include "runner/built_in.h"
#include "runner/crosscheck/crosscheck.h"
#include "runner/importing/importing.h"
#include "runner/profiling/points/groups.h"
#include "runner/profiling/points/merge.h"
#include "runner/profiling/profile.h"
#include "runner/profiling/times/times.h"
#include "runner/runs/run_folder.h"

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;

// ---- files ----

/// Enough to tell what a file is: ncu may print some lines before its table.
constexpr std::size_t kBeginning = std::size_t{64} << 10;
/// A compressed report is unpacked in memory: one of 1,000 kernels of the full set has 220 MB.
constexpr std::size_t kMostUnpackedBytes = std::size_t{1} << 30;
/// `nsys export` takes seconds for a report of about 100 MB.
constexpr std::chrono::minutes kExportLimit{30};

/// `seconds` since 1970; empty for what cannot be the time of a report.
std::string time_text(std::uint64_t seconds) {
  constexpr std::uint64_t kMost = 4'102'444'800;  // the year 2100
  return seconds < kMost ? utc_time(std::chrono::system_clock::time_point(std::chrono::seconds(seconds)))
                         : "";
}

bool is_json(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
}

std::string beginning_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kBeginning, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.is_open() || file.bad()) {
    throw Error(ErrorKind::usage, fmt::format("{}: cannot be read", path.string()));
  }
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

ImportedContent read_report(std::istream& file) {
  const NcuReport report = read_ncu_report(file, is_imported_metric);
  ImportedContent content = ncu_content(report.kernels);
  content.file.format = "Nsight Compute report";
  content.file.tool_version = report.version;
  content.file.command_line = report.command_line;
  content.file.problems = report.problems;
  if (report.recorded) content.file.recorded_utc = time_text(*report.recorded);
  set_ncu_options(content.file, report.command_line);
  if (report.has_locked_clocks == false) content.file.clock_control = "none";
  return content;
}

/// Through nsys, if it is installed.
ImportedContent read_nsys_report(const fs::path& path) {
  const auto nsys = find_tool("nsys");
  if (!nsys) {
    throw Error(ErrorKind::usage, "reports of Nsight Systems are read by nsys, which was not found",
                fmt::format("export it where nsys is: nsys export --type sqlite {}", path.string()));
  }
  const PrivateFolder folder;
  const fs::path database = folder.path() / "nsys.sqlite";
  export_nsys_sqlite(*nsys, path, database, kExportLimit);
  return nsys_content(read_nsys_kernels(read_file(database)));
}

/// What came from the file becomes text that a run may hold.
void make_printable(ImportedContent& content) {
  const auto clean = [](std::string& text) { text = printable(text); };
  ImportedFile& file = content.file;
  for (std::string* text : {&file.name, &file.tool_version, &file.command_line, &file.replay,
                            &file.clock_control, &file.cache_control}) {
    clean(*text);
  }
  for (auto* texts : {&file.sections, &file.problems}) std::for_each(texts->begin(), texts->end(), clean);
  for (DeviceInfo& device : content.devices) clean(device.name);
  for (ImportedLaunch& launch : content.launches) {
    clean(launch.kernel);
    clean(launch.path);
  }
}

ImportedContent read_content(const fs::path& path) {
  const std::string beginning = beginning_of(path);
  if (beginning.starts_with(kNcuReportMagic)) {
    std::ifstream file(path, std::ios::binary);
    return read_report(file);
  }
  if (is_zstd(beginning)) {
    std::istringstream file(unpacked_zstd(read_file(path), path.string(), kMostUnpackedBytes));
    return read_report(file);
  }
  if (beginning.starts_with(kSqliteMagic)) return nsys_content(read_nsys_kernels(read_file(path)));
  if (path.extension() == ".nsys-rep") return read_nsys_report(path);
  if (is_gzipped(beginning) || is_json(beginning)) return torch_content(read_torch_trace(path));
  if (may_be_ncu_csv(beginning)) {
    ImportedContent content = ncu_content(read_ncu_csv(read_file(path), is_imported_metric));
    content.file.format = "Nsight Compute CSV";
    return content;
  }
  if (path.extension() == ".ncu-repz") {
    throw Error(ErrorKind::usage, "this report is not compressed with zstd",
                fmt::format("let ncu print it: ncu --import {} --csv --page raw", path.string()));
  }
  throw Error(
      ErrorKind::usage, "this file cannot be imported",
      "import takes reports of ncu, the output of `ncu --csv --page raw` and `nsys export --type sqlite`, "
      "and traces of torch.profiler");
}

/// Reads a file, whose content shows its format: a report of Nsight Compute, compressed or not, what `ncu
/// --csv` printed, an SQLite export of Nsight Systems, or a trace of PyTorch. Throws Error(usage) naming the
/// file if it is none of these, damaged from the start, or too large.
ImportedContent read_imported_file(const fs::path& path) {
  try {
    ImportedContent content = read_content(path);
    content.file.name = path.filename().string();
    make_printable(content);
    return content;
  } catch (const Error& error) {
    const std::string name = path.string();
    if (std::string_view(error.what()).starts_with(name)) throw;
    throw Error(error.kind(), fmt::format("{}: {}", name, error.what()), error.hint());
  }
}

// ---- points ----

constexpr double kP95 = 0.95;
constexpr std::size_t kKeptTimes = 101;
/// Of a block, on all chips.
constexpr std::uint64_t kMostThreads = 1024;

/// What becomes a point.
struct Group {
  const ImportedLaunch* first = nullptr;
  std::string subject;
  Axes axes;
  bool is_of_one_process = true;
  std::uint64_t count = 0;
  std::vector<double> times;
  double total_s = 0;
  AveragedCounters counters;
  std::uint64_t counted = 0;
};

void add(const ImportedLaunch& launch, Group& group) {
  group.is_of_one_process = group.is_of_one_process && launch.process == group.first->process;
  ++group.count;
  if (const auto time_s = launch.time_s.value(); time_s && *time_s > 0) {
    group.times.push_back(*time_s);
    group.total_s += *time_s;
  }
  if (launch.counters.empty()) return;
  group.counters.add(launch.counters);
  ++group.counted;
}

std::vector<Group> grouped(const std::vector<ImportedLaunch>& launches) {
  std::set<std::string> as_recorded;
  for (const ImportedLaunch& launch : launches) as_recorded.insert(launch.path);
  const std::map<std::string, std::string> paths = collapsed_paths(as_recorded);
  std::vector<Group> groups;
  std::map<std::tuple<std::size_t, std::string, Axes>, std::size_t> places;
  for (const ImportedLaunch& launch : launches) {
    const std::string subject =
        subject_of({.symbol = launch.kernel.empty() ? "unknown kernel" : launch.kernel});
    const record::Group shape = {.grid = launch.grid,
                                 .block = launch.block,
                                 .cluster = launch.cluster,
                                 .dynamic_shared_bytes = launch.dynamic_shared_bytes};
    const Axes axes = axes_of(shape, !launch.is_kernel, 1, paths.at(launch.path));
    const auto [place, is_new] = places.try_emplace(std::tuple(launch.device, subject, axes), groups.size());
    if (is_new) groups.push_back({.first = &launch, .subject = subject, .axes = axes});
    add(launch, groups[place->second]);
  }
  return groups;
}

Measurement point_of(const Group& group, const std::string& experiment) {
  const ImportedLaunch& first = *group.first;
  Measurement point;
  point.point = {.experiment = experiment, .subject = group.subject, .axes = group.axes};
  point.device = first.device;
  if (group.is_of_one_process) point.process = first.process;
  if (first.is_kernel) {
    point.launch.grid = volume(first.grid);
    point.launch.block = static_cast<int>(std::min(volume(first.block), kMostThreads));
  }
  point.resources = first.resources;
  LaunchStatistics launches;
  const bool is_symbol = first.kernel.find_first_of(" (<") == std::string::npos;
  if (is_symbol) launches.symbol = cut_name(first.kernel, kMaxSubjectLength);
  launches.count = group.count;
  launches.traced = group.times.size();
  launches.total_s = group.total_s;
  launches.counted = group.counted;
  if (group.times.empty()) {
    point.cause = first.time_s.reason();
  } else {
    point.time = time_of_launches(group.times, kKeptTimes);
    launches.p95_s = quantile(group.times, kP95);
  }
  point.launches = std::move(launches);
  const RepeatedCounters counted = group.counters.result();
  point.counters = counted.counters;
  point.counter_spread = counted.spread;
  point.counter_repeats = counted.repeats;
  return point;
}

/// The launches as points: those with the same kernel, shape and path on one device are one, as
/// `rooflinectl profile` has them, the longest total first. Of more than `kMaxProfiledPoints`, those that
/// took the least time are left out, which is added to `problems`.
std::vector<Measurement> imported_points(const std::vector<ImportedLaunch>& launches,
                                         const std::string& experiment, std::vector<std::string>& problems) {
  std::vector<Group> groups = grouped(launches);
  std::ranges::stable_sort(groups, std::greater(), &Group::total_s);
  if (groups.size() > kMaxProfiledPoints) {
    problems.push_back(
        fmt::format("{} launch groups, those with the least time, are left out: "
                    "a run holds at most {}",
                    groups.size() - kMaxProfiledPoints, kMaxProfiledPoints));
    groups.resize(kMaxProfiledPoints);
  }
  std::vector<Measurement> points;
  for (const Group& group : groups) points.push_back(point_of(group, experiment));
  return points;
}

// ---- the run ----

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
    for (const std::string& file : request_.files) add(read_imported_file(file), launches);
    describe();
    run_.measurements = imported_points(launches, run_.plan.name, run_.imports.back().problems);
    describe_counting();
    if (!request_.ceilings.empty()) add_ceilings(request_.ceilings);
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
    run_.plan.name = program_name({request_.files.front()});
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
      // The file does not describe its GPU: it is taken to be that of the ceilings.
      if (device.sm_count == 0) {
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
