// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/answers.h"
#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/progress/progress.h"
#include "cli/terminal.h"
#include "core/error.h"
#include "core/program/application.h"
#include "core/serial/run_file.h"
#include "reports/reports.h"
#include "reports/tables/tables.h"
#include "reports/text/text_table.h"
#include "runner/compiling/compiling.h"
#include "runner/crosscheck/crosscheck.h"
#include "runner/machine/catalogue.h"
#include "runner/measuring/measure.h"
#include "runner/processes/processes.h"
#include "runner/runs/run_folder.h"

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;

constexpr const char* kDefaultDevice = "0";
constexpr const char* kDefaultOutput = "runs";

struct CrosscheckOptions {
  std::string subject;
  std::vector<std::string> tools;  ///< their names; empty: those for which a file is given, or else all
  std::optional<std::string> ncu_file;
  std::optional<std::string> nsys_file;
  std::optional<std::string> device;
  std::optional<std::string> output;
  bool every = false;
  std::vector<std::string> command_line;

  bool wants(CrossCheckTool tool) const {
    if (!tools.empty()) return std::ranges::find(tools, to_string(tool)) != tools.end();
    if (!ncu_file && !nsys_file) return true;
    return (tool == CrossCheckTool::ncu && ncu_file) || (tool == CrossCheckTool::nsys && nsys_file);
  }
};

// ---- the run ----

/// A run on disk that nobody else writes to.
struct KeptRun {
  fs::path file;
  FolderLock lock;
  Run run;
  bool is_bad = false;  ///< something in it failed or is unverified

  fs::path folder() const { return file.parent_path(); }
};

bool is_run(const fs::path& subject) {
  const std::string name = subject.filename().string();
  return fs::is_directory(subject) || name.ends_with(".json") || name.ends_with(".json.gz");
}

/// Throws Error(usage) if an option would have no effect.
void refuse_idle_options(const CrosscheckOptions& options) {
  const auto refuse_if = [](bool is_idle, const char* why) {
    if (is_idle) throw Error(ErrorKind::usage, why);
  };
  const bool is_measured = is_run(options.subject);
  refuse_if(options.ncu_file && !options.wants(CrossCheckTool::ncu),
            "--ncu-file: --with does not include ncu");
  refuse_if(options.nsys_file && !options.wants(CrossCheckTool::nsys),
            "--nsys-file: --with does not include nsys");
  refuse_if(is_measured && options.device,
            "--device: a finished run is always checked on the GPU that measured it");
  refuse_if(is_measured && options.output, "--output: the results for a finished run go to its own folder");
}

KeptRun open_run(const fs::path& subject) {
  KeptRun kept;
  // `latest` may point elsewhere before the checks have ended.
  kept.file = fs::weakly_canonical(run_file(subject));
  kept.lock = FolderLock(kept.folder());
  kept.run = read_run(kept.file);
  return kept;
}

/// With reports, unless it was interrupted: the checks take minutes, and may be interrupted too.
MeasureResult measure_plan(const CrosscheckOptions& options) {
  MeasureRequest request;
  request.plan = load_plan(options.subject);
  request.device = options.device.value_or(kDefaultDevice);
  request.compiled_kernels = compile_kernels_for(request.plan, {request.device});
  request.collector = require_collector();
  request.output = options.output.value_or(kDefaultOutput);
  request.command_line = options.command_line;
  MeasureResult result = measure_with_progress(request, Verbosity::normal);
  if (result.stop_signal) return result;
  write_reports(ReportModel(result.run), result.folder);
  make_latest(result.folder);
  if (result.stopped_by) throw *result.stopped_by;
  return result;
}

// ---- the checks ----

struct WantedCheck {
  CrossCheckTool tool = CrossCheckTool::ncu;
  std::optional<std::string> recorded;  ///< the file to read instead of running the tool
};

/// Throws Error(usage) if a tool is asked for that cannot check the run.
std::vector<WantedCheck> wanted_checks(const Run& run, const CrosscheckOptions& options) {
  const bool is_of_program = !has_own_points(run);
  std::vector<WantedCheck> checks = {{CrossCheckTool::ncu, options.ncu_file},
                                     {CrossCheckTool::nsys, options.nsys_file}};
  std::erase_if(checks, [&](const WantedCheck& check) {
    return !options.wants(check.tool) || (is_of_program && check.tool != CrossCheckTool::ncu);
  });
  const bool is_asked_for = !options.tools.empty() || options.ncu_file || options.nsys_file;
  if (!is_of_program || !is_asked_for || !checks.empty()) return checks;
  throw Error(ErrorKind::usage, "only ncu can check the kernels of a profiled program", "use --with ncu");
}

struct CheckResult {
  std::vector<CheckOutcome> finished;
  std::vector<WantedCheck> missing;  ///< because a signal came
  std::optional<int> stop_signal;
};

CheckResult make_checks(const KeptRun& kept, const CrosscheckOptions& options) {
  StopSignals stop_signals;
  const CrossCheckRequest request{kept.run, find_collector(), kept.folder() / "crosscheck",
                                  stop_signals.fd()};
  CheckResult result;
  result.missing = wanted_checks(kept.run, options);
  while (!result.missing.empty()) {
    const WantedCheck& wanted = result.missing.front();
    terminal::print(stderr, "checking with {}\n", to_string(wanted.tool));
    if (wanted.tool == CrossCheckTool::ncu && !wanted.recorded && kept.run.application) {
      terminal::print(stderr, "running the program again: {}\n",
                      command_text(kept.run.application->command_line));
    }
    CheckOutcome outcome = wanted.tool == CrossCheckTool::ncu
                               ? cross_check_with_ncu(request, wanted.recorded)
                               : cross_check_with_nsys(request, wanted.recorded);
    result.stop_signal = stop_signals.take();
    if (result.stop_signal) break;
    result.finished.push_back(std::move(outcome));
    result.missing.erase(result.missing.begin());
  }
  return result;
}

// ---- what the user sees ----

void print_check(const CrossCheck& check, bool every) {
  terminal::print("\n{}{}{}\n", to_string(check.tool), check.version.empty() ? "" : " ", check.version);
  if (!check.reason.empty()) terminal::print("  no verdict: {}\n", check.reason);
  if (!check.hint.empty()) terminal::print("  hint: {}\n", check.hint);
  if (check.agreements.empty()) return;

  terminal::print("{}", text_table(quantity_table(check.agreements), kUnlimited, "  "));
  const Table rows =
      agreement_table(check.agreements, std::string(to_string(check.tool)), [&](const Agreement& agreement) {
        if (agreement.verdict() != Verdict::agrees) return true;
        return every && (agreement.ours.value() != 0 || agreement.reference.value() != 0);
      });
  if (!rows.rows.empty()) terminal::print("\n{}", text_table(rows, kUnlimited, "  "));
}

int verdict_of(const std::vector<CheckOutcome>& outcomes, bool run_is_bad) {
  bool compared = false;
  bool differs = false;
  for (const CheckOutcome& outcome : outcomes) {
    if (outcome.is_file_wrong) return static_cast<int>(ErrorKind::usage);
    for (const Agreement& agreement : outcome.check.agreements) {
      compared = compared || agreement.verdict() != Verdict::unavailable;
      differs = differs || agreement.verdict() == Verdict::differs;
    }
  }
  if (!compared) return static_cast<int>(ErrorKind::environment);
  return differs || run_is_bad ? static_cast<int>(ErrorKind::measurement) : 0;
}

void save(const KeptRun& kept, const CrosscheckOptions& options) {
  std::vector<fs::path> inputs;
  for (const auto& recorded : {options.ncu_file, options.nsys_file}) {
    if (recorded) inputs.emplace_back(*recorded);
  }
  try {
    write_run(kept.file, kept.run);
    const std::optional<Timeline> timeline = timeline_beside(kept.file, kept.run);
    write_reports(ReportModel(as_written(kept.run), {}, timeline ? &*timeline : nullptr), kept.folder(),
                  inputs);
  } catch (const Error& error) {
    throw rescue_run(kept.run, error);
  }
  terminal::print("\nreport: {}\n", (kept.folder() / "report.html").string());
}

/// After Ctrl-C or SIGTERM: prints what was saved, and returns the exit code.
int end_interrupted(const KeptRun& kept, const CheckResult& result) {
  const std::string file = kept.file.string();
  std::vector<std::string_view> tools;
  std::string recorded;
  for (const WantedCheck& check : result.missing) {
    tools.push_back(to_string(check.tool));
    if (check.recorded) recorded += fmt::format(" --{}-file {}", to_string(check.tool), *check.recorded);
  }
  terminal::print(stderr, "interrupted; the run and the finished checks are saved: rooflinectl report {}\n",
                  file);
  terminal::print(stderr, "to finish: rooflinectl crosscheck {} --with {}{}\n", file, fmt::join(tools, ","),
                  recorded);
  return 128 + *result.stop_signal;
}

int check_run(KeptRun kept, const CrosscheckOptions& options) {
  const CheckResult result = make_checks(kept, options);
  bool has_news = false;
  for (const CheckOutcome& outcome : result.finished) {
    const CrossCheck& check = outcome.check;
    print_check(check, options.every);
    std::vector<CrossCheck>& known = kept.run.cross_checks;
    const auto earlier = std::ranges::find(known, check.tool, &CrossCheck::tool);
    if (!check.agreements.empty()) {  // in place of an earlier one by the same tool
      std::erase_if(known, [&](const CrossCheck& other) { return other.tool == check.tool; });
      known.push_back(check);
      has_news = true;
    } else if (earlier != known.end()) {
      terminal::print("  keeping the earlier result\n");
    }
  }
  if (has_news) save(kept, options);
  return result.stop_signal ? end_interrupted(kept, result) : verdict_of(result.finished, kept.is_bad);
}

int crosscheck(const CrosscheckOptions& options) {
  refuse_idle_options(options);
  if (is_run(options.subject)) return check_run(open_run(options.subject), options);
  const MeasureResult measured = measure_plan(options);
  if (measured.stop_signal) return end_interrupted(measured);
  KeptRun kept = open_run(measured.folder);
  kept.is_bad = measured.bad_points() > 0 || !measured.losses.empty();
  return check_run(std::move(kept), options);
}

}  // namespace

void add_crosscheck_command(const Commands& commands) {
  const auto [command, options] = add_command(
      commands, "crosscheck", "Compare the numbers of a run with those of other profilers", crosscheck);
  add_option(command, "run", "RUN|PLAN", options->subject,
             "A finished run (its folder, run.json or run.json.gz), or a plan, which is measured first")
      ->required();
  add_list_option(*command, "--with", "TOOL,...", options->tools,
                  "ncu (counters and durations), nsys (durations, NVTX ranges); default: the tools with a "
                  "file, or else both",
                  {"ncu", "nsys"});
  add_option(
      command, "--ncu-file", "FILE", options->ncu_file,
      "Read this recording instead of running ncu: a .ncu-rep or .ncu-repz, or the CSV of its raw page");
  add_option(command, "--nsys-file", "FILE", options->nsys_file,
             "Read this recording instead of running nsys: a .nsys-rep, or its SQLite export");
  add_option(command, "-d,--device", "INDEX|UUID", options->device, "With a plan: index or UUID of the GPU")
      ->default_str(kDefaultDevice);
  add_option(command, "-o,--output", "DIR", options->output,
             "With a plan: folder in which to create <plan name>/<UTC time>/")
      ->default_str(kDefaultOutput);
  command->add_flag("--all", options->every, "Show every comparison, not only those that differ");
  command->footer(
      "A profiled program is run again under ncu, which counts one launch of each of up\n"
      "to 30 points.\n"
      "\n"
      "Exit codes: 1 a number differs by more than its tolerance; 2 a tool's file\n"
      "cannot be used; 3 nothing could be compared, and nothing is written.\n"
      "docs/crosscheck.md lists the tolerances.\n"
      "\n"
      "Examples:\n"
      "  rooflinectl crosscheck runs/reductions/latest\n"
      "  rooflinectl crosscheck experiments.yaml --with ncu\n"
      "  rooflinectl crosscheck run.json --with ncu --ncu-file report.ncu-rep");
}

}  // namespace rooflinectl
