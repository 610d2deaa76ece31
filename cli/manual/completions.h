// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/manual/command_manual.h"

/// Scripts by which shells complete command lines: commands, options, and values as far as they can be known.
namespace rooflinectl {

/// What a value may be.
enum class Values { choices, files, folders, runs, devices, variants, unknown };
Values values_of(const ArgumentManual& argument);

std::vector<std::string> command_names(const std::vector<CommandManual>& manuals);

/// Their first line. Each format has `#` for comments.
inline constexpr const char* kCompletionHeader =
    "# Completes command lines of rooflinectl; made from the same source as its --help.\n";

/// Variants, and indices of GPUs, a word per line.
inline constexpr const char* kVariantsCommand =
    R"(rooflinectl list variants --json 2>/dev/null | grep -o '"id":"[^"]*"' | cut -d '"' -f 4)";
inline constexpr const char* kDevicesCommand =
    R"(rooflinectl list devices --json 2>/dev/null | grep -o '"index":[0-9]*' | cut -d : -f 2)";

/// Each takes rooflinectl itself, then every command.
std::string bash_completion(const std::vector<CommandManual>& manuals);
std::string zsh_completion(const std::vector<CommandManual>& manuals);
std::string fish_completion(const std::vector<CommandManual>& manuals);

/// The page of one command for man(1), as man(7) describes its macros. `all`: rooflinectl itself and every
/// command, which the first one's page lists.
std::string man_page(const CommandManual& command, const std::vector<CommandManual>& all);

/// `rooflinectl-report`, or `rooflinectl`.
std::string man_page_name(const CommandManual& command);

}  // namespace rooflinectl
