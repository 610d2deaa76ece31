// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/measured_devices.h"
#include "cli/plan_file.h"
#include "cli/profile_progress.h"
#include "cli/progress.h"
#include "cli/terminal.h"
#include "core/model/quantity.h"
#include "core/serial/protocol.h"
#include "core/serial/run_file.h"
#include "core/text/printable.h"
#include "reports/reports.h"
#include "reports/text/format.h"
#include "reports/text/text_table.h"
#include "runner/machine/cannot_measure.h"
#include "runner/machine/catalogue.h"
#include "runner/machine/chosen_devices.h"
#include "runner/measuring/device_runs.h"
#include "runner/measuring/measure.h"
#include "runner/measuring/time_estimate.h"
#include "runner/runs/replay.h"
#include "runner/runs/run_folder.h"

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;

struct RunOptions {
  std::string plan_file;
  std::vector<std::string> devices = {"0"};
  bool together = false;
  std::string output = "runs";
  bool no_counters = false;
  bool self_test = false;
  bool dry_run = false;
  bool json = false;
  bool require_gpu = false;
  bool fresh = false;
  bool all = false;
  bool quiet = false;
  bool verbose = false;
  std::string replay_file;
  std::string resumed_folder;
  std::vector<std::string> command_line;

  Rows rows() const { return all ? Rows::all : Rows::notable; }
  Verbosity verbosity() const {
    if (quiet) return Verbosity::quiet;
    return verbose ? Verbosity::verbose : Verbosity::normal;
  }
};

// ---- --dry-run ----

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
  terminal::print("{}\n", encode(request));
}

void print_experiment(const Experiment& experiment) {
  terminal::print("\n{}{}\n", experiment.name,
                  experiment.title == experiment.name ? "" : ": " + printable(experiment.title));
  terminal::print("  {}, each timed until ±{} or {}; counters: {}\n",
                  format::counted(experiment.points.size(), "point"),
                  format::percent(experiment.timing.relative_half_width),
                  format::duration(experiment.timing.time_limit_s), to_string(experiment.counters));
  std::vector<std::vector<std::string>> rows = {
      {"variant", "dtype", "elements", "cache", "launch", "block", "elements/thread", "GPUs"}};
  for (const PointId& point : experiment.points) {
    const Reduction reduction = reduction_of(point);
    rows.push_back({point.subject, std::string(to_string(reduction.dtype)),
                    elements_text(reduction.n_elements), std::string(to_string(reduction.cache)),
                    std::string(to_string(reduction.launch_mode)),
                    reduction.block_size > 0 ? fmt::format("{}", reduction.block_size) : "",
                    reduction.elements_per_thread ? fmt::format("{}", *reduction.elements_per_thread) : "",
                    reduction.gpus ? fmt::format("{}", *reduction.gpus) : ""});
  }
  if (rows.size() > 1) terminal::print("{}", text_table(rows, "  "));
  if (const auto& application = experiment.application) {
    terminal::print("  program: {}\n", fmt::join(application->command, " "));
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
    text += fmt::format(", with {} as in {}", format::counted(estimate.known, "point"),
                        estimate.like.parent_path().string());
  }
  if (estimate.unknown > 0) text += fmt::format(", {} by a rule", format::counted(estimate.unknown, "point"));
  if (!plan.ceilings.empty()) {
    text += fmt::format("; {} more if no ceiling is known yet", roughly(estimate.ceilings_s));
  }
  const bool are_several = options.devices.size() > 1 || options.devices.front() == kAllDevices;
  if (are_several && !options.together) text += "; on each GPU";
  terminal::print("{}\n", text);
}

void print_plan(const Plan& plan, const RunOptions& options) {
  terminal::print("plan: {}\n", plan.name);
  terminal::print("ceilings: {}\n",
                  plan.ceilings.empty() ? "none" : fmt::format("{}", fmt::join(plan.ceilings, ", ")));
  if (!plan.primitives.empty()) terminal::print("primitives: {}\n", fmt::join(plan.primitives, ", "));
  for (const Experiment& experiment : plan.experiments) print_experiment(experiment);
  if (!find_collector()) {
    terminal::print(
        "\nThis build has no rooflinectl-collector: if no block size is shown, the kernel uses its own.\n");
  }
  print_estimate(plan, options);
}

// ---- the run itself ----

void print_duration(const Run& run) {
  const CounterSession& counters = run.counter_session;
  const std::string share = counters.available
                                ? fmt::format(", {} of that for counters",
                                              format::duration(counters.host_setup_s + counters.collection_s))
                                : "";
  terminal::print("measured in {}{}\n", format::duration(run.wall_s), share);
}

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
  print_duration(result.run);
}

/// The last line of a run; with --quiet the only one.
void print_report(const fs::path& folder, Verbosity verbosity) {
  terminal::print("{}{}\n",
                  verbosity == Verbosity::quiet ? "" : "report: ", (folder / "report.html").string());
  terminal::flush(stdout);
  link_latest(folder);
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

// ---- a recording in place of a run ----

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

// ---- the command ----

/// Runs the program of the plan, where it has one and the run has none yet, and adds its kernels to the run.
void profile_application(MeasureResult& result, const RunOptions& options) {
  const Experiment* const experiment = experiment_with_application(result.run.plan);
  if (experiment == nullptr || result.run.application || result.stopped_by) return;
  ProfileProgressLines progress(options.verbosity());
  const PlannedApplication application = *experiment->application;
  const ProfileRequest request =
      request_for(application, {.run = result.run, .folder = result.folder, .experiment = experiment->name});
  try {
    const ProfileResult profiled = profile(request, progress);
    result.run = profiled.run;
    if (profiled.failure) result.losses.emplace_back(profiled.failure->what());
    if (const int code = profiled.end.exit_code(); code != 0) {
      result.losses.push_back(fmt::format("{} ended with exit code {}", application.command.front(), code));
    }
  } catch (const Error& error) {
    result.stopped_by = error;
  }
}

/// What `options` say of a request for whichever devices.
MeasureRequest request_of(const RunOptions& options) {
  MeasureRequest request;
  request.counters = !options.no_counters;
  request.self_test = options.self_test;
  request.collector = require_collector();
  request.output = options.output;
  request.command_line = options.command_line;
  request.fresh_ceilings = options.fresh;
  return request;
}

int measure_run(const MeasureRequest& request, const RunOptions& options) {
  MeasureResult result = measure_with_progress(request, options.verbosity());
  if (result.stop_signal) return end_interrupted(result);
  profile_application(result, options);
  return end_run(result, options);
}

// ---- several devices ----

int start_on_devices(const Plan& plan, const std::vector<DeviceInfo>& devices, const RunOptions& options) {
  std::vector<std::string> losses;
  const std::vector<DeviceInfo> usable = usable_devices(devices, options.quiet, losses);
  MeasureRequest request = request_of(options);
  request.plan = plan;
  ProgressDisplay display(stderr);
  std::deque<Progress> progress;
  std::vector<ObservedDevice> observed;
  for (const DeviceInfo& device : usable) {
    const std::string name = fmt::format("GPU {}", device.index);
    observed.push_back({device, progress.emplace_back(display, options.verbosity(), name)});
  }
  MeasureResult result = measure_on_devices(request, observed, options.together);
  result.losses.insert(result.losses.begin(), losses.begin(), losses.end());
  if (result.stop_signal) {
    return end_interrupted(result, "a run of several devices cannot be resumed");
  }
  profile_application(result, options);
  return end_run(result, options);
}

// ---- the command's ways ----

int start(const Plan& plan, const RunOptions& options) {
  const std::vector<DeviceInfo> devices = several_devices(options.devices);
  if (devices.size() > 1) return start_on_devices(plan, devices, options);
  const std::string device = devices.empty() ? options.devices.front() : devices.front().uuid;
  check_machine(device, options.quiet);
  MeasureRequest request = request_of(options);
  request.plan = plan;
  request.device = device;
  return measure_run(request, options);
}

int resume(const RunOptions& options) {
  const UnfinishedRun unfinished = load_unfinished(options.resumed_folder);
  check_machine(unfinished.run.device().uuid, options.quiet);
  MeasureRequest request = request_of(options);
  request.plan = unfinished.run.plan;
  request.device = unfinished.run.device().uuid;
  request.unfinished = unfinished;
  return measure_run(request, options);
}

int run(const RunOptions& options) {
  if (!options.resumed_folder.empty()) return resume(options);
  const Plan plan = load_plan(options.plan_file);
  if (options.dry_run) {
    options.json ? print_request(plan, options) : print_plan(plan, options);
    return 0;
  }
  if (!options.replay_file.empty()) return replay_file(plan, options);
  try {
    return start(plan, options);
  } catch (const CannotMeasure& error) {
    if (options.require_gpu) throw error;
    return replay_shipped(plan, options, error);
  }
}

}  // namespace

void add_run_command(CLI::App& app, Action& action, int argc, char** argv) {
  const auto options = std::make_shared<RunOptions>();
  options->command_line.assign(argv, argv + argc);
  CLI::App* const command = app.add_subcommand("run", "Measure what a plan lists and write the reports");
  CLI::Option* const plan =
      command->add_option("plan", options->plan_file, "The plan, such as experiments.yaml")
          ->type_name("PLAN");
  CLI::Option* const device =
      command
          ->add_option("-d,--device", options->devices,
                       "The GPU, or GPUs: their indices or UUIDs as nvidia-smi -L prints them, or all; one "
                       "after the other")
          ->delimiter(',')
          ->type_name("INDEX|UUID,...|all")
          ->default_str("0");
  command
      ->add_flag("--together", options->together,
                 "Measure all of these GPUs at once, to see what shared power and PCIe cost; ceilings are "
                 "still measured one GPU at a time")
      ->needs(device);
  CLI::Option* const output =
      command->add_option("-o,--output", options->output, "Folder in which to create <plan name>/<UTC time>/")
          ->type_name("DIR")
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
      command
          ->add_option("--replay", options->replay_file,
                       "Take the numbers from this run (its folder, run.json or run.json.gz) instead of "
                       "measuring; reports are marked as a replay")
          ->type_name("RUN.json")
          ->excludes(require_gpu)
          ->excludes(self_test);
  CLI::Option* const dry_run = command->add_flag(
      "--dry-run", options->dry_run,
      "Check the plan, list its points, and estimate the time that they take, without measuring");
  command->add_flag("--json", options->json, "With --dry-run: print the request for the collector as JSON")
      ->needs(dry_run);
  CLI::Option* const resumed =
      command
          ->add_option(
              "--resume", options->resumed_folder,
              "Continue the run in this folder: measure points that are missing or failed, count points "
              "without counters, and rewrite the reports; requires the same GPU, driver and build")
          ->type_name("DIR");
  for (CLI::Option* const other : {plan, device, output, fresh, replay, require_gpu, dry_run}) {
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
      "  rooflinectl run experiments.yaml --device 1 --output /scratch/runs\n"
      "  rooflinectl run experiments.yaml --device all\n"
      "  rooflinectl run --resume runs/reductions/2026-11-21T09-52-06Z\n"
      "  rooflinectl run experiments.yaml --dry-run --json > request.json\n"
      "  ncu --nvtx rooflinectl-collector --plan request.json --mode once\n"
      "\n"
      "Environment:\n"
      "  ROOFLINECTL_SILENCE_LIMIT  seconds without output after which a kernel counts as hung\n"
      "                             (default: 300 while it is verified, 60 plus ten times the plan's\n"
      "                             time_limit while it is timed, 120 otherwise)\n"
      "  ROOFLINECTL_COLLECTOR      the collector to start instead of the one next to this program");
  command->callback([&action, options] {
    if (options->plan_file.empty() && options->resumed_folder.empty())
      throw CLI::RequiredError("A PLAN or --resume DIR");
    action = [options] { return run(*options); };
  });
}

}  // namespace rooflinectl
