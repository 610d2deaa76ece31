// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "cli/answers.h"
#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/progress/progress.h"
#include "cli/run/run_parts.h"
#include "cli/terminal.h"
#include "core/elapsed.h"
#include "core/files/files.h"
#include "core/machine/ranks.h"
#include "core/serial/run_file.h"
#include "reports/reports.h"
#include "reports/text/format.h"
#include "runner/compiling/compiling.h"
#include "runner/machine/catalogue.h"
#include "runner/machine/machine.h"
#include "runner/measuring/device_runs.h"
#include "runner/measuring/measure.h"
#include "runner/python_kernels/python_kernels.h"
#include "runner/sanitizing/sanitizer.h"

namespace rooflinectl {

namespace {

/// Mentions preparing that took some time.
void print_noticeable(const char* what, std::chrono::steady_clock::time_point begin) {
  constexpr double kNoticeableSeconds = 0.5;
  const double took_s = seconds_since(begin);
  if (took_s > kNoticeableSeconds) terminal::print(stderr, "{} in {}\n", what, format::duration(took_s));
}

int end_run(const MeasureResult& result, const RunOptions& options) {
  const Verbosity verbosity = options.verbosity();
  const ReportModel report(result.run);
  write_reports(report, result.folder);
  if (verbosity != Verbosity::quiet) print_summary(result, report, options.rows());
  print_report(result.folder, verbosity);
  if (result.stopped_by) throw *result.stopped_by;
  const bool complete = result.bad_points() == 0 && result.bad_primitives() == 0 && result.losses.empty() &&
                        !result.counters_are_suspect();
  return complete ? 0 : static_cast<int>(ErrorKind::measurement);
}

/// Runs the program of the plan, where it has one and the run has none yet, and adds its kernels to the run.
void profile_application(MeasureResult& result, const RunOptions& options) {
  const Experiment* const experiment = experiment_with_application(result.run.plan);
  if (experiment == nullptr || result.run.application || result.stopped_by) return;
  const PlannedApplication application = *experiment->application;
  const ProfileRequest request =
      request_for(application, {.run = result.run, .folder = result.folder, .experiment = experiment->name});
  try {
    const ProfileResult profiled = profile(request, profile_progress(options.verbosity()));
    result.run = profiled.run;
    if (profiled.failure) result.losses.emplace_back(profiled.failure->what());
    if (const int code = profiled.end.exit_code(); code != 0) {
      result.losses.push_back(fmt::format("{} ended with exit code {}", application.command.front(), code));
    }
  } catch (const Error& error) {
    result.stopped_by = error;
  }
}

/// Adds the points that are functions in Python.
void measure_python(MeasureResult& result, const std::filesystem::path& references,
                    const RunOptions& options) {
  if (!has_python_kernels(result.run.plan) || result.stopped_by) return;
  try {
    measure_python_kernels(result.run, result.folder, references, !options.no_counters,
                           profile_progress(options.verbosity()));
    result.run = as_written(result.run);
  } catch (const Error& error) {
    result.stopped_by = error;
  }
}

/// What is made ready before a plan is measured, and what becomes of it afterwards.
class Preparation {
 public:
  /// Computes references, and looks for errors in memory if that is asked for.
  Preparation(MeasureRequest& request, const std::string& device, const RunOptions& options) {
    if (has_python_references(request.plan) || has_cpp_references(request.plan)) {
      request.references = references_.path();
      const auto begin = std::chrono::steady_clock::now();
      const auto& kernels = request.compiled_kernels;
      compute_cpp_references(request.plan, references_.path(),
                             kernels.empty() ? kDefaultArchitecture : kernels.front().architecture);
      compute_references(request.plan, references_.path());
      if (!options.quiet) print_noticeable("references computed", begin);
    }
    if (options.sanitize) {
      findings_ = sanitizer_findings(request.plan, request.compiled_kernels, device, request.collector);
    }
  }

  const std::filesystem::path& references() const { return references_.path(); }

  void mark(MeasureResult& result) const {
    if (findings_.empty()) return;
    mark_findings(result.run, findings_);
    write_run(result.folder / "run.json", result.run);
  }

 private:
  PrivateFolder references_;
  std::map<std::string, std::string> findings_;
};

/// Measures `plan`, with what follows from `options`, whatever the devices.
MeasureRequest request_of(const Plan& plan, const RunOptions& options) {
  MeasureRequest request;
  request.plan = plan;
  request.counters = !options.no_counters;
  request.self_test = options.self_test;
  request.collector = require_collector();
  request.output = options.output;
  request.command_line = options.command_line;
  request.fresh_ceilings = options.fresh;
  return request;
}

/// The plan's kernels from files, for these devices. Prints how long that took, unless they were in the
/// cache.
std::vector<CompiledKernel> compiled(const Plan& plan, const std::vector<std::string>& devices,
                                     const RunOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  std::vector<CompiledKernel> kernels = compile_kernels_for(plan, devices);
  if (!options.quiet && !kernels.empty()) print_noticeable("compiled", begin);
  return kernels;
}

void print_warnings(const std::vector<Check>& warnings) {
  for (const Check& check : warnings) {
    terminal::print(stderr, "{}: {}: {}\n  {}\n", to_string(check.status), check.subject, check.detail,
                    check.fix);
  }
}

/// Prints the warnings of `doctor` unless `is_quiet`. Throws as `require_usable`.
void check_machine(const std::string& device, bool is_quiet) {
  const std::vector<Check> warnings = require_usable(device);
  if (!is_quiet) print_warnings(warnings);
}

/// What follows once the collector has measured.
int complete(MeasureResult result, const Preparation& preparation, const RunOptions& options) {
  if (result.stop_signal) return end_interrupted(result);
  preparation.mark(result);
  measure_python(result, preparation.references(), options);
  profile_application(result, options);
  return end_run(result, options);
}

int measure_run(MeasureRequest request, const RunOptions& options) {
  const Preparation preparation(request, request.device, options);
  return complete(measure_with_progress(request, options.verbosity()), preparation, options);
}

// ---- several devices ----

int measure_run_on_devices(MeasureRequest request, const std::vector<DeviceInfo>& devices, bool together,
                           const RunOptions& options) {
  const Preparation preparation(request, devices.front().uuid, options);
  const UsableDevices usable = usable_devices(devices);
  if (!options.quiet) print_warnings(usable.warnings);
  ProgressDisplay display(stderr);
  std::vector<ObservedDevice> observed;
  for (const DeviceInfo& device : usable.devices) {
    observed.push_back(
        {device, progress_on(display, options.verbosity(), fmt::format("GPU {}", device.index))});
  }
  MeasureResult result = measure_on_devices(request, observed, together);
  result.losses.insert(result.losses.begin(), usable.losses.begin(), usable.losses.end());
  return complete(std::move(result), preparation, options);
}

// ---- several processes ----

/// The ranks on a host share those that were named, or all, in their order. Throws Error as `chosen_devices`
/// and `check_machine`.
std::string device_of(const LauncherRank& rank, const RunOptions& options) {
  const std::vector<DeviceInfo> devices =
      chosen_devices(options.names_devices ? options.devices : std::vector<std::string>{kAllDevices});
  const auto place = static_cast<std::size_t>(rank.local_rank.value_or(rank.rank)) % devices.size();
  check_machine(devices[place].uuid, options.quiet);
  return devices[place].uuid;
}

/// The first rank shows what all do; each has its reports.
int measure_run_as(const LauncherRank& rank, const Plan& plan, RunOptions options) {
  if (experiment_with_application(plan) != nullptr) {
    throw Error(ErrorKind::usage, "several ranks cannot measure a plan with an application",
                "start it without the launcher; the application's command may be a launcher");
  }
  if (!rank.is_first()) options.quiet = true;
  try {
    MeasureRequest request = request_of(plan, options);
    request.rank = rank;
    request.device = device_of(rank, options);
    request.compiled_kernels = compiled(plan, {request.device}, options);
    return measure_run(request, options);
  } catch (const Error& error) {
    throw Error(error.kind(), fmt::format("rank {}: {}", rank.rank, error.what()), error.hint());
  }
}

// ---- the forms of the command ----

/// Which of the processes that measure a run together this one is; nothing where it is alone.
std::optional<LauncherRank> rank_among_others() {
  const std::optional<LauncherRank> rank = launcher_rank();
  return rank && rank->ranks && rank->has_others() ? rank : std::nullopt;
}

int start(const Plan& plan, const RunOptions& options) {
  const DeviceChoice devices = device_choice(options.devices);
  MeasureRequest request = request_of(plan, options);
  if (!devices.several.empty()) {
    request.compiled_kernels = compiled(plan, options.devices, options);
    return measure_run_on_devices(request, devices.several, options.together, options);
  }
  request.device = devices.one;
  check_machine(request.device, options.quiet);
  request.compiled_kernels = compiled(plan, {request.device}, options);
  return measure_run(request, options);
}

/// What is measured now must be what was measured before. Throws Error(usage).
void require_same_compiler(const Run& run, const std::vector<CompiledKernel>& now) {
  if (run.compiled_kernels.empty() || now.empty()) return;
  const std::string& before = run.compiled_kernels.front().compiler;
  if (before == now.front().compiler) return;
  throw Error(ErrorKind::usage,
              fmt::format("the kernels were compiled by {} when the run began, and now by {}", before,
                          now.front().compiler),
              "set CUDA_HOME to the folder of that toolkit, or begin a new run");
}

int resume(const RunOptions& options) {
  const UnfinishedRun unfinished = load_unfinished(options.resumed_folder);
  MeasureRequest request = request_of(unfinished.run.plan, options);
  request.unfinished = unfinished;
  std::vector<std::string> uuids;
  for (const std::size_t place : measured_devices(unfinished.run)) {
    uuids.push_back(unfinished.run.devices[place].uuid);
  }
  if (uuids.size() == 1) check_machine(uuids.front(), options.quiet);
  request.compiled_kernels = compiled(request.plan, uuids, options);
  require_same_compiler(unfinished.run, request.compiled_kernels);
  if (uuids.size() > 1) {
    return measure_run_on_devices(request, chosen_devices(uuids), unfinished.run.together, options);
  }
  request.device = uuids.front();
  return measure_run(request, options);
}

/// On a machine that cannot measure: the user's mistakes come before what the machine lacks. Throws
/// Error(usage).
void check_kernels(const Plan& plan) {
  if (!plan.kernels.empty() && find_compiler()) compile_kernels(plan, {kDefaultArchitecture});
  try {
    compile_cpp_references(plan, kDefaultArchitecture);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::usage) throw;  // not that there is no compiler
  }
}

int run(const RunOptions& options) {
  const std::optional<LauncherRank> rank = rank_among_others();
  const bool needs_one = !options.resumed_folder.empty() || options.dry_run || !options.replay_file.empty();
  if (rank && needs_one && !rank->is_first()) return 0;
  if (!options.resumed_folder.empty()) return resume(options);
  if (options.watch) {
    if (rank) throw Error(ErrorKind::usage, "--watch: several ranks cannot wait for changes together");
    return watch_plan(options, [&](const Plan& changed) { return start(changed, options); });
  }
  const Plan plan = load_plan(options.plan_file);
  if (rank && !needs_one) return measure_run_as(*rank, plan, options);
  if (options.dry_run) {
    print_dry_run(plan, options);
    return 0;
  }
  if (!options.replay_file.empty()) return replay_file(plan, options);
  try {
    return start(plan, options);
  } catch (const CannotMeasure& error) {
    check_kernels(plan);
    if (options.require_gpu) throw error;
    return replay_shipped(plan, options, error);
  }
}

void check_plan(const RunOptions& options) {
  if (options.plan_file.empty() && options.resumed_folder.empty())
    throw CLI::RequiredError("a PLAN or --resume DIR");
}

}  // namespace

void add_run_command(const Commands& commands) {
  const auto [command, options] =
      add_command(commands, "run", "Measure what a plan lists and write the reports", run, check_plan);
  CLI::Option* const plan =
      add_option(command, "plan", "PLAN", options->plan_file,
                 "The plan, such as experiments.yaml; or a CUDA or Python file whose comments describe its "
                 "kernel (`rooflinectl new` writes one), or a folder of such files; or a T1 file of an "
                 "auto-tuner, such as tuning.json");
  CLI::Option* const device =
      add_option(command, "-d,--device", "INDEX|UUID,...|all", options->devices,
                 "The GPU, or GPUs: their indices or UUIDs as nvidia-smi -L prints them, or all; one "
                 "after the other")
          ->delimiter(',')
          ->default_str("0")
          ->each([options = options](const std::string&) { options->names_devices = true; });
  command
      ->add_flag("--together", options->together,
                 "Measure all of these GPUs at once, to see what sharing power and PCIe costs; ceilings are "
                 "still measured one GPU at a time")
      ->needs(device);
  CLI::Option* const output = add_option(command, "-o,--output", "DIR", options->output,
                                         "Folder in which to create <plan name>/<UTC time>/")
                                  ->capture_default_str();
  CLI::Option* const no_counters = command->add_flag("--no-counters", options->no_counters,
                                                     "Only verify and time; do not use hardware counters");
  CLI::Option* const self_test =
      command
          ->add_flag(
              "--selftest", options->self_test,
              "Run `rooflinectl selftest` first; every report shows whether the counters can be trusted")
          ->excludes(no_counters);
  CLI::Option* const fresh = command->add_flag(
      "--fresh", options->fresh, "Measure the ceilings again, even if an earlier run measured them");
  CLI::Option* const require_gpu =
      command->add_flag("--require-gpu", options->require_gpu,
                        "Fail if this machine cannot measure, instead of replaying a recording");
  CLI::Option* const replay =
      add_option(command, "--replay", "RUN.json", options->replay_file,
                 "Take the numbers from this run (its folder, run.json or run.json.gz) instead of "
                 "measuring; reports are marked as a replay")
          ->excludes(require_gpu)
          ->excludes(self_test);
  CLI::Option* const dry_run = command->add_flag(
      "--dry-run", options->dry_run,
      "Check the plan, list its points, and estimate the time that they take, without measuring");
  command->add_flag("--json", options->json, "With --dry-run: print the request for the collector as JSON")
      ->needs(dry_run);
  CLI::Option* const resumed =
      add_option(command, "--resume", "DIR", options->resumed_folder,
                 "Continue the run in this folder: measure points that are missing or failed, count points "
                 "without counters, and rewrite the reports; requires the same GPUs, driver and build");
  CLI::Option* const sanitize =
      command
          ->add_flag("--sanitize", options->sanitize,
                     "First launch each point of a CUDA file under compute-sanitizer (memcheck); points with "
                     "errors fail")
          ->excludes(dry_run)
          ->excludes(replay);
  CLI::Option* const watch =
      command
          ->add_flag(
              "--watch", options->watch,
              "Measure again each time the plan or a source of its kernels is saved, until Ctrl-C, and "
              "print what changed since the last version")
          ->excludes(dry_run)
          ->excludes(replay);
  for (CLI::Option* const other :
       {plan, device, output, fresh, replay, require_gpu, dry_run, sanitize, watch}) {
    resumed->excludes(other);
  }
  command->add_flag("--all", options->all,
                    "Show every point, even in experiments with more than 40, whose tables otherwise show "
                    "only the notable ones");
  CLI::Option* const quiet =
      command->add_flag("-q,--quiet", options->quiet, "Print only the path of the report, and errors");
  command
      ->add_flag("-v,--verbose", options->verbose,
                 "Print every result and the collector's log as they arrive")
      ->excludes(quiet);
  command->footer(
      "Examples:\n"
      "  rooflinectl run experiments.yaml\n"
      "  rooflinectl run scale.cu                         your kernel; new writes a file to begin with\n"
      "  rooflinectl run ladder/                          versions of a kernel, side by side\n"
      "  rooflinectl run experiments.yaml --device 1 --output /scratch/runs\n"
      "  rooflinectl run experiments.yaml --device all\n"
      "  mpirun -n 2 rooflinectl run experiments.yaml     a run per rank; merge joins them\n"
      "  rooflinectl run --resume runs/reductions/2026-11-21T09-52-06Z\n"
      "  rooflinectl run experiments.yaml --dry-run --json > request.json\n"
      "  ncu --nvtx rooflinectl-collector --plan request.json --mode once\n"
      "\n"
      "Environment:\n"
      "  ROOFLINECTL_SILENCE_LIMIT  seconds without output after which a kernel counts\n"
      "                             as hung (default: 300 while it is verified, 60 plus\n"
      "                             ten times the plan's time_limit while it is timed,\n"
      "                             600 while ranks wait for each other, 120 otherwise)\n"
      "  CUDA_HOME                  the toolkit whose nvcc compiles kernels from files\n"
      "  ROOFLINECTL_COLLECTOR      the collector to start instead of the one next to\n"
      "                             this program");
}

}  // namespace rooflinectl
