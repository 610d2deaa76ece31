// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "core/error.h"

namespace rooflinectl {

/// `--device` of a command that asks one GPU something.
void add_device_option(CLI::App& command, std::string& device);
/// `--json` of a command whose output scripts read.
void add_json_flag(CLI::App& command, bool& json);

/// How many of the arguments are ours: of `profile` and `gate`, those before the `--` that a command follows.
int own_arguments(int argc, const char* const* argv);

/// The error for `text` in place of a command.
Error unknown_command(const CLI::App& app, const std::string& text);

/// What the program does: parses its command line, and carries out the command. Returns the exit code; throws
/// Error. The arguments are those of main.
int run_program(int argc, char** argv);

}  // namespace rooflinectl
