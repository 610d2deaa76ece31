// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/manual/completions.h"

namespace rooflinectl {

namespace {

constexpr const char* kBashFunctions = R"sh(
_rooflinectl_words() {{
  mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current")
}}

_rooflinectl_files() {{
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -f -- "$current")
}}

_rooflinectl_folders() {{
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -d -- "$current")
}}

_rooflinectl_runs() {{
  local latest
  latest=$(compgen -G 'runs/*/latest')
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -W "$latest" -- "$current"; compgen -f -- "$current")
}}

_rooflinectl_devices() {{
  _rooflinectl_words "$({})"
}}

_rooflinectl_variants() {{
  _rooflinectl_words "$({})"
}}
)sh";

/// Finds the command, and the option whose value is being typed: after `--option` or `--option=`. What
/// follows `--` is a program with its arguments.
constexpr const char* kBashBegin = R"sh(
_rooflinectl() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command= i
  if [[ $current == '=' ]]; then
    current=
  elif [[ $previous == '=' ]]; then
    previous=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((i = 1; i < COMP_CWORD; ++i)); do
    if [[ ${COMP_WORDS[i]} == -- ]]; then
      if declare -F _command_offset >/dev/null; then _command_offset $((i + 1)); else _rooflinectl_files; fi
      return
    fi
    [[ -z $command && ${COMP_WORDS[i]} != -* ]] && command=${COMP_WORDS[i]}
  done
  case "$command $previous" in
)sh";

std::string bash_values(const ArgumentManual& argument) {
  switch (values_of(argument)) {
    case Values::choices:
      return fmt::format("_rooflinectl_words '{}'", fmt::join(argument.choices, " "));
    case Values::files:
      return "_rooflinectl_files";
    case Values::folders:
      return "_rooflinectl_folders";
    case Values::runs:
      return "_rooflinectl_runs";
    case Values::devices:
      return "_rooflinectl_devices";
    case Values::variants:
      return "_rooflinectl_variants";
    case Values::unknown:
      break;
  }
  return ":";
}

/// `'report -o'|'report --output')`
std::string pattern_of(const CommandManual& command, const ArgumentManual& argument) {
  std::vector<std::string> patterns;
  for (const std::string& name : argument.names)
    patterns.push_back(fmt::format("'{} {}'", command.name, name));
  return fmt::format("{})", fmt::join(patterns, "|"));
}

}  // namespace

std::string bash_completion(const std::vector<CommandManual>& manuals) {
  std::string script =
      kCompletionHeader + fmt::format(kBashFunctions, kDevicesCommand, kVariantsCommand) + kBashBegin;
  for (const CommandManual& command : manuals) {
    for (const ArgumentManual& argument : command.arguments) {
      if (argument.names.empty() || argument.value.empty() || argument.is_value_optional) continue;
      script += fmt::format("    {} {}; return ;;\n", pattern_of(command, argument), bash_values(argument));
    }
  }
  script += "  esac\n  case \"$command\" in\n";
  for (const CommandManual& command : manuals) {
    std::vector<std::string> options;
    std::string others = command.name.empty()
                             ? fmt::format("_rooflinectl_words '{}'", fmt::join(command_names(manuals), " "))
                             : ":";
    for (const ArgumentManual& argument : command.arguments) {
      options.insert(options.end(), argument.names.begin(), argument.names.end());
      if (argument.names.empty()) others = bash_values(argument);
    }
    script += fmt::format("    '{}')\n      if [[ $current == -* ]]; then\n        _rooflinectl_words '{}'\n",
                          command.name, fmt::join(options, " "));
    script += fmt::format("      else\n        {}\n      fi ;;\n", others);
  }
  return script + "  esac\n}\n\ncomplete -F _rooflinectl rooflinectl\n";
}

}  // namespace rooflinectl
