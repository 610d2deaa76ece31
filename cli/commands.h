// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

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

}  // namespace rooflinectl
