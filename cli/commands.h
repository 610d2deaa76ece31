// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"

namespace rooflinectl {

/// What the chosen subcommand does once the command line is parsed; returns the exit code, throws Error.
using Action = std::function<int()>;

/// What subcommands are added to.
struct Commands {
  CLI::App& app;
  Action& action;                         ///< of the one that is chosen
  std::vector<std::string> command_line;  ///< the arguments of main
  std::vector<std::string> program;       ///< those of them that follow the `--` of `profile` and `gate`
};

/// Each adds a subcommand.
void add_run_command(const Commands& commands);
void add_new_command(const Commands& commands);
void add_profile_command(const Commands& commands);
void add_merge_command(const Commands& commands);
void add_import_command(const Commands& commands);
void add_watch_command(const Commands& commands);
void add_ceilings_command(const Commands& commands);
void add_compare_command(const Commands& commands);
void add_crosscheck_command(const Commands& commands);
void add_doctor_command(const Commands& commands);
void add_gate_command(const Commands& commands);
void add_history_command(const Commands& commands);
void add_selftest_command(const Commands& commands);
void add_report_command(const Commands& commands);
void add_explain_command(const Commands& commands);
void add_list_command(const Commands& commands);
void add_help_command(const Commands& commands);
void add_version_command(const Commands& commands);

/// Adds a subcommand that calls `carry_out` with its options, which are filled in when the command line is
/// parsed. `check` throws what is wrong with them beyond what CLI11 finds.
template <typename Options>
std::pair<CLI::App*, std::shared_ptr<Options>> add_command(const Commands& commands, const std::string& name,
                                                           const std::string& description,
                                                           int (*carry_out)(const Options&),
                                                           void (*check)(const Options&) = nullptr) {
  const auto options = std::make_shared<Options>();
  if constexpr (requires { options->command_line; }) options->command_line = commands.command_line;
  CLI::App* const command = commands.app.add_subcommand(name, description);
  command->callback([&action = commands.action, options, carry_out, check] {
    if (check != nullptr) check(*options);
    action = [options, carry_out] { return carry_out(*options); };
  });
  return {command, options};
}

/// Gives `app`, which is new, its name, description, options and all these commands.
void add_commands(CLI::App& app, Action& action, int argc, char** argv);

/// Adds an option whose value the help calls `value`: `--output DIR`.
template <typename Target>
CLI::Option* add_option(CLI::App* command, const std::string& name, const std::string& value, Target& target,
                        const std::string& description) {
  return command->add_option(name, target, description)->type_name(value);
}

/// Adds an option that takes some of `allowed`, separated by commas: `--only dram,time`.
CLI::Option* add_list_option(CLI::App& command, const std::string& name, const std::string& value,
                             std::vector<std::string>& target, const std::string& description,
                             const std::vector<std::string>& allowed);

/// `--device` of a command that asks one GPU something.
void add_device_option(CLI::App& command, std::string& device);
/// `--json` of a command whose output scripts read.
void add_json_flag(CLI::App& command, bool& json);

/// The error for `text` in place of a command.
Error unknown_command(const CLI::App& app, const std::string& text);

/// Seconds of `20us`, `0.5ms`, `10s`, `5m` or `2h`; nothing for any other text.
std::optional<double> seconds_from(const std::string& text);

/// Nanoseconds of such a text; nothing for any other text, or if it is below `shortest_ns` or above
/// `kLongestInterval`.
std::optional<std::uint64_t> interval_from(const std::string& text, std::uint64_t shortest_ns);

/// Adds an option that takes percent, `5`, `5%` or `0.5 %`, and sets `ratio`, 0.05, whose value is the
/// default. Nothing below 0 or above 1000 % is taken.
void add_percentage_option(CLI::App& command, const std::string& name, double& ratio,
                           const std::string& description);

}  // namespace rooflinectl
