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

/// Lets no option take an empty text, or the option after it, as its value. To be called when all options are
/// there, and before the command line is parsed. Throws Error(usage) where the command line has `--option=`,
/// which CLI11 would take for `--option NEXT`.
void require_values(CLI::App& app, int argc, const char* const* argv);

/// The error for `text` in place of a command.
Error unknown_command(const CLI::App& app, const std::string& text);

/// The error for arguments that `app` did not expect: which one, and what was probably meant.
Error unexpected_argument(const CLI::App& app, int argc, const char* const* argv);

/// The error where the chosen command lacks an argument: which one, and the first example of its --help.
Error missing_argument(const CLI::App& app, const CLI::RequiredError& error);

}  // namespace rooflinectl
