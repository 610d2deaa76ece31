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

Completion completion_of(const CLI::Option& argument) {
  const std::string value = value_name(argument);
  if (const std::string choices = fmt::format("{}", fmt::join(choices_of(argument), " ")); !choices.empty()) {
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
  return {":", " ", is_value_optional(argument) ? "" : "-x"};
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
std::string pattern_of(const CLI::App& command, const CLI::Option& argument) {
  std::vector<std::string> patterns;
  for (const std::string& name : names_of(argument))
    patterns.push_back(fmt::format("'{} {}'", command_name(command), name));
  return fmt::format("{})", fmt::join(patterns, "|"));
}

}  // namespace

std::string bash_completion(const CommandList& commands) {
  std::string script =
      kCompletionHeader + fmt::format(kBashFunctions, kDevicesCommand, kVariantsCommand) + kBashBegin;
  std::vector<std::string> names;
  for (const CLI::App* command : commands) {
    if (command != commands.front()) names.push_back(command->get_name());
    for (const CLI::Option* argument : command->get_options()) {
      const bool takes_next =
          !names_of(*argument).empty() && !value_name(*argument).empty() && !is_value_optional(*argument);
      if (!takes_next) continue;
      script += fmt::format("    {} {}; return ;;\n", pattern_of(*command, *argument),
                            completion_of(*argument).bash);
    }
  }
  script += "  esac\n  case \"$command\" in\n";
  for (const CLI::App* command : commands) {
    std::vector<std::string> options;
    std::string others =
        command == commands.front() ? fmt::format("_rooflinectl_words '{}'", fmt::join(names, " ")) : ":";
    for (const CLI::Option* argument : command->get_options()) {
      const std::vector<std::string> of_argument = names_of(*argument);
      options.insert(options.end(), of_argument.begin(), of_argument.end());
      if (of_argument.empty()) others = completion_of(*argument).bash;
    }
    script += fmt::format("    '{}')\n      if [[ $current == -* ]]; then\n        _rooflinectl_words '{}'\n",
                          command_name(*command), fmt::join(options, " "));
    script += fmt::format("      else\n        {}\n      fi ;;\n", others);
  }
  return script + "  esac\n}\n\ncomplete -F _rooflinectl rooflinectl\n";
}

namespace {

// ---- fish ----

std::string line_of(const CLI::App& command, const CLI::Option& argument) {
  const std::string name_of_command = command_name(command);
  const std::string condition = name_of_command.empty()
                                    ? "__fish_use_subcommand"
                                    : fmt::format("__fish_seen_subcommand_from {}", name_of_command);
  std::string line = fmt::format("complete -c rooflinectl -n '{}'", condition);
  const std::vector<std::string> names = names_of(argument);
  for (const std::string& name : names)
    line += name.starts_with("--") ? fmt::format(" -l {}", name.substr(2))
                                   : fmt::format(" -s {}", name.substr(1));
  if (!value_name(argument).empty()) line += " " + completion_of(argument).fish;
  if (!names.empty()) line += fmt::format(" -d '{}'", fish_escaped(argument.get_description()));
  return line + "\n";
}

}  // namespace

std::string fish_completion(const CommandList& commands) {
  std::string script = kCompletionHeader;
  script += "complete -c rooflinectl -f\n";
  for (const CLI::App* command : commands) {
    if (command != commands.front())
      script += fmt::format("complete -c rooflinectl -n __fish_use_subcommand -a {} -d '{}'\n",
                            command->get_name(), fish_escaped(command->get_description()));
    for (const CLI::Option* argument : command->get_options()) script += line_of(*command, *argument);
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

std::string value_message(const CLI::Option& argument) {
  const std::string value = value_name(argument);
  if (value.empty()) return "";
  return fmt::format("{}:{}:{}", is_value_optional(argument) ? ":" : "", zsh_escaped(value),
                     completion_of(argument).zsh);
}

/// As _arguments takes it: `'(-o --output)'{-o,--output}'[what it does]:DIR:_files -/'`.
std::string specification(const CLI::Option& argument) {
  const std::vector<std::string> names = names_of(argument);
  if (names.empty())
    return fmt::format("'{}:{}:{}'", takes_many(argument) ? "*" : "", zsh_escaped(value_name(argument)),
                       completion_of(argument).zsh);
  const std::string rest =
      fmt::format("[{}]{}", zsh_escaped(argument.get_description()), value_message(argument));
  if (names.size() == 1) return fmt::format("'{}{}'", names.front(), rest);
  return fmt::format("'({})'{{{}}}'{}'", fmt::join(names, " "), fmt::join(names, ","), rest);
}

}  // namespace

std::string zsh_completion(const CommandList& commands) {
  std::string script = std::string("#compdef rooflinectl\n") + kCompletionHeader +
                       fmt::format(kZshFunctions, kDevicesCommand, kVariantsCommand);
  script += "\n_rooflinectl() {\n  local state\n  local -a commands=(\n";
  std::string cases;
  for (const CLI::App* command : commands) {
    if (command == commands.front()) continue;
    const std::string name = command->get_name();
    script += fmt::format("    '{}:{}'\n", name, zsh_escaped(command->get_description()));
    cases += fmt::format("        {})\n          _arguments -s", name);
    for (const CLI::Option* argument : command->get_options())
      cases += " \\\n            " + specification(*argument);
    if (name == "profile") cases += " \\\n            '*::program:_normal'";
    cases += " ;;\n";
  }
  script += "  )\n  _arguments -C";
  for (const CLI::Option* argument : commands.front()->get_options())
    script += " " + specification(*argument);
  script += " '1:command:->command' '*::argument:->argument'\n  case $state in\n";
  script += "    command) _describe command commands ;;\n    argument)\n      case $words[1] in\n";
  return script + cases + "      esac ;;\n  esac\n}\n\n_rooflinectl \"$@\"\n";
}

}  // namespace rooflinectl
