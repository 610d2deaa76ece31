// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/program/recoverable.h"
#include "cli/answers.h"
#include "cli/commands.h"
#include "cli/progress/progress.h"
#include "cli/terminal.h"
#include "core/program/application.h"
#include "core/program/timeline.h"
#include "core/serial/field_writer.h"
#include "core/serial/fields/application_fields.h"
#include "reports/formats/formats.h"
#include "reports/reports.h"
#include "reports/text/format.h"
#include "runner/profiling/profile.h"

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;

struct ProfileOptions {
  ProfileSettings settings;
  std::string nvtx_scope = "process";
  std::string capture = "all";
  std::string timeline;       // an interval; empty for none
  std::string export_format;  // empty for none
  std::optional<double> timeout_s;
  std::string output = "runs";
  std::string resumed_folder;  // empty for none
  bool once = false;
  bool rerun = false;
  bool dry_run = false;
  bool json = false;
  bool all = false;
  bool quiet = false;
  std::vector<std::string> program;
  std::vector<std::string> command_line;

  Verbosity verbosity() const { return quiet ? Verbosity::quiet : Verbosity::normal; }
};

/// Why --capture does not accept `text`; empty if it does.
std::string capture_mistake(const std::string& text) {
  return capture_from(text) ? "" : fmt::format("'{}' is not one of all, cuda-profiler and nvtx:NAME", text);
}

constexpr const char* kUsualInterval = "100us";

std::string interval_mistake(const std::string& text) {
  return interval_from(text, kShortestInterval)
             ? ""
             : fmt::format("'{}' is not an interval from 10us to 1s (for example 100us)", text);
}

ProfileRequest request_of(const ProfileOptions& options) {
  if (!options.resumed_folder.empty()) return unfinished_profile(options.resumed_folder);
  ProfileRequest request;
  request.program.command = options.program;
  request.settings = options.settings;
  request.settings.nvtx_scope = options.nvtx_scope == "thread" ? NvtxScope::thread : NvtxScope::process;
  const CaptureChoice capture = capture_from(options.capture).value_or(CaptureChoice{});
  request.settings.capture = capture.capture;
  request.settings.capture_range = capture.range;
  request.settings.timeline_interval_ns = interval_from(options.timeline, kShortestInterval);
  // Sampling begins only when a pass has ended.
  if (request.settings.limit == 0U && !request.settings.timeline_interval_ns) request.settings.passes.clear();
  if (options.once) request.rerun = Rerun::never;
  if (options.rerun) request.rerun = Rerun::always;
  if (options.timeout_s) request.time_limit = std::chrono::duration<double>(*options.timeout_s);
  request.output = options.output;
  request.command_line = options.command_line;
  return request;
}

/// Prints the command as a shell takes it.
void print_dry_run(const ProfileRequest& request) {
  const fs::path folder =
      fs::absolute(request.output) / program_name(request.program.command) / "<UTC time>" / "records-1";
  for (const auto& [name, value] : profiling_variables(request, folder)) {
    terminal::print("{}='{}' \\\n", name, value);
  }
  terminal::print("{}\n", command_text(request.program.command));
}

// Everything but JSON goes to standard error: standard output is the program's.

void print_sampling_window(const ProfileSettings& settings) {
  const auto interval_ns = settings.timeline_interval_ns;
  const auto window_s = interval_ns ? sampling_window_s(*interval_ns) : std::nullopt;
  if (!window_s) return;
  terminal::print(
      stderr,
      "rooflinectl: at this interval the GPU's buffer holds {}: the timeline covers that, once the kernels "
      "are counted\n",
      format::duration(*window_s));
}

void print_incomplete(const ProfileResult& result) {
  if (result.incomplete_points == 0) return;
  terminal::print(
      stderr,
      "counters incomplete for {} ({} of GPU time); to complete them: rooflinectl profile --rerun -- {}\n",
      format::counted(result.incomplete_points, "launch group"), format::percent(result.incomplete_share),
      command_text(result.run.application->command_line));
}

/// The share of GPU time of kernels for which everything that a roof needs was counted: of the whole run, and
/// of the program's steps.
struct CountedShares {
  double of_run = 0;
  double of_steps = 0;
};

CountedShares counted_shares(const Run& run) {
  double all_s = 0;
  double in_steps_s = 0;
  double counted_s = 0;
  double counted_in_steps_s = 0;
  const Analysis analysis = analyse(run);
  for (const ExperimentAnalysis& experiment : analysis.experiments) {
    for (const RooflinePoint& point : experiment.points) {
      if (!point.launches) continue;
      all_s += point.launches->total_s;
      in_steps_s += point.launches->in_steps_s;
      if (!is_fully_counted(*point.measurement)) continue;
      counted_s += point.launches->total_s;
      counted_in_steps_s += point.launches->in_steps_s;
    }
  }
  return {all_s > 0 ? counted_s / all_s : 0, in_steps_s > 0 ? counted_in_steps_s / in_steps_s : 0};
}

void print_json(const ProfileResult& result) {
  serial::Json answer = answer_head("profile", result.run.devices);
  const CountedShares counted = counted_shares(result.run);
  answer.update(serial::Json{{"run", (result.folder / "run.json").string()},
                             {"report", (result.folder / "report.html").string()},
                             {"groups", result.run.measurements.size()},
                             {"counted_share", counted.of_run},
                             {"counted_share_of_steps", counted.of_steps},
                             {"incomplete_groups", result.incomplete_points},
                             {"incomplete_share", result.incomplete_share},
                             {"application", serial::to_json(*result.run.application)}});
  terminal::print("{}\n", serial::to_text(answer));
}

void write_all_reports(const ProfileResult& result, const ProfileOptions& options) {
  const ReportModel report(result.run, {}, result.timeline ? &*result.timeline : nullptr);
  const bool is_exported = !options.export_format.empty();
  const std::vector<fs::path> written = write_reports(
      report, result.folder, {}, is_exported && report.has_timeline() ? Export::perfetto : Export::none);
  if (!options.quiet) {
    const Rows rows = options.all ? Rows::all : Rows::notable;
    terminal::print(stderr, "\n{}\n", terminal_summary(report, columns_of(stderr), rows));
    print_incomplete(result);
  }
  terminal::print(stderr, "{}{}\n",
                  options.quiet ? "" : "report: ", (result.folder / "report.html").string());
  make_latest(result.folder);
  if (is_exported) {
    require_timeline(report);
    terminal::print(stderr, "{}{}\n", options.quiet ? "" : "export: ", written.back().string());
  }
}

int profile_program(const ProfileOptions& options) {
  const ProfileRequest request = request_of(options);
  if (options.dry_run) {
    print_dry_run(request);
    return 0;
  }
  if (!options.quiet) print_sampling_window(request.settings);
  const ProfileResult result = profile(request, profile_progress(options.verbosity()));
  int own_code = 0;
  if (!result.folder.empty()) {
    try {
      write_all_reports(result, options);
    } catch (const Error& error) {
      own_code = terminal::print_error(error);
    }
    if (options.json) print_json(result);
  }
  if (result.failure) own_code = terminal::print_error(*result.failure);
  const int code = result.end.exit_code();
  return code != 0 ? code : own_code;
}

void check_program(const ProfileOptions& options) {
  if (options.program.empty() && options.resumed_folder.empty())
    throw CLI::RequiredError("a PROGRAM after --, or --resume DIR");
  if (!options.program.empty() && !options.resumed_folder.empty())
    throw CLI::ExcludesError("--resume", "a PROGRAM");
}

}  // namespace

void add_profile_command(const Commands& commands) {
  const auto [command, options] = add_command(commands, "profile",
                                              "Trace the kernels of any CUDA program and collect their "
                                              "hardware counters",
                                              profile_program, check_program);
  options->program = commands.program;
  ProfileSettings& settings = options->settings;
  add_option(command, "--samples", "NUMBER", settings.samples,
             "Launches to count of each launch group (kernel, grid, block, shared memory, NVTX path)")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  add_option(command, "--kernel", "REGEX", settings.kernel,
             "Only kernels whose mangled symbol (as cuobjdump prints it) matches this expression, in the "
             "syntax of grep -E");
  add_option(command, "--nvtx", "GLOB", settings.nvtx,
             "Only launches within an NVTX range whose name matches");
  add_option(command, "--nvtx-scope", "SCOPE", options->nvtx_scope,
             "NVTX ranges of a launch whose thread has none open: those of the thread that last opened one "
             "(process), or none (thread)")
      ->check(CLI::IsMember(std::vector<std::string>{"process", "thread"}))
      ->capture_default_str();
  add_option(command, "--capture", "WHEN", options->capture,
             "When to trace and count: all, cuda-profiler (from cudaProfilerStart to "
             "cudaProfilerStop), or nvtx:NAME (while that range is open)")
      ->check(CLI::Validator(capture_mistake, ""))
      ->capture_default_str();
  CLI::Option* const timeline =
      add_option(command, "--timeline", "INTERVAL", options->timeline,
                 "Once the kernels are counted, sample the GPUs at this interval, from 10us to 1s; below "
                 "200us, only the first 8,192 samples (0.82 s at 100us)")
          ->expected(0, 1)
          ->default_str(kUsualInterval)
          ->check(CLI::Validator(interval_mistake, ""));
  add_option(command, "--export", "FORMAT", options->export_format,
             "Also export the timeline as timeline.perfetto-trace, which https://ui.perfetto.dev opens")
      ->check(CLI::IsMember(std::vector<std::string>{"perfetto"}))
      ->needs(timeline);
  command->add_flag(
      "--whole-graphs", settings.whole_graphs,
      "Take each CUDA graph for one point: launch none of its kernels one by one to count them");
  add_option(command, "--skip", "NUMBER", settings.skip,
             "Skip this many of the selected launches before counting");
  add_option(command, "--limit", "NUMBER", settings.limit,
             "Stop counting after this many selected launches; 0: times only");
  CLI::Option* const once =
      command->add_flag("--once", options->once, "Never run the program again for what one run cannot count");
  command
      ->add_flag("--rerun", options->rerun,
                 "Run it again even if it takes a minute or more, fails, or reads a pipe")
      ->excludes(once);
  command->add_flag("--dry-run", options->dry_run, "Only print how the program would be started");
  add_option(command, "--timeout", "SECONDS", options->timeout_s,
             "Ask the program to end after this time (SIGTERM), and kill it five seconds later")
      ->check(CLI::PositiveNumber);
  add_option(command, "-o,--output", "DIR", options->output,
             "Folder in which to create <program name>/<UTC time>/")
      ->capture_default_str();
  CLI::Option* const resumed = add_option(
      command, "--resume", "DIR", options->resumed_folder,
      "Complete a run in which rooflinectl was killed (its folder), from what the program wrote; the "
      "program is not run again");
  for (CLI::Option* other : command->get_options()) {
    if (other != resumed && !other->get_positional() && other->get_name() != "--help")
      resumed->excludes(other);
  }
  command->add_flag(
      "--json", options->json,
      "Print a summary as JSON, in SI units, on standard output after the program's own output");
  command->add_flag("--all", options->all,
                    "Show every launch group in the terminal, not only the notable ones");
  command->add_flag("-q,--quiet", options->quiet, "Print only the path of the report, and errors");
  command->footer(
      "The program's standard input, output and error are its own; rooflinectl prints\n"
      "on standard error, and exits with the program's exit code (128 + N after signal\n"
      "N). If that is 0, a failure of rooflinectl itself sets the exit code.\n"
      "\n"
      "Examples:\n"
      "  rooflinectl profile -- python3 train.py --steps 20\n"
      "  rooflinectl profile --timeline=200us -- python3 train.py --steps 500\n"
      "  rooflinectl profile --kernel 'gemm|conv' --samples 10 -- ./solver input.dat\n"
      "  rooflinectl profile --resume runs/train/2026-11-21T09-52-06Z\n"
      "  rooflinectl profile --capture nvtx:epoch --timeout 600 -- python3 train.py\n"
      "\n"
      "Environment:\n"
      "  ROOFLINECTL_COLLECTOR  the collector that measures the ceilings, instead of\n"
      "                         the one next to this program\n"
      "  ROOFLINECTL_INJECTION  the library to load into the program, instead of the\n"
      "                         installed one\n"
      "  CUDA_HOME              the CUDA toolkit whose CUPTI is used if the program has\n"
      "                         none");
}

}  // namespace rooflinectl
