// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

/// The content of `--help` of each command, for manual pages and for shells that complete command lines.
namespace rooflinectl {

/// An option, or an argument without a name.
struct ArgumentManual {
  std::vector<std::string> names;  ///< `-o` and `--output`; none of an argument that has no name
  std::string value;               ///< what it takes: `DIR`; empty if nothing
  bool is_required = false;
  bool is_value_optional = false;  ///< `--timeline` is as good as `--timeline 100us`
  bool takes_many = false;
  std::vector<std::string> choices;  ///< the only values that are allowed; empty if any is
  std::string description;
  std::string default_value;
};

struct CommandManual {
  std::string name;         ///< `report`; empty for rooflinectl itself
  std::string description;  ///< begins with a line that sums it up
  std::string notes;        ///< exit codes, examples, environment variables
  std::vector<ArgumentManual> arguments;
};

CommandManual manual_of(const CLI::App& command);

/// `rooflinectl profile [OPTIONS] -- PROGRAM [ARGS]...`
std::string usage_of(const CommandManual& command);

/// With the values that are allowed, and the default.
std::string full_description(const ArgumentManual& argument);

/// Of rooflinectl itself, then of each command, in their order.
std::vector<CommandManual> command_manuals();

/// What `--help` and `rooflinectl help` print about `command`: rooflinectl itself or one of its commands. No
/// line is longer than 80 characters.
std::string help_text(const CLI::App& command);

// Scripts by which shells complete command lines: commands, options, and values as far as they can be known.

/// Each takes rooflinectl itself, then every command.
std::string bash_completion(const std::vector<CommandManual>& manuals);
std::string zsh_completion(const std::vector<CommandManual>& manuals);
std::string fish_completion(const std::vector<CommandManual>& manuals);

}  // namespace rooflinectl
