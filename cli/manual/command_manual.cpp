// SPDX-License-Identifier: Apache-2.0
#include "cli/manual/command_manual.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>

#include "reports/text/text_table.h"

namespace rooflinectl {
std::vector<std::string> names_of(const CLI::Option& argument) {
  std::vector<std::string> names;
  for (const std::string& name : argument.get_snames()) names.push_back("-" + name);
  for (const std::string& name : argument.get_lnames()) names.push_back("--" + name);
  return names;
}

std::string value_name(const CLI::Option& argument) {
  if (argument.get_items_expected_max() == 0) return "";
  const std::string type_name = argument.get_type_name();
  return type_name.substr(0, type_name.find(':'));
}

std::vector<std::string> choices_of(const CLI::Option& argument) {
  // CLI11 keeps what CLI::IsMember allows as a part of the type's name: `THEME:{light,dark,print}`.
  const std::string type_name = argument.get_items_expected_max() > 0 ? argument.get_type_name() : "";
  const std::size_t begin = type_name.find('{');
  const std::size_t end = type_name.find('}', begin);
  std::vector<std::string> choices;
  if (begin == std::string::npos || end == std::string::npos) return choices;
  std::istringstream list(type_name.substr(begin + 1, end - begin - 1));
  for (std::string choice; std::getline(list, choice, ',');) choices.push_back(choice);
  return choices;
}

bool is_value_optional(const CLI::Option& argument) {
  return argument.get_items_expected_max() > 0 && argument.get_items_expected_min() == 0;
}

bool takes_many(const CLI::Option& argument) {
  return argument.get_items_expected_max() > 0 && argument.get_expected_max() > 1;
}

std::string full_description(const CLI::Option& argument) {
  std::string text = argument.get_description();
  if (const auto choices = choices_of(argument); !choices.empty()) {
    text += fmt::format("; one of {}", fmt::join(choices, ", "));
  }
  const std::string default_value = argument.get_default_str();
  return default_value.empty() ? text : fmt::format("{} (default: {})", text, default_value);
}

std::string command_name(const CLI::App& command) {
  return command.get_parent() == nullptr ? "" : command.get_name();
}

namespace {

/// `RUN`, `[PLAN]`, `RUN...`
std::string usage_of_argument(const CLI::Option& argument) {
  const std::string name = value_name(argument);
  const std::string value = argument.get_required() ? name : fmt::format("[{}]", name);
  return takes_many(argument) && !name.ends_with("...") ? value + "..." : value;
}

}  // namespace

std::string usage_of(const CLI::App& command) {
  const std::string name = command_name(command);
  std::string text =
      name.empty() ? "rooflinectl [OPTIONS] COMMAND" : fmt::format("rooflinectl {} [OPTIONS]", name);
  for (const CLI::Option* argument : command.get_options()) {
    if (names_of(*argument).empty()) text += " " + usage_of_argument(*argument);
  }
  return name == "profile" ? text + " -- PROGRAM [ARGS]..." : text;
}

CommandList with_commands(const CLI::App& app) {
  CommandList commands = {&app};
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    commands.push_back(command);
  }
  return commands;
}

namespace {

constexpr std::size_t kWidth = 80;
/// Where descriptions begin.
constexpr std::size_t kColumn = 26;

/// Where what a line says of an example begins: after a gap of two spaces or more; 0 if there is none.
std::size_t note_column(const std::string& line) {
  const std::size_t example = line.find_first_not_of(' ');
  const std::size_t gap = example == std::string::npos ? example : line.find("  ", example);
  const std::size_t note = gap == std::string::npos ? gap : line.find_first_not_of(' ', gap);
  return example == 0 || note == std::string::npos ? 0 : note;
}

/// Lines that are short enough stay as they are; what is said of an example stays beside it.
std::string wrapped(const std::string& text) {
  std::string result;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t column = note_column(line);
    if (line.size() <= kWidth) {
      result += line + "\n";
    } else if (column == 0) {
      result += paragraph(line, kWidth);
    } else {
      result += line.substr(0, column) + paragraph(line.substr(column), kWidth, column).substr(column);
    }
  }
  return result;
}

std::string entry(const std::string& name, const std::string& description) {
  const std::string text = paragraph(description, kWidth, kColumn);
  const std::string start = fmt::format("  {}", name);
  if (start.size() + 2 > kColumn) return fmt::format("{}\n{}", start, text);
  return start + text.substr(start.size());
}

std::string name_with_value(const CLI::Option& argument) {
  const std::string value = value_name(argument);
  if (names_of(argument).empty()) return value;
  const std::string names = fmt::format("{}", fmt::join(names_of(argument), ","));
  if (value.empty()) return names;
  return names + (is_value_optional(argument) ? fmt::format("[={}]", value) : " " + value);
}

std::string arguments_of(const CLI::App& command, bool are_named, std::string_view heading) {
  std::string text;
  for (const CLI::Option* argument : command.get_options()) {
    if (names_of(*argument).empty() != are_named)
      text += entry(name_with_value(*argument), full_description(*argument));
  }
  return text.empty() ? text : fmt::format("\n{}:\n{}", heading, text);
}

std::string list_of_commands(const CLI::App& app) {
  std::string text;
  for (const CLI::App* command : with_commands(app)) {
    if (command != &app) text += entry(command->get_name(), command->get_description());
  }
  return text.empty() ? text : fmt::format("\nCommands:\n{}", text);
}

}  // namespace

std::string help_text(const CLI::App& command) {
  std::string text = wrapped(command.get_description());
  text += fmt::format("{}Usage: {}\n", text.ends_with("\n\n") ? "" : "\n", usage_of(command));
  text += arguments_of(command, false, "Arguments") + arguments_of(command, true, "Options");
  text += list_of_commands(command);
  const std::string notes = command.get_footer();
  return notes.empty() ? text : fmt::format("{}\n{}", text, wrapped(notes));
}

}  // namespace rooflinectl
