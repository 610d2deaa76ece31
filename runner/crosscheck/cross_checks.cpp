// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "core/error.h"
#include "core/files/files.h"
#include "core/serial/protocol.h"
#include "crosscheck/crosscheck.h"
#include "readers/ncu/ncu_kernel.h"
#include "readers/nsys/nsys.h"
#include "runner/compiling/compiling.h"
#include "runner/crosscheck/crosscheck.h"
#include "runner/processes/processes.h"

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

// ---- common to all tools ----

/// What a tool recorded before. Throws Error(usage) unless it is a file: opening a pipe may never end.
void require_file(const fs::path& file) {
  std::error_code error;
  if (fs::is_regular_file(file, error)) return;
  throw Error(ErrorKind::usage, fmt::format("{}: cannot be read: {}", file.string(),
                                            error ? error.message() : "not a regular file"));
}

/// Far more than any tool takes for the points of a run.
std::chrono::seconds time_limit(const Run& run) {
  return 300s + std::chrono::seconds(30 * run.measurements.size());
}

constexpr const char* kNoRoomHint = "copy the run to a writable folder, and check it there";

/// Why nothing was compared, where a tool has no numbers for points that it saw.
std::string why_unavailable(const std::vector<Agreement>& agreements) {
  const auto has_reason = [](const Agreement& agreement) { return !agreement.reference.available(); };
  const auto found = std::ranges::find_if(agreements, has_reason);
  return found == agreements.end() ? ""
                                   : fmt::format(" ({}: {})", found->quantity, found->reference.reason());
}

/// Moves what a tool recorded to where it is kept.
void keep_records(const fs::path& recorded, const fs::path& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(recorded, error)) {
    const fs::path kept = folder / entry.path().filename();
    std::error_code refused;
    fs::rename(entry.path(), kept, refused);
    if (!refused) continue;
    throw Error(ErrorKind::environment,
                fmt::format("{}: cannot be written: {}", kept.string(), refused.message()), kNoRoomHint);
  }
}

/// Removes what a check left behind, and the folder of all checks where nothing else is in it.
void discard_records(const fs::path& recorded, const fs::path& folder) {
  std::error_code error;
  fs::remove_all(recorded, error);
  if (fs::is_directory(folder, error) && fs::is_empty(folder, error)) fs::remove(folder, error);
}

/// A command line as it would be with another folder.
std::string with_path(std::string line, const fs::path& from, const fs::path& to) {
  const std::string old = from.string();
  for (std::size_t at = line.find(old); at != std::string::npos; at = line.find(old, at)) {
    line.replace(at, old.size(), to.string());
  }
  return line;
}

fs::path require_tool(const std::string& name, const char* package) {
  if (const auto tool = find_tool(name)) return *tool;
  throw Error(ErrorKind::environment, fmt::format("{} was not found", name),
              fmt::format("install {}, or add it to the PATH", package));
}

/// What a tool exports itself, from a report that only it reads.
bool is_report(const fs::path& file) {
  const fs::path extension = file.extension();
  return extension == ".ncu-rep" || extension == ".ncu-repz" || extension == ".nsys-rep";
}

/// Is given the tool, unless what it recorded before can be read without it.
using Recording =
    std::function<void(const CrossCheckRequest&, CrossCheck&, const std::optional<fs::path>& program)>;

/// Runs a check, and turns exceptions into its reason. The tool records into a folder of its own, which is
/// removed if it gave no numbers: earlier records belong to earlier numbers.
CheckOutcome checked(const CrossCheckRequest& request, CrossCheckTool tool, const char* package,
                     const std::optional<fs::path>& recorded, const Recording& record) {
  CheckOutcome outcome;
  CrossCheck& result = outcome.check;
  result.tool = tool;
  CrossCheckRequest recording = request;
  recording.folder = request.folder / fmt::format("unfinished-{}", to_string(tool));
  discard_records(recording.folder, request.folder);
  try {
    std::optional<fs::path> program;
    if (recorded) {
      require_file(*recorded);
      result.source = recorded->string();
    }
    if (!recorded || is_report(*recorded)) {
      program = require_tool(std::string(to_string(tool)), package);
      result.version = version_of_tool(*program);
    }
    record(recording, result, program);
    const bool compared = std::ranges::any_of(result.agreements, [](const Agreement& agreement) {
      return agreement.verdict() != Verdict::unavailable;
    });
    if (!compared) {
      const std::string why = why_unavailable(result.agreements);
      throw Error(ErrorKind::usage, fmt::format("{} recorded no point of the run{}", to_string(tool), why),
                  has_own_points(request.run)
                      ? "record `rooflinectl-collector --plan PLAN.json --mode once`, with its NVTX ranges"
                      : "record the program that was profiled, with `--kernel-name-base mangled`");
    }
    keep_records(recording.folder, request.folder);
    result.source = with_path(result.source, recording.folder, request.folder);
  } catch (const Error& error) {
    result.agreements.clear();
    outcome.is_file_wrong = recorded && error.kind() == ErrorKind::usage;
    result.reason = error.what();
    result.hint = error.hint();
  }
  discard_records(recording.folder, request.folder);
  return outcome;
}

/// The likely reason why a tool saw no kernel; empty if its version is not the cause.
std::string age_hint(CrossCheckTool tool, const std::string& version) {
  const auto age = too_old(tool, version);
  return age ? fmt::format("{} {} is {}; {}", to_string(tool), version, age->cause, age->fix) : "";
}

std::string collector_of(const CrossCheckRequest& request) {
  if (request.collector) return request.collector->string();
  throw Error(ErrorKind::environment, "this build has no rooflinectl-collector for the tool to profile",
              "pass a recording of the tool from a machine with a collector (--ncu-file, --nsys-file)");
}

/// The plan of the run, to be launched once; without the points that failed, and with only those of one cache
/// state if it is given.
CollectRequest launch_once(const Run& run, std::optional<CacheState> cache) {
  CollectRequest request;
  request.plan = run.plan;
  request.compiled_kernels = compile_kernels(run.plan, {run.device().compute_capability});
  request.mode = CollectMode::once;
  request.counters = false;
  request.device = run.device().uuid;
  request.skip_ceilings = true;
  const std::vector<PointId> points = all_points(run.plan);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto measured = std::ranges::find(run.measurements, points[i], &Measurement::point);
    const bool works = measured != run.measurements.end() && measured->status == Status::ok;
    if (!works || (cache && cache_of(points[i]) != *cache)) request.skip_points.push_back(i);
  }
  return request;
}

/// The request to the collector, as a file in the tools' folder.
fs::path write_plan(const CrossCheckRequest& request, const std::string& name,
                    std::optional<CacheState> cache = std::nullopt) {
  make_folder(request.folder, kNoRoomHint);
  const fs::path plan = request.folder / (name + ".json");
  try {
    write_file(plan, encode(launch_once(request.run, cache)));
  } catch (const Error& error) {
    throw Error(error.kind(), error.what(), kNoRoomHint);
  }
  return plan;
}

/// The failure that the collector reported, among the output of the tool around it.
std::optional<message::Failure> collector_failure(const std::string& output) {
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('{')) continue;
    if (const auto failure = reported_failure(line)) return failure;
  }
  return std::nullopt;
}

/// A tool run to its end, with the collector in it or without. Throws Error(environment) if it fails; what
/// the collector reported takes precedence over the tool's own error.
std::string run_tool(const fs::path& tool, const std::vector<std::string>& arguments,
                     const CrossCheckRequest& request) {
  const FinishedProgram finished = run_program(tool, arguments, time_limit(request.run), request.stop_fd);
  if (const auto failure = collector_failure(finished.output)) {
    throw Error(ErrorKind::environment, failure->cause, failure->hint);
  }
  check_ncu_messages(finished.output);
  return require_output(tool, finished);
}

std::string command_line(const fs::path& tool, const std::vector<std::string>& arguments) {
  return fmt::format("{} {}", tool.filename().string(), fmt::join(arguments, " "));
}

void append(std::vector<std::string>& list, std::initializer_list<std::string> more) {
  list.insert(list.end(), more);
}

// ---- Nsight Compute ----

/// `more`: further options.
std::string export_ncu_csv(const fs::path& ncu, const fs::path& report, const CrossCheckRequest& request,
                           std::initializer_list<std::string> more = {}) {
  std::vector<std::string> arguments = {"--import", report.string(), "--csv", "--page",
                                        "raw",      "--print-units", "base"};
  append(arguments, more);
  return run_tool(ncu, arguments, request);
}

/// The report that ncu was to write as `report`: compressed, it has a `z` at the end of its name. Nothing if
/// there is none, as no kernel was profiled.
std::optional<fs::path> written_report(const fs::path& report) {
  if (fs::exists(report)) return report;
  const fs::path compressed = report.string() + "z";
  return fs::exists(compressed) ? std::optional(compressed) : std::nullopt;
}

bool has_points(const Run& run, CacheState cache) {
  return std::ranges::any_of(run.measurements, [cache](const Measurement& measurement) {
    return measurement.status == Status::ok && cache_of(measurement.point) == cache;
  });
}

/// Records the points of one cache state, and returns the table.
std::string record_ncu(const fs::path& ncu, CacheState cache, const CrossCheckRequest& request,
                       CrossCheck& check) {
  const std::string name = fmt::format("ncu-{}", to_string(cache));
  const std::string collector = collector_of(request);  // before anything is written
  const fs::path plan = write_plan(request, name, cache);
  const fs::path report = request.folder / (name + ".ncu-rep");
  // Both measure the same: at the clock that the GPU runs at, cold points with nothing in the caches, warm
  // ones with what the launch before left there, which only a run of the whole program for each pass does.
  const std::vector<std::string> arguments = {"--nvtx",
                                              "--nvtx-include",
                                              "regex:rooflinectl@.*/",
                                              "--clock-control",
                                              "none",
                                              "--cache-control",
                                              cache == CacheState::cold ? "all" : "none",
                                              "--replay-mode",
                                              cache == CacheState::cold ? "kernel" : "application",
                                              "--metrics",
                                              fmt::format("{}", fmt::join(ncu_metrics(request.run), ",")),
                                              "--force-overwrite",
                                              "--export",
                                              report.string(),
                                              collector,
                                              "--plan",
                                              plan.string(),
                                              "--mode",
                                              "once"};
  check.source += (check.source.empty() ? "" : "; ") + command_line(ncu, arguments);
  run_tool(ncu, arguments, request);
  const auto written = written_report(report);
  if (!written) {
    throw Error(ErrorKind::environment, "ncu profiled no kernel",
                age_hint(CrossCheckTool::ncu, check.version));
  }
  return export_ncu_csv(ncu, *written, request);
}

std::vector<NcuKernel> record_ncu(const fs::path& ncu, const CrossCheckRequest& request, CrossCheck& check) {
  std::vector<NcuKernel> kernels;
  for (const CacheState cache : kCacheStates) {
    if (!has_points(request.run, cache)) continue;
    const std::vector<NcuKernel> recorded = read_ncu_csv(record_ncu(ncu, cache, request, check));
    kernels.insert(kernels.end(), recorded.begin(), recorded.end());
  }
  return kernels;
}

/// The program that was profiled, as it was started, and the variables that its plan sets.
std::vector<std::string> started_program(const Run& run) {
  std::vector<std::string> words = {"env"};
  if (!run.application->folder.empty()) append(words, {"-C", run.application->folder});
  if (const Experiment* const experiment = experiment_with_application(run.plan)) {
    for (const auto& [name, value] : experiment->application->environment) {
      words.push_back(fmt::format("{}={}", name, value));
    }
  }
  return words;
}

/// The shell keeps what program and ncu print out of our way: it may be anything.
constexpr const char* kIntoLog = R"(exec "$@" > "$0" 2>&1 < /dev/null)";

/// Runs the program again, with ncu around it, which counts chosen launches.
std::vector<NcuKernel> record_program(const fs::path& ncu, const ChosenPoints& chosen,
                                      const CrossCheckRequest& request, CrossCheck& check) {
  make_folder(request.folder, kNoRoomHint);
  const Run& run = request.run;
  const fs::path report = fs::absolute(request.folder) / "ncu-program.ncu-rep";
  const fs::path log = fs::absolute(request.folder) / "ncu-program.log";
  const std::string metrics = fmt::format("{}", fmt::join(ncu_metrics(run, chosen), ","));
  std::vector<std::string> arguments = {"--target-processes", "all",
                                        "--clock-control",    "none",
                                        "--cache-control",    "none",
                                        "--kernel-name-base", "mangled",
                                        "--kernel-id",        chosen.kernel_id(),
                                        "--metrics",          metrics,
                                        "--force-overwrite",  "--export",
                                        report.string()};
  const auto& program = run.application->command_line;
  arguments.insert(arguments.end(), program.begin(), program.end());
  check.source += (check.source.empty() ? "" : "; ") + command_line(ncu, arguments);

  std::vector<std::string> words = {"-c", kIntoLog, log.string()};
  const std::vector<std::string> start = started_program(run);
  words.insert(words.end(), start.begin(), start.end());
  words.push_back(ncu.string());
  words.insert(words.end(), arguments.begin(), arguments.end());
  constexpr double kUnknownWallS = 360;  // where rooflinectl was killed: an hour is enough for most
  const auto limit =
      300s +
      std::chrono::seconds(static_cast<std::int64_t>(10 * run.application->wall_s.value_or(kUnknownWallS)));
  const FinishedProgram finished = run_program("/bin/sh", words, limit, request.stop_fd);
  // A program may fail after its kernels were profiled, as it may have done when we profiled it.
  const auto written = written_report(report);
  if (!written) {
    check_ncu_messages(read_file(log));
    if (!finished.wait_status)
      throw Error(ErrorKind::environment, "the program did not finish in time under ncu");
    throw Error(ErrorKind::environment, "ncu profiled no kernel of the program",
                age_hint(CrossCheckTool::ncu, check.version));
  }
  return read_ncu_csv(export_ncu_csv(ncu, *written, request, {"--print-kernel-base", "mangled"}));
}

// ---- Nsight Systems ----

fs::path exported(const fs::path& nsys, const fs::path& report, const CrossCheckRequest& request) {
  make_folder(request.folder, kNoRoomHint);
  fs::path database = request.folder / "nsys.sqlite";
  export_nsys_sqlite(nsys, report, database, time_limit(request.run), request.stop_fd);
  return database;
}

fs::path record_nsys(const fs::path& nsys, const CrossCheckRequest& request, CrossCheck& check) {
  const std::string collector = collector_of(request);  // before anything is written
  const fs::path plan = write_plan(request, "nsys");
  const fs::path report = request.folder / "nsys.nsys-rep";
  const fs::path unfinished = request.folder / "nsys.qdstrm";
  std::vector<std::string> arguments = {"profile", "--trace",    "cuda,nvtx", "--sample",
                                        "none",    "--cpuctxsw", "none"};
  append(arguments, {"--force-overwrite", "true", "--output", (request.folder / "nsys").string()});
  append(arguments, {collector, "--plan", plan.string(), "--mode", "once"});
  check.source = command_line(nsys, arguments);
  run_tool(nsys, arguments, request);
  if (!fs::exists(report) && fs::exists(unfinished)) {
    const auto importer = find_importer(nsys);
    if (!importer) {
      throw Error(ErrorKind::environment, "nsys wrote a .qdstrm but no report: its importer is not installed",
                  "install the host components of Nsight Systems (QdstrmImporter)");
    }
    run_tool(*importer, {"-i", unfinished.string(), "-o", report.string()}, request);
  }
  return exported(nsys, report, request);
}

}  // namespace

bool has_own_points(const Run& run) {
  return std::ranges::any_of(run.measurements,
                             [](const Measurement& measurement) { return !is_observed(measurement); });
}

CheckOutcome cross_check_with_ncu(const CrossCheckRequest& request, const std::optional<fs::path>& recorded) {
  const auto record = [&](const CrossCheckRequest& recording, CrossCheck& check, const auto& ncu) {
    const Run& run = recording.run;
    const ChosenPoints chosen = choose_points(run);
    std::vector<NcuKernel> kernels;
    std::vector<NcuKernel> of_program;
    if (recorded) {
      kernels = of_program =
          read_ncu_csv(ncu ? export_ncu_csv(*ncu, *recorded, recording) : read_file(*recorded));
    } else {
      if (has_own_points(run)) kernels = record_ncu(*ncu, recording, check);
      if (!chosen.points.empty()) of_program = record_program(*ncu, chosen, recording, check);
    }
    check.agreements = compare_with_ncu(run, kernels);
    for (Agreement& compared : compare_with_ncu(run, chosen, of_program)) {
      check.agreements.push_back(std::move(compared));
    }
  };
  return checked(request, CrossCheckTool::ncu, "Nsight Compute", recorded, record);
}

CheckOutcome cross_check_with_nsys(const CrossCheckRequest& request,
                                   const std::optional<fs::path>& recorded) {
  const auto record = [&](const CrossCheckRequest& recording, CrossCheck& check, const auto& nsys) {
    const fs::path database = !recorded ? record_nsys(*nsys, recording, check)
                              : nsys    ? exported(*nsys, *recorded, recording)
                                        : *recorded;
    const std::vector<TracedLaunch> launches = read_nsys_sqlite(read_file(database));
    check.agreements = compare_with_trace(recording.run, launches);
    const bool saw_a_kernel = std::ranges::any_of(
        launches, [](const TracedLaunch& launch) { return !launch.operations_s.empty(); });
    if (!saw_a_kernel) check.hint = age_hint(CrossCheckTool::nsys, check.version);
  };
  return checked(request, CrossCheckTool::nsys, "Nsight Systems", recorded, record);
}

}  // namespace rooflinectl
