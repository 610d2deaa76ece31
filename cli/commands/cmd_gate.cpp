// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/compare/comparison.h"
#include "cli/answers.h"
#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/terminal.h"
#include "core/error.h"
#include "core/files/files.h"
#include "core/program/application.h"
#include "core/serial/run_file.h"
#include "core/text/names.h"
#include "reports/compare/comparison_reports.h"
#include "reports/text/format.h"
#include "runner/processes/processes.h"
#include "runner/runs/run_folder.h"

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;

/// What `--only` names: the checks one by one, and both that come from counters.
constexpr const char* kCounters = "counters";
constexpr const char* kDevices = "devices";
constexpr const char* kPoints = "points";
constexpr const char* kLaunches = "launches";

struct GateCommandOptions {
  std::vector<std::string> runs;
  std::vector<std::string> baseline;
  std::vector<std::string> history;
  std::size_t last = 10;
  std::vector<std::string> sides;  // of --interleave: A and B
  std::vector<std::string> command;
  std::size_t rounds = 3;
  std::string output = "runs";
  std::vector<std::string> only;
  std::vector<std::string> allow;
  std::string junit;
  std::string markdown;
  bool json = false;
  GateOptions gate;
};

std::vector<GateCheck> chosen_checks(const std::vector<std::string>& only) {
  std::vector<GateCheck> checks;
  for (const GateCheck check : kGateChecks) {
    const bool is_counted = check == GateCheck::dram || check == GateCheck::operations;
    if (only.empty() || contains(only, to_string(check)) || (is_counted && contains(only, kCounters))) {
      checks.push_back(check);
    }
  }
  return checks;
}

/// Throws Error(usage) if writing would destroy something.
void check_outputs(const GateCommandOptions& options) {
  for (const std::string& output : {options.junit, options.markdown}) {
    if (output.empty()) continue;
    refuse_to_overwrite(output, run_files(options.runs));
    refuse_to_overwrite(output, run_files(options.baseline));
  }
  if (!options.junit.empty() && !options.markdown.empty() && is_same_file(options.junit, options.markdown)) {
    throw Error(ErrorKind::usage,
                fmt::format("{}: --junit and --markdown name the same file", options.junit));
  }
}

/// The drift between fewer runs is hardly known.
constexpr std::size_t kFewestRunsOfHistory = 3;

[[noreturn]] void refuse_history(const AnalysedRun& now, std::size_t comparable,
                                 const std::vector<LeftOutRun>& left_out) {
  constexpr std::size_t kMostNamed = 10;
  const std::string usable =
      comparable == 0 ? "no run" : fmt::format("only {}", format::counted(comparable, "run"));
  std::string message = fmt::format("{} can serve as the base of {}; --history needs at least {}", usable,
                                    now.name, kFewestRunsOfHistory);
  for (std::size_t i = 0; i < std::min(left_out.size(), kMostNamed); ++i) {
    message += fmt::format("\n  {} {}", left_out[i].name, left_out[i].reason);
  }
  throw Error(ErrorKind::usage, message,
              "measure the base more often, or compare with one run: gate BASE NEW");
}

/// The newest runs that `now` can be compared with.
std::vector<AnalysedRun> bases_from_history(const AnalysedRun& now, const GateCommandOptions& options) {
  RunsOverTime read = read_runs_over_time(options.history);
  ComparableRuns comparable = runs_comparable_with(as_run_over_time(now), std::move(read.runs));
  const std::vector<AnalysedRun>& bases = comparable.runs;
  const std::size_t found = bases.size();
  if (found < kFewestRunsOfHistory) {
    comparable.left_out.insert(comparable.left_out.begin(), read.damaged.begin(), read.damaged.end());
    refuse_history(now, found, comparable.left_out);
  }
  for (const auto& [name, reason] : read.damaged) terminal::print(stderr, "left out: {} {}\n", name, reason);
  const std::size_t used = std::min(options.last, found);
  if (!options.json) terminal::print("baseline: the newest {} of {} comparable runs\n", used, found);
  std::vector<std::string> names;
  for (std::size_t i = found - used; i < found; ++i) names.push_back(bases[i].name);
  return read_runs(names);
}

/// Judges the new run, writes and prints the result, and returns the exit code.
int judge(const RunComparison& comparison, const GateCommandOptions& options) {
  GateOptions chosen = options.gate;
  chosen.checks = chosen_checks(options.only);
  chosen.allow_other_devices = contains(options.allow, kDevices);
  chosen.allow_other_points = contains(options.allow, kPoints);
  chosen.allow_other_launches = contains(options.allow, kLaunches);
  const Gate judged = gate(comparison, chosen);
  if (!options.junit.empty()) {
    write_file(options.junit, gate_junit(judged), "choose another file with --junit");
  }
  if (!options.markdown.empty()) {
    write_file(options.markdown, gate_md(judged), "choose another file with --markdown");
  }
  if (options.json) {
    const serial::Json head =
        answer_head("gate", devices_of({comparison.baseline, comparison.repeats, {comparison.now, 1}}));
    terminal::print("{}", serial::to_document(answered(head, gate_json(judged))));
  } else {
    terminal::print("{}", gate_text(judged, columns_of(stdout)));
  }
  return judged.exit_code();
}

int gate_runs(const GateCommandOptions& options) {
  check_outputs(options);
  const bool has_history = !options.history.empty();
  RunsToCompare runs = has_history ? RunsToCompare{{}, read_runs(options.runs)}
                                   : read_runs_to_compare(options.runs, options.baseline);
  if (runs.now.size() != 1) {
    throw Error(ErrorKind::usage, "the gate takes exactly one new run",
                "use: gate BASE NEW, gate NEW --baseline BASE BASE ..., or gate NEW --history DIR");
  }
  if (has_history) runs.baseline = bases_from_history(runs.now.front(), options);
  return judge(compare(runs.baseline, runs.now.front()), options);
}

// ---- interleaved runs ----

constexpr std::string_view kPlaceholder = "{}";

std::vector<std::string> filled_in(std::vector<std::string> command, std::string_view with) {
  bool has_placeholder = false;
  for (std::string& word : command) {
    std::size_t at = word.find(kPlaceholder);
    has_placeholder |= at != std::string::npos;
    for (; at != std::string::npos; at = word.find(kPlaceholder, at + with.size())) {
      word.replace(at, kPlaceholder.size(), with);
    }
  }
  if (!has_placeholder) {
    throw Error(ErrorKind::usage, fmt::format("'{}' is the same for both sides", command_text(command)),
                "write {} where the two differ: gate --interleave build-base build-new -- {}/app");
  }
  return command;
}

/// `command` with the options that write its run into `folder`: of rooflinectl itself, in front of which
/// `profile` is not needed, after the name of its command.
std::vector<std::string> measuring(const std::vector<std::string>& command, const fs::path& folder) {
  std::vector<std::string> options = {"--quiet", "--output", folder.string()};
  std::vector<std::string> words = command;
  if (fs::path(command.front()).filename() == "rooflinectl" && command.size() > 1) {
    words.insert(words.begin() + 2, options.begin(), options.end());
    return words;
  }
  options.insert(options.begin(), {fs::read_symlink("/proc/self/exe").string(), "profile"});
  options.emplace_back("--");
  words.insert(words.begin(), options.begin(), options.end());
  return words;
}

std::vector<fs::path> runs_in(const fs::path& folder) {
  std::error_code missing;
  if (!fs::exists(folder, missing)) return {};
  try {
    return run_files_below({folder.string()});
  } catch (const Error&) {  // there is none
    return {};
  }
}

AnalysedRun run_in(const fs::path& folder, const std::string& command, int exit_code) {
  const std::vector<fs::path> files = runs_in(folder);
  if (files.size() != 1) {
    const bool cannot_measure = exit_code == static_cast<int>(ErrorKind::environment);
    throw Error(cannot_measure ? ErrorKind::environment : ErrorKind::measurement,
                fmt::format("'{}' left {} in place of one; exit code {}", command,
                            files.empty() ? "no run" : fmt::format("{} runs", files.size()), exit_code),
                "measure it alone first, with the same command");
  }
  AnalysedRun run(files.front().parent_path().string(), read_run(files.front()));
  if (run.run.source == RunSource::replayed) {
    throw Error(ErrorKind::environment,
                fmt::format("'{}' replayed a recording: nothing was measured", command),
                "`rooflinectl doctor` prints why this machine cannot measure");
  }
  return run;
}

std::set<std::string> gpus_of(const AnalysedRun& run) {
  std::set<std::string> uuids;
  for (const DeviceInfo& device : run.run.devices) uuids.insert(device.uuid);
  return uuids;
}

void require_same_gpus(const AnalysedRun& first, const AnalysedRun& run) {
  const std::set<std::string> before = gpus_of(first);
  const std::set<std::string> now = gpus_of(run);
  if (before == now) return;
  throw Error(ErrorKind::usage,
              fmt::format("{} was measured on {}, {} on {}: interleaved runs need the same GPUs", first.name,
                          fmt::join(before, ", "), run.name, fmt::join(now, ", ")),
              "choose one for all of them: CUDA_VISIBLE_DEVICES=GPU-…");
}

/// Measures both sides in turn, base, new, base, new, …, and compares the last new run with those before.
/// Ends after the first new run that failed: that is the last then. The command's standard output becomes
/// standard error. Throws Error if the command has no `{}`, leaves no run, replays one, is interrupted, or
/// was measured on other GPUs than before.
int gate_interleaved(const GateCommandOptions& options) {
  check_outputs(options);
  struct Side {
    std::string_view name;
    std::vector<std::string> command;
    std::vector<AnalysedRun> runs;
  };
  Side base{"base", filled_in(options.command, options.sides.at(0)), {}};
  Side now{"new", filled_in(options.command, options.sides.at(1)), {}};
  const fs::path folder = create_run_folder(options.output, "gate", std::chrono::system_clock::now());
  bool has_failed = false;
  for (std::size_t round = 1; round <= options.rounds && !has_failed; ++round) {
    for (Side* side : {&base, &now}) {
      const std::string command = command_text(side->command);
      terminal::print(stderr, "{} {} of {}: {}\n", side->name, round, options.rounds, command);
      const fs::path own_folder = folder / fmt::format("{}-{}", side->name, round);
      const GuestEnd end = run_guest(
          {.command = measuring(side->command, own_folder), .output_is_error = true}, std::nullopt, [] {});
      if (end.interrupted) {
        throw Error(ErrorKind::measurement,
                    fmt::format("interrupted; what was measured is in {}", folder.string()));
      }
      side->runs.push_back(run_in(own_folder, command, end.exit_code()));
      require_same_gpus(base.runs.front(), side->runs.back());
      has_failed = side == &now && end.exit_code() != 0;
    }
  }
  const AnalysedRun last = std::move(now.runs.back());
  now.runs.pop_back();
  const std::size_t base_runs = base.runs.size();
  std::vector<AnalysedRun> earlier = std::move(base.runs);
  std::ranges::move(now.runs, std::back_inserter(earlier));
  return judge(compare_repeated(earlier, base_runs, last), options);
}

// ---- the command ----

int gate_or_measure(const GateCommandOptions& options) {
  return options.sides.empty() ? gate_runs(options) : gate_interleaved(options);
}

void check_command(const GateCommandOptions& options) {
  if (!options.sides.empty() && options.command.empty()) throw CLI::RequiredError("a COMMAND after --");
  if (options.sides.empty() && !options.command.empty()) {
    throw CLI::RequiresError("a COMMAND after --", "--interleave");
  }
}

std::vector<std::string> names_of_checks() {
  std::vector<std::string> names = {kCounters};
  for (const GateCheck check : kGateChecks) names.emplace_back(to_string(check));
  return names;
}

}  // namespace

void add_gate_command(const Commands& commands) {
  const auto [command, options] =
      add_command(commands, "gate",
                  "Fail (exit code 4) if a run is worse than its base; needs no GPU, except to measure "
                  "both",
                  gate_or_measure, check_command);
  options->command = commands.program;
  const auto& arguments = commands.command_line;
  const auto end = arguments.end() - static_cast<std::ptrdiff_t>(commands.program.size());
  const bool is_interleaved = std::find(arguments.begin(), end, "--interleave") != end;
  CLI::Option* const runs =
      add_option(command, "runs", "RUN", options->runs,
                 "The base run and the new run: each a run.json or run.json.gz, or its folder")
          ->required(!is_interleaved);
  CLI::Option* const baseline =
      add_option(command, "--baseline", "RUN...", options->baseline,
                 "Base runs instead of the first RUN: several of them measure the drift between runs");
  CLI::Option* const history =
      add_option(
          command, "--history", "RUN|DIR...", options->history,
          "Base runs instead of the first RUN: of the runs named here or found below these folders, the "
          "newest that the new run can be compared with")
          ->excludes(baseline);
  add_option(command, "--last", "NUMBER", options->last, "With --history: use at most this many")
      ->check(CLI::Range(kFewestRunsOfHistory, std::size_t{1000}))
      ->capture_default_str()
      ->needs(history);
  CLI::Option* const interleave =
      add_option(command, "--interleave", "A B", options->sides,
                 "Measure the command after -- with A in place of {}, then with B, and so on in turn, "
                 "and compare B with A; a command other than one of rooflinectl is profiled")
          ->expected(2)
          ->excludes(runs)
          ->excludes(baseline)
          ->excludes(history);
  add_option(command, "--rounds", "NUMBER", options->rounds,
             "With --interleave: measure each this many times")
      ->check(CLI::Range(std::size_t{1}, std::size_t{100}))
      ->capture_default_str()
      ->needs(interleave);
  add_option(command, "-o,--output", "DIR", options->output,
             "With --interleave: folder in which to create gate/<UTC time>/")
      ->capture_default_str()
      ->needs(interleave);
  GateOptions& limits = options->gate;
  add_percentage_option(*command, "--time", limits.time, "How much slower a point may be");
  add_percentage_option(*command, "--roof", limits.roof,
                        "How far a point's % of roofline may drop, relative to the base");
  add_percentage_option(*command, "--dram", limits.dram, "How many more DRAM bytes a point may move");
  add_percentage_option(*command, "--operations", limits.operations,
                        "How many more operations a point may execute; most are counted exactly");
  add_list_option(*command, "--only", "CHECK,...", options->only,
                  "Run only these checks (`counters` means dram and operations)", names_of_checks());
  add_list_option(*command, "--allow", "WHAT,...", options->allow,
                  "Compare even if these differ: devices; points (checks only what both runs have); launches "
                  "(a program launched more, or less)",
                  {kDevices, kPoints, kLaunches});
  add_option(command, "--junit", "FILE", options->junit, "Also write JUnit XML");
  add_option(command, "--markdown", "FILE", options->markdown, "Also write Markdown");
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "Exit codes: 0 no regression; 4 regression, or the program failed or did less; 2\n"
      "the runs cannot be compared\n"
      "\n"
      "Examples:\n"
      "  rooflinectl gate runs/base runs/new\n"
      "  rooflinectl gate runs/new --baseline runs/base-* --junit gate.xml\n"
      "  rooflinectl gate runs/reductions/latest --history runs/reductions\n"
      "  rooflinectl gate runs/base runs/new --only counters\n"
      "  rooflinectl gate --interleave build-base build-new -- {}/app --steps 20\n"
      "  rooflinectl gate --interleave base new -- rooflinectl run {}/plan.yaml");
}

}  // namespace rooflinectl
