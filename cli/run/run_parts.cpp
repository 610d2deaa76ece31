// SPDX-License-Identifier: Apache-2.0
#include "cli/run/run_parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "analysis/compare/comparison.h"
#include "cli/answers.h"
#include "cli/inputs.h"
#include "cli/terminal.h"
#include "core/error.h"
#include "core/files/files.h"
#include "core/program/application.h"
#include "core/serial/protocol.h"
#include "core/serial/run_file.h"
#include "core/text/printable.h"
#include "reports/formats/formats.h"
#include "reports/reports.h"
#include "reports/sentences/sentences.h"
#include "reports/tables/tables.h"
#include "reports/text/format.h"
#include "runner/compiling/compiling.h"
#include "runner/machine/catalogue.h"
#include "runner/measuring/worklist.h"
#include "runner/python_kernels/python_kernels.h"
#include "runner/runs/run_folder.h"

namespace rooflinectl {

void print_summary(const MeasureResult& result, const ReportModel& report, Rows rows) {
  terminal::print("\n{}\n", terminal_summary(report, columns_of(stdout), rows));
  const std::size_t bad = result.bad_points();
  if (bad > 0) {
    terminal::print("{} of {} points failed or could not be verified\n", bad, result.run.measurements.size());
  }
  if (const std::size_t bad_primitives = result.bad_primitives(); bad_primitives > 0) {
    terminal::print("{} of {} primitives failed or could not be verified\n", bad_primitives,
                    result.run.primitives.size());
  }
  for (const std::string& loss : result.losses) terminal::print("{}\n", loss);
  const CounterSession& counters = result.run.counter_session;
  const std::string share = counters.available
                                ? fmt::format(", {} of that for counters",
                                              format::duration(counters.host_setup_s + counters.collection_s))
                                : "";
  terminal::print("measured in {}{}\n", format::duration(result.run.wall_s), share);
}

namespace {

namespace fs = std::filesystem;

void print_missing(const std::vector<PointId>& missing, std::size_t n_points, std::FILE* stream) {
  if (missing.empty()) return;
  terminal::print(stream, "not in the recording: {} of the plan's {} points; measuring them requires a GPU\n",
                  missing.size(), n_points);
  for (const PointId& point : missing) terminal::print(stream, "  {}\n", range_name(point));
}

/// `origin`: what the first line prints after device and date.
int end_replay(const Replay& replayed, const RunOptions& options, const std::string& origin) {
  const bool quiet = options.quiet;
  terminal::print(quiet ? stderr : stdout, "replayed, not measured: recording of {}, {}{}\n",
                  replayed.run.device().name, format::utc(replayed.run.started_utc), origin);
  const fs::path folder =
      create_run_folder(options.output, replayed.run.plan.name, std::chrono::system_clock::now());
  write_run(folder / "run.json", replayed.run);
  const Run written = as_written(replayed.run);
  const ReportModel report(written);
  write_reports(report, folder);
  if (!quiet) terminal::print("\n{}\n", terminal_summary(report, columns_of(stdout), options.rows()));
  for (const std::string& id : replayed.missing_primitives) {
    terminal::print(quiet ? stderr : stdout, "not in the recording: primitive {}\n", id);
  }
  print_missing(replayed.missing, all_points(replayed.run.plan).size(), quiet ? stderr : stdout);
  print_report(folder, options.verbosity());
  return 0;
}

}  // namespace

int replay_file(const Plan& plan, const RunOptions& options) {
  if (const auto replayed = replay_best(plan, {run_file(options.replay_file)})) {
    return end_replay(*replayed, options, fmt::format(" ({})", options.replay_file));
  }
  throw Error(
      ErrorKind::environment, fmt::format("{} contains no point of this plan", options.replay_file),
      "points match if variant, dtype, size, cache state, block size and elements per thread are the same");
}

int replay_shipped(const Plan& plan, const RunOptions& options, const CannotMeasure& why) {
  if (const auto replayed = replay_best(plan, shipped_recordings())) {
    return end_replay(*replayed, options, fmt::format(" (cannot measure here: {})", why.what()));
  }
  throw Error(ErrorKind::environment,
              fmt::format("{}; no recording contains any point of this plan", why.what()), why.hint());
}

namespace {

/// For the device, or for the default architecture where there is none.
std::vector<CompiledKernel> compiled_kernels(const Plan& plan, const std::string& device) {
  try {
    return compile_kernels_for(plan, {device});
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::environment) throw;
    return compile_kernels(plan, {kDefaultArchitecture});
  }
}

void print_request(const Plan& plan, const RunOptions& options) {
  require_collector();  // whose catalogue completes the points
  CollectRequest request;
  request.plan = plan;
  request.counters = !options.no_counters;
  request.self_test = options.self_test;
  if (options.devices.size() > 1 || options.devices.front() == kAllDevices) {
    throw Error(ErrorKind::usage, "--json prints the request for one device", "name one with --device");
  }
  request.device = options.devices.front();
  request.compiled_kernels = compiled_kernels(plan, request.device);
  terminal::print("{}\n", encode(request));
}

void print_experiment(const Experiment& experiment) {
  terminal::print("\n{}{}\n", experiment.name,
                  experiment.title == experiment.name ? "" : ": " + printable(experiment.title));
  terminal::print("  {}, each timed until ±{} or {}; counters: {}\n",
                  format::counted(experiment.points.size(), "point"),
                  format::percent(experiment.timing.relative_half_width),
                  format::duration(experiment.timing.time_limit_s), to_string(experiment.counters));
  terminal::print("{}", axis_table(experiment.points, "  "));
  if (const auto& application = experiment.application) {
    terminal::print("  program: {}\n", command_text(application->command));
  }
}

/// `27 s`, `3 min`: no digit more than is known.
std::string roughly(double seconds) {
  constexpr double kMinute = 60;
  if (seconds < 1.5 * kMinute) return fmt::format("{:.0f} s", std::max(1.0, seconds));
  return fmt::format("{:.0f} min", seconds / kMinute);
}

void print_estimate(const Plan& plan, const RunOptions& options) {
  std::vector<fs::path> earlier = {run_file(fs::path(options.output) / plan.name / "latest")};
  for (const fs::path& recording : shipped_recordings()) earlier.push_back(recording);
  const TimeEstimate estimate = estimate_time(plan, earlier);
  std::string text = fmt::format("\nestimate: {}", roughly(estimate.points_s));
  if (estimate.known > 0) {
    text += fmt::format(", {} estimated from {}", format::counted(estimate.known, "point"),
                        estimate.like.parent_path().string());
  }
  if (estimate.unknown > 0)
    text += fmt::format(", {} by rule of thumb", format::counted(estimate.unknown, "point"));
  if (!plan.ceilings.empty()) {
    text += fmt::format("; {} more if no ceiling is known yet", roughly(estimate.ceilings_s));
  }
  const bool are_several = options.devices.size() > 1 || options.devices.front() == kAllDevices;
  if (are_several && !options.together) text += "; on each GPU";
  terminal::print("{}\n", text);
}

/// Compiles the kernels, and prints what the compiler made of them.
void print_kernels(const Plan& plan) {
  if (has_python_kernels(plan)) terminal::print("\nfunctions that python3 calls\n");
  for (const FileKernel& kernel : plan.kernels) {
    if (!is_python(kernel)) continue;
    terminal::print("  {}: {} in {}\n", printable(kernel.id), printable(kernel.function),
                    printable(kernel.source));
  }
  const std::vector<CompiledKernel> compiled = compile_kernels(plan, {kDefaultArchitecture});
  if (!compiled.empty()) terminal::print("\nkernels, compiled for sm_{}\n", kDefaultArchitecture);
  for (const CompiledKernel& kernel : compiled) {
    std::string name =
        kernel.kernel == kernel.function ? kernel.kernel : kernel.kernel + ", " + kernel.function;
    const bool differ_in_options = std::ranges::any_of(compiled, [&](const CompiledKernel& other) {
      return other.kernel == kernel.kernel && other.function == kernel.function &&
             other.options != kernel.options;
    });
    if (differ_in_options) name += fmt::format(" {}", fmt::join(kernel.options, " "));
    terminal::print("  {}: {}; {}\n", printable(name), registers_text(kernel), kernel.compiler);
    for (const std::string& warning : kernel.warnings) terminal::print("    {}\n", printable(warning));
  }
  if (!has_cpp_references(plan)) return;
  compile_cpp_references(plan, kDefaultArchitecture);
  terminal::print("\nreferences in C++, compiled\n");
  for (const FileKernel& kernel : plan.kernels) {
    if (kernel.reference.cpp.empty()) continue;
    terminal::print("  {}: {} in {}\n", printable(kernel.id), printable(kernel.reference.function),
                    printable(kernel.reference.cpp));
  }
}

void print_plan(const Plan& plan, const RunOptions& options) {
  terminal::print("plan: {}\n", plan.name);
  terminal::print("ceilings: {}\n",
                  plan.ceilings.empty() ? "none" : fmt::format("{}", fmt::join(plan.ceilings, ", ")));
  if (!plan.primitives.empty()) terminal::print("primitives: {}\n", fmt::join(plan.primitives, ", "));
  for (const Experiment& experiment : plan.experiments) print_experiment(experiment);
  print_kernels(plan);
  if (!find_collector()) {
    terminal::print(
        "\nThis build has no rooflinectl-collector: if no block size is shown, the kernel uses its own.\n");
  }
  print_estimate(plan, options);
}

}  // namespace

void print_dry_run(const Plan& plan, const RunOptions& options) {
  options.json ? print_request(plan, options) : print_plan(plan, options);
}

namespace {

constexpr auto kPause = std::chrono::milliseconds(200);

/// What the plan and its sources hold now. A file that is just being replaced counts as empty.
std::string content_of(const std::set<fs::path>& files) {
  std::string content;
  for (const fs::path& file : files) {
    try {
      content += file.extension() == ".py" ? read_file(file) : text_with_includes(file);
    } catch (const Error&) {
      // It will be there again.
    }
    content += '\0';
  }
  return content;
}

/// The plan's file, or the files of its folder, and the sources that it named when it was last read.
std::set<fs::path> watched_files(const std::string& plan_file, const std::set<fs::path>& sources) {
  std::set<fs::path> files = sources;
  std::error_code error;
  if (!fs::is_directory(plan_file)) files.insert(plan_file);
  for (const fs::directory_entry& entry : fs::directory_iterator(plan_file, error)) {
    if (is_kernel_file(entry.path())) files.insert(entry.path());
  }
  return files;
}

/// `v2 2^20 1.12× faster`
std::string change_text(const PointComparison& point) {
  if (!point.time) return fmt::format("{} {}", point.label, to_string(point.change));
  return fmt::format("{} {}", point.label, format::speedup(1 / point.time->ratio()));
}

void print_change(const AnalysedRun& before, const AnalysedRun& now) {
  constexpr std::size_t kMost = 3;
  const RunComparison comparison = compare(std::span(&before, 1), now);
  std::vector<std::string> changes;
  std::size_t left_out = 0;
  for (const PointComparison& point : comparison.points) {
    const bool is_no_change = point.change == PointChange::same || point.change == PointChange::unclear ||
                              point.change == PointChange::untimed;
    if (is_no_change) continue;
    if (changes.size() < kMost) {
      changes.push_back(change_text(point));
    } else {
      ++left_out;
    }
  }
  if (left_out > 0) changes.push_back(fmt::format("{} more", left_out));
  for (const PointChange change : {PointChange::same, PointChange::unclear}) {
    const std::size_t count = comparison.count(change);
    if (count > 0)
      changes.push_back(fmt::format("{} {}", format::counted(count, "point"), to_string(change)));
  }
  terminal::print("since the last version: {}\n", fmt::join(changes, ", "));
}

}  // namespace

int watch_plan(const RunOptions& options, const std::function<int(const Plan&)>& measure) {
  std::optional<AnalysedRun> last;
  std::set<fs::path> sources;
  while (true) {
    std::string seen = content_of(watched_files(options.plan_file, sources));
    try {
      const Plan plan = load_plan(options.plan_file);
      std::set<fs::path> named;
      for (const FileKernel& kernel : plan.kernels) {
        named.insert(kernel.source);
        for (const std::string& file : {kernel.reference.python, kernel.reference.cpp}) {
          if (!file.empty()) named.insert(file);
        }
      }
      if (named != sources) {
        sources = std::move(named);
        seen = content_of(watched_files(options.plan_file, sources));
      }
      const int code = measure(plan);
      if (code > kStoppedBySignal) return code;
      const fs::path file = run_file(fs::path(options.output) / plan.name / "latest");
      AnalysedRun now(plan.name, read_run(file));
      if (last) print_change(*last, now);
      last.emplace(std::move(now));
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::usage) throw;
      terminal::print_error(error);
    }
    terminal::flush(stdout);
    terminal::print(stderr, "waiting for changes in {}; Ctrl-C ends\n", options.plan_file);
    while (content_of(watched_files(options.plan_file, sources)) == seen) std::this_thread::sleep_for(kPause);
  }
}

}  // namespace rooflinectl
