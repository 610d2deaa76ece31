// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/manual/completions.h"

namespace rooflinectl {

namespace {

/// Within single quotes.
std::string fish_escaped(const std::string& text) {
  std::string result;
  for (const char c : text.substr(0, text.find('\n'))) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

/// What comes after `-a`, and whether files are offered too.
std::string values_for_fish(const ArgumentManual& argument) {
  switch (values_of(argument)) {
    case Values::choices:
      return fmt::format("-x -a '{}'", fmt::join(argument.choices, " "));
    case Values::files:
      return "-r -F";
    case Values::folders:
      return "-x -a '(__fish_complete_directories)'";
    case Values::runs:
      return "-r -F -a '(path filter runs/*/latest)'";
    case Values::devices:
      return fmt::format("-x -a '({})'", fish_escaped(kDevicesCommand));
    case Values::variants:
      return fmt::format("-x -a '({})'", fish_escaped(kVariantsCommand));
    case Values::unknown:
      break;
  }
  return argument.is_value_optional ? "" : "-x";
}

std::string line_of(const CommandManual& command, const ArgumentManual& argument) {
  const std::string condition = command.name.empty()
                                    ? "__fish_use_subcommand"
                                    : fmt::format("__fish_seen_subcommand_from {}", command.name);
  std::string line = fmt::format("complete -c rooflinectl -n '{}'", condition);
  for (const std::string& name : argument.names)
    line += name.starts_with("--") ? fmt::format(" -l {}", name.substr(2))
                                   : fmt::format(" -s {}", name.substr(1));
  if (!argument.value.empty()) line += " " + values_for_fish(argument);
  if (!argument.names.empty()) line += fmt::format(" -d '{}'", fish_escaped(argument.description));
  return line + "\n";
}

}  // namespace

std::string fish_completion(const std::vector<CommandManual>& manuals) {
  std::string script = kCompletionHeader;
  script += "complete -c rooflinectl -f\n";
  for (const CommandManual& command : manuals) {
    if (!command.name.empty())
      script += fmt::format("complete -c rooflinectl -n __fish_use_subcommand -a {} -d '{}'\n", command.name,
                            fish_escaped(command.description));
    for (const ArgumentManual& argument : command.arguments) script += line_of(command, argument);
  }
  script +=
      "complete -c rooflinectl -n '__fish_seen_subcommand_from profile; and contains -- -- (commandline "
      "-opc)' -a '(__fish_complete_subcommand)'\n";
  return script;
}

}  // namespace rooflinectl
