// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"

namespace rooflinectl {

/// What the chosen subcommand does once the command line is parsed; returns the exit code, throws Error.
using Action = std::function<int()>;

/// Each adds a subcommand to `app` that sets `action` when it is chosen. `argc` and `argv` are those of main.
void add_run_command(CLI::App& app, Action& action, int argc, char** argv);
void add_new_command(CLI::App& app, Action& action);
void add_profile_command(CLI::App& app, Action& action, int argc, char** argv);
void add_merge_command(CLI::App& app, Action& action, int argc, char** argv);
void add_import_command(CLI::App& app, Action& action, int argc, char** argv);
void add_watch_command(CLI::App& app, Action& action, int argc, char** argv);
void add_ceilings_command(CLI::App& app, Action& action, int argc, char** argv);
void add_compare_command(CLI::App& app, Action& action);
void add_crosscheck_command(CLI::App& app, Action& action, int argc, char** argv);
void add_doctor_command(CLI::App& app, Action& action);
void add_gate_command(CLI::App& app, Action& action, int argc, char** argv);
void add_history_command(CLI::App& app, Action& action);
void add_selftest_command(CLI::App& app, Action& action);
void add_report_command(CLI::App& app, Action& action);
void add_explain_command(CLI::App& app, Action& action);
void add_list_command(CLI::App& app, Action& action);
void add_help_command(CLI::App& app, Action& action);
void add_version_command(CLI::App& app, Action& action);

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

/// How many of the arguments are ours: of `profile` and `gate`, those before the `--` that a command follows.
int own_arguments(int argc, const char* const* argv);

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
