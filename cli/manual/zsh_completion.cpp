// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/manual/completions.h"

namespace rooflinectl {

namespace {

constexpr const char* kZshFunctions = R"sh(
_rooflinectl_runs() {{
  _alternative 'latest:latest run:(runs/*/latest(N))' 'files:run:_files'
}}

_rooflinectl_devices() {{
  local -a devices=($({}))
  _values -s , GPU all $devices
}}

_rooflinectl_variants() {{
  local -a variants=($({}))
  compadd $variants
}}
)sh";

/// A description within `'[…]'` or before a colon.
std::string zsh_escaped(const std::string& text) {
  std::string result;
  for (const char c : text.substr(0, text.find('\n'))) {
    if (c == '\'')
      result += "'\\''";
    else if (c == '[' || c == ']' || c == ':' || c == '\\')
      result += std::string("\\") + c;
    else
      result += c;
  }
  return result;
}

std::string action_of(const ArgumentManual& argument) {
  switch (values_of(argument)) {
    case Values::choices:
      return fmt::format("({})", fmt::join(argument.choices, " "));
    case Values::files:
      return "_files";
    case Values::folders:
      return "_files -/";
    case Values::runs:
      return "_rooflinectl_runs";
    case Values::devices:
      return "_rooflinectl_devices";
    case Values::variants:
      return "_rooflinectl_variants";
    case Values::unknown:
      break;
  }
  return " ";
}

std::string value_of(const ArgumentManual& argument) {
  if (argument.value.empty()) return "";
  return fmt::format("{}:{}:{}", argument.is_value_optional ? ":" : "", zsh_escaped(argument.value),
                     action_of(argument));
}

/// As _arguments takes it: `'(-o --output)'{-o,--output}'[what it does]:DIR:_files -/'`.
std::string specification(const ArgumentManual& argument) {
  if (argument.names.empty())
    return fmt::format("'{}:{}:{}'", argument.takes_many ? "*" : "", zsh_escaped(argument.value),
                       action_of(argument));
  const std::string rest = fmt::format("[{}]{}", zsh_escaped(argument.description), value_of(argument));
  if (argument.names.size() == 1) return fmt::format("'{}{}'", argument.names.front(), rest);
  return fmt::format("'({})'{{{}}}'{}'", fmt::join(argument.names, " "), fmt::join(argument.names, ","),
                     rest);
}

}  // namespace

std::string zsh_completion(const std::vector<CommandManual>& manuals) {
  std::string script = std::string("#compdef rooflinectl\n") + kCompletionHeader +
                       fmt::format(kZshFunctions, kDevicesCommand, kVariantsCommand);
  script += "\n_rooflinectl() {\n  local state\n  local -a commands=(\n";
  for (const CommandManual& command : manuals) {
    if (!command.name.empty())
      script += fmt::format("    '{}:{}'\n", command.name, zsh_escaped(command.description));
  }
  script += "  )\n  _arguments -C";
  for (const ArgumentManual& argument : manuals.front().arguments) script += " " + specification(argument);
  script += " '1:command:->command' '*::argument:->argument'\n  case $state in\n";
  script += "    command) _describe command commands ;;\n    argument)\n      case $words[1] in\n";
  for (const CommandManual& command : manuals) {
    if (command.name.empty()) continue;
    script += fmt::format("        {})\n          _arguments -s", command.name);
    for (const ArgumentManual& argument : command.arguments)
      script += " \\\n            " + specification(argument);
    if (command.name == "profile") script += " \\\n            '*::program:_normal'";
    script += " ;;\n";
  }
  return script + "      esac ;;\n  esac\n}\n\n_rooflinectl \"$@\"\n";
}

}  // namespace rooflinectl
