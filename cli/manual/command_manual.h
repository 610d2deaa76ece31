// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

/// The content of `--help` of each command, for manual pages and for shells that complete command lines.
namespace rooflinectl {

// Of an option, or of an argument without a name:

/// `-o` and `--output`; none of an argument that has no name.
std::vector<std::string> names_of(const CLI::Option& argument);
/// What it takes: `DIR`; empty if nothing.
std::string value_name(const CLI::Option& argument);
/// The only values that are allowed; empty if any is.
std::vector<std::string> choices_of(const CLI::Option& argument);
/// `--timeline` is as good as `--timeline 100us`.
bool is_value_optional(const CLI::Option& argument);
bool takes_many(const CLI::Option& argument);
/// With the values that are allowed, and the default.
std::string full_description(const CLI::Option& argument);

/// `report`; empty for rooflinectl itself.
std::string command_name(const CLI::App& command);

/// `rooflinectl profile [OPTIONS] -- PROGRAM [ARGS]...`
std::string usage_of(const CLI::App& command);

/// rooflinectl itself, then each command, in their order.
using CommandList = std::vector<const CLI::App*>;
CommandList with_commands(const CLI::App& app);

/// What `--help` and `rooflinectl help` print about `command`: rooflinectl itself or one of its commands. No
/// line is longer than 80 characters.
std::string help_text(const CLI::App& command);

// Scripts by which shells complete command lines: commands, options, and values as far as they can be known.

std::string bash_completion(const CommandList& commands);
std::string zsh_completion(const CommandList& commands);
std::string fish_completion(const CommandList& commands);

}  // namespace rooflinectl
