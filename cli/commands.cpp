// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <sstream>
#include <string_view>
#include <vector>

#include "cli/manual/command_manual.h"
#include "cli/run_program.h"
#include "cli/terminal.h"
#include "core/program/timeline.h"
#include "core/text/mistakes.h"
#include "core/text/names.h"
#include "core/text/printable.h"
#include "core/text/written_number.h"
#include "runner/built_in.h"

namespace rooflinectl {

namespace {

constexpr const char* kDescription =
    R"(Roofline analysis of CUDA kernels: verifies and times them, counts their work,
and compares them with the measured ceilings of the GPU.

Examples:
  rooflinectl profile -- python3 train.py        any CUDA program on a roofline
  rooflinectl new scale.cu                       a kernel file to begin with
  rooflinectl run scale.cu                       your kernel on the roofline
  rooflinectl run experiments.yaml               measure a plan
  rooflinectl run experiments.yaml --dry-run     list what would be measured
  rooflinectl merge runs/train/*-rank*           join the runs of many ranks
  rooflinectl import report.ncu-rep              what Nsight Compute recorded
  rooflinectl report runs/reductions/latest      rewrite the reports of a run
  rooflinectl explain runs/reductions/latest     what bounds each point, and why
  rooflinectl compare runs/before runs/after     what changed from run to run
  rooflinectl history runs                       points over many runs
  rooflinectl gate runs/base runs/new            exit code 4 on a regression
  rooflinectl crosscheck runs/reductions/latest  check against ncu and nsys
)";

constexpr const char* kExitCodes = R"(Exit codes:
  0  success
  1  something that was measured failed or is unverified
  2  the command line or a file is wrong
  3  the environment: no GPU, no permission, a missing library, an output that
     cannot be written
  4  the gate found a regression)";

/// How many of the arguments are ours: of `profile` and `gate`, those before the `--` that a command follows.
int own_arguments(int argc, const char* const* argv) {
  constexpr std::array<std::string_view, 2> kWithCommand = {"profile", "gate"};
  if (argc < 2 || std::ranges::find(kWithCommand, argv[1]) == kWithCommand.end()) {
    return argc;
  }
  const char* const* const end = std::find(argv, argv + argc, std::string_view("--"));
  return static_cast<int>(end - argv);
}

}  // namespace

void add_commands(CLI::App& app, Action& action, int argc, char** argv) {
  app.name("rooflinectl");
  app.formatter_fn(
      [](const CLI::App* command, const std::string&, CLI::AppFormatMode) { return help_text(*command); });
  app.description(kDescription);
  app.footer(kExitCodes);
  app.require_subcommand(0, 1);
  app.set_version_flag("--version", fmt::format("rooflinectl {}", tool_version()));

  const int own = own_arguments(argc, argv);
  const Commands commands = {app, action, {argv, argv + argc}, {argv + std::min(own + 1, argc), argv + argc}};
  add_run_command(commands);
  add_new_command(commands);
  add_profile_command(commands);
  add_merge_command(commands);
  add_import_command(commands);
  add_watch_command(commands);
  add_ceilings_command(commands);
  add_report_command(commands);
  add_explain_command(commands);
  add_compare_command(commands);
  add_history_command(commands);
  add_gate_command(commands);
  add_crosscheck_command(commands);
  add_doctor_command(commands);
  add_selftest_command(commands);
  add_list_command(commands);
  add_help_command(commands);
  add_version_command(commands);
}

namespace {

std::string missing_value(const std::string& value) {
  if (value.empty()) return "the value is empty";
  return value.starts_with("--") ? fmt::format("the value is missing before {}", value) : "";
}

/// `rooflinectl report`
std::string name_of(const CLI::App& command) {
  const CLI::App* const parent = command.get_parent();
  return parent == nullptr ? command.get_name() : name_of(*parent) + " " + command.get_name();
}

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

std::vector<std::string> options_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

Error mistake(const std::string& what, const std::string& text, const std::vector<std::string>& valid,
              const std::string& else_hint) {
  const auto nearest = nearest_name(text, valid);
  return {ErrorKind::usage, fmt::format("{} {}", what, in_quotes(text)),
          nearest ? fmt::format("did you mean '{}'?", *nearest) : else_hint};
}

/// The program follows `--`, so that its options are not taken for ours.
std::string program_hint(const std::string& program) {
  return fmt::format("`rooflinectl profile -- {}` profiles this program", printable(program));
}

bool is_executable_file(const std::string& text) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(text, ignored) && access(text.c_str(), X_OK) == 0;
}

/// The first line after "Examples:" in the command's --help; empty without one.
std::string first_example(const CLI::App& command) {
  constexpr std::string_view kHeading = "Examples:\n  ";
  const std::string footer = command.get_footer();
  const std::size_t heading = footer.find(kHeading);
  if (heading == std::string::npos) return "";
  const std::size_t start = heading + kHeading.size();
  return footer.substr(start, footer.find('\n', start) - start);
}

}  // namespace

void add_device_option(CLI::App& command, std::string& device) {
  command.add_option("-d,--device", device, "The GPU: its index or UUID as nvidia-smi -L prints them")
      ->type_name("INDEX|UUID")
      ->capture_default_str();
}

CLI::Option* add_list_option(CLI::App& command, const std::string& name, const std::string& value,
                             std::vector<std::string>& target, const std::string& description,
                             const std::vector<std::string>& allowed) {
  return add_option(&command, name, value, target, description)
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember(allowed));
}

void add_json_flag(CLI::App& command, bool& json) {
  command.add_flag("--json", json, "Print JSON, for scripts");
}

Error unknown_command(const CLI::App& app, const std::string& text) {
  if (is_executable_file(text)) return mistake("unknown command", text, {}, program_hint(text));
  std::error_code ignored;
  const bool is_file = std::filesystem::is_regular_file(text, ignored);
  return mistake(
      "unknown command", text, is_file ? std::vector<std::string>() : commands_of(app),
      "`rooflinectl run PLAN` measures the kernels in a plan, `rooflinectl profile -- PROGRAM` those "
      "of any program, `rooflinectl report RUN` regenerates the reports of a run; `rooflinectl --help` lists "
      "all commands");
}

namespace {

/// Lets no option take an empty text, or the option after it, as its value. To be called when all options are
/// there, and before the command line is parsed. Throws Error(usage) where the command line has `--option=`,
/// which CLI11 would take for `--option NEXT`.
void require_values(CLI::App& app, int argc, const char* const* argv) {
  for (int i = 1; i < argc && std::string_view(argv[i]) != "--"; ++i) {
    const std::string_view argument = argv[i];
    if (!argument.starts_with("--") || argument.find('=') != argument.size() - 1) continue;
    throw Error(ErrorKind::usage, fmt::format("{}: the value is empty", argument));
  }
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    for (CLI::Option* option : command->get_options()) {
      const bool takes_a_value = option->get_items_expected_max() > 0;
      if (takes_a_value) option->check(CLI::Validator(missing_value, ""));
    }
  }
}

/// The error for arguments that `app` did not expect: which one, and what was probably meant.
Error unexpected_argument(const CLI::App& app, int argc, const char* const* argv) {
  const std::vector<std::string> unexpected = app.remaining(true);
  const char* const* const found = std::find_if(
      argv + 1, argv + argc, [&](const char* argument) { return contains(unexpected, argument); });
  const std::string text = found == argv + argc ? unexpected.front() : *found;
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  const CLI::App& command = chosen.empty() ? app : *chosen.front();
  const std::string help = fmt::format("`{} --help` lists its arguments and options", name_of(command));
  if (text.starts_with("-")) {
    return mistake(name_of(command) + ": unknown option", text.substr(0, text.find('=')), options_of(command),
                   help);
  }
  if (chosen.empty()) return unknown_command(app, text);
  const bool of_profile = command.get_name() == "profile";
  return mistake(name_of(command) + ": unexpected argument", text, {},
                 of_profile ? program_hint(text) : help);
}

/// The error where the chosen command lacks an argument: which one, and the first example of its --help.
Error missing_argument(const CLI::App& app, const CLI::RequiredError& error) {
  const CLI::App& command = *app.get_subcommands().front();
  std::string missing;  // as --help calls it
  for (const CLI::Option* option : command.get_options()) {
    if (missing.empty() && option->get_required() && option->count() == 0) missing = option->get_type_name();
  }
  return {ErrorKind::usage,
          fmt::format("{}: {}", name_of(command), missing.empty() ? error.what() : missing + " is required"),
          fmt::format("for example `{}`", first_example(command))};
}

/// Shown if no command is given.
constexpr const char* kFirstSteps = R"(What would you like to measure?

  my program   rooflinectl profile -- PROGRAM     all its kernels on a roofline
  my kernel    rooflinectl run experiments.yaml   verified, timed and counted
  my GPU       rooflinectl ceilings               what it delivers
  my CI        rooflinectl gate BASE NEW          exit code 4 on a regression

`rooflinectl doctor` checks whether this machine can measure,
`rooflinectl --help` lists all commands.
)";

}  // namespace

int run_program(int argc, char** argv) {
  CLI::App app;
  Action action;
  add_commands(app, action, argc, argv);
  const int own_argc = own_arguments(argc, argv);
  require_values(app, own_argc, argv);
  try {
    app.parse(own_argc, argv);
  } catch (const CLI::ExtrasError&) {
    throw unexpected_argument(app, own_argc, argv);
  } catch (const CLI::RequiredError& error) {
    throw missing_argument(app, error);
  } catch (const CLI::ParseError& error) {
    std::ostringstream output;
    std::ostringstream errors;
    const int code = app.exit(error, output, errors);
    terminal::write(stdout, output.str());
    terminal::write(stderr, errors.str());
    return code == 0 ? 0 : static_cast<int>(ErrorKind::usage);
  }
  if (!action) {
    terminal::write(stderr, kFirstSteps);
    return static_cast<int>(ErrorKind::usage);
  }
  return action();
}

std::optional<double> seconds_from(const std::string& text) {
  static const std::map<std::string, double> units = {
      {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}};
  const std::size_t number = std::min(text.find_first_not_of("0123456789."), text.size());
  const auto unit = units.find(text.substr(number));
  const auto value = parse_number<double>(std::string_view(text).substr(0, number));
  return unit != units.end() && value ? std::optional(*value * unit->second) : std::nullopt;
}

std::optional<std::uint64_t> interval_from(const std::string& text, std::uint64_t shortest_ns) {
  const auto seconds = seconds_from(text);
  if (!seconds) return std::nullopt;
  const double interval_ns = std::round(*seconds * 1e9);
  if (interval_ns < static_cast<double>(shortest_ns) || interval_ns > kLongestInterval) return std::nullopt;
  return static_cast<std::uint64_t>(interval_ns);
}

void add_percentage_option(CLI::App& command, const std::string& name, double& ratio,
                           const std::string& description) {
  constexpr double kMostPercent = 1000;
  const auto read = [name, &ratio](const std::string& text) {
    std::string_view number = text;
    if (number.ends_with('%')) number.remove_suffix(1);
    number = number.substr(0, number.find_last_not_of(' ') + 1);
    const auto percent = parse_number<double>(number);
    if (!percent || !(*percent >= 0 && *percent <= kMostPercent)) {
      throw CLI::ValidationError(name, fmt::format("'{}' is not a percentage, such as 5 or 0.5", text));
    }
    ratio = *percent / 100;
  };
  command.add_option_function<std::string>(name, read, description)
      ->default_str(fmt::format("{:g}", ratio * 100))
      ->type_name("PERCENT");
}

}  // namespace rooflinectl
