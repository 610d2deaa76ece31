// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/manual/command_manual.h"

namespace rooflinectl {

namespace {

/// Their first line. Each format has `#` for comments.
constexpr const char* kCompletionHeader =
    "# Completes command lines of rooflinectl; made from the same source as its --help.\n";

/// Variants, and indices of GPUs, a word per line.
constexpr const char* kVariantsCommand =
    R"(rooflinectl list variants --json 2>/dev/null | grep -o '"id":"[^"]*"' | cut -d '"' -f 4)";
constexpr const char* kDevicesCommand =
    R"(rooflinectl list devices --json 2>/dev/null | grep -o '"index":[0-9]*' | cut -d : -f 2)";

/// Within single quotes in fish.
std::string fish_escaped(const std::string& text) {
  std::string result;
  for (const char c : text.substr(0, text.find('\n'))) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

/// How the shells offer a value.
struct Completion {
  std::string bash;  ///< a command
  std::string zsh;   ///< an action of _arguments
  std::string fish;  ///< options of complete: what comes after `-a`, and whether files are offered too
};

Completion completion_of(const ArgumentManual& argument) {
  const std::string& value = argument.value;
  if (!argument.choices.empty()) {
    const std::string choices = fmt::format("{}", fmt::join(argument.choices, " "));
    return {fmt::format("_rooflinectl_words '{}'", choices), fmt::format("({})", choices),
            fmt::format("-x -a '{}'", choices)};
  }
  if (value.starts_with("RUN")) {
    return {"_rooflinectl_runs", "_rooflinectl_runs", "-r -F -a '(path filter runs/*/latest)'"};
  }
  if (value.starts_with("INDEX")) {
    return {"_rooflinectl_devices", "_rooflinectl_devices",
            fmt::format("-x -a '({})'", fish_escaped(kDevicesCommand))};
  }
  if (value == "PLAN" || value == "FILE" || value == "TRACE.json") {
    return {"_rooflinectl_files", "_files", "-r -F"};
  }
  if (value.starts_with("DIR")) {
    return {"_rooflinectl_folders", "_files -/", "-x -a '(__fish_complete_directories)'"};
  }
  if (value == "NAME") {
    return {"_rooflinectl_variants", "_rooflinectl_variants",
            fmt::format("-x -a '({})'", fish_escaped(kVariantsCommand))};
  }
  return {":", " ", argument.is_value_optional ? "" : "-x"};
}

// ---- bash ----

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
      script +=
          fmt::format("    {} {}; return ;;\n", pattern_of(command, argument), completion_of(argument).bash);
    }
  }
  script += "  esac\n  case \"$command\" in\n";
  std::vector<std::string> commands;
  for (const CommandManual& command : manuals) {
    if (!command.name.empty()) commands.push_back(command.name);
  }
  for (const CommandManual& command : manuals) {
    std::vector<std::string> options;
    std::string others =
        command.name.empty() ? fmt::format("_rooflinectl_words '{}'", fmt::join(commands, " ")) : ":";
    for (const ArgumentManual& argument : command.arguments) {
      options.insert(options.end(), argument.names.begin(), argument.names.end());
      if (argument.names.empty()) others = completion_of(argument).bash;
    }
    script += fmt::format("    '{}')\n      if [[ $current == -* ]]; then\n        _rooflinectl_words '{}'\n",
                          command.name, fmt::join(options, " "));
    script += fmt::format("      else\n        {}\n      fi ;;\n", others);
  }
  return script + "  esac\n}\n\ncomplete -F _rooflinectl rooflinectl\n";
}

namespace {

// ---- fish ----

std::string line_of(const CommandManual& command, const ArgumentManual& argument) {
  const std::string condition = command.name.empty()
                                    ? "__fish_use_subcommand"
                                    : fmt::format("__fish_seen_subcommand_from {}", command.name);
  std::string line = fmt::format("complete -c rooflinectl -n '{}'", condition);
  for (const std::string& name : argument.names)
    line += name.starts_with("--") ? fmt::format(" -l {}", name.substr(2))
                                   : fmt::format(" -s {}", name.substr(1));
  if (!argument.value.empty()) line += " " + completion_of(argument).fish;
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

namespace {

// ---- zsh ----

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

std::string value_of(const ArgumentManual& argument) {
  if (argument.value.empty()) return "";
  return fmt::format("{}:{}:{}", argument.is_value_optional ? ":" : "", zsh_escaped(argument.value),
                     completion_of(argument).zsh);
}

/// As _arguments takes it: `'(-o --output)'{-o,--output}'[what it does]:DIR:_files -/'`.
std::string specification(const ArgumentManual& argument) {
  if (argument.names.empty())
    return fmt::format("'{}:{}:{}'", argument.takes_many ? "*" : "", zsh_escaped(argument.value),
                       completion_of(argument).zsh);
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
