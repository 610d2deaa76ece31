// SPDX-License-Identifier: Apache-2.0
#include "cli/manual/command_manual.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>

#include "cli/commands.h"
#include "reports/text/text_table.h"

namespace rooflinectl {
namespace {

/// CLI11 keeps what CLI::IsMember allows as a part of the type's name: `THEME:{light,dark,print}`.
std::vector<std::string> choices_of(const std::string& type_name) {
  const std::size_t begin = type_name.find('{');
  const std::size_t end = type_name.find('}', begin);
  std::vector<std::string> choices;
  if (begin == std::string::npos || end == std::string::npos) return choices;
  std::istringstream list(type_name.substr(begin + 1, end - begin - 1));
  for (std::string choice; std::getline(list, choice, ',');) choices.push_back(choice);
  return choices;
}

ArgumentManual manual_of(const CLI::Option& option) {
  ArgumentManual manual;
  for (const std::string& name : option.get_snames()) manual.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) manual.names.push_back("--" + name);
  if (option.get_items_expected_max() > 0) {
    const std::string type_name = option.get_type_name();
    manual.value = type_name.substr(0, type_name.find(':'));
    manual.choices = choices_of(type_name);
    manual.is_value_optional = option.get_items_expected_min() == 0;
    manual.takes_many = option.get_expected_max() > 1;
  }
  manual.is_required = option.get_required();
  manual.description = option.get_description();
  manual.default_value = option.get_default_str();
  return manual;
}

/// `RUN`, `[PLAN]`, `RUN...`
std::string usage_of(const ArgumentManual& argument) {
  const std::string value = argument.is_required ? argument.value : fmt::format("[{}]", argument.value);
  return argument.takes_many && !argument.value.ends_with("...") ? value + "..." : value;
}

}  // namespace

CommandManual manual_of(const CLI::App& command) {
  CommandManual manual = {.name = command.get_parent() == nullptr ? "" : command.get_name(),
                          .description = command.get_description(),
                          .notes = command.get_footer(),
                          .arguments = {}};
  for (const CLI::Option* option : command.get_options()) manual.arguments.push_back(manual_of(*option));
  return manual;
}

std::string usage_of(const CommandManual& command) {
  std::string text = command.name.empty() ? "rooflinectl [OPTIONS] COMMAND"
                                          : fmt::format("rooflinectl {} [OPTIONS]", command.name);
  for (const ArgumentManual& argument : command.arguments) {
    if (argument.names.empty()) text += " " + usage_of(argument);
  }
  return command.name == "profile" ? text + " -- PROGRAM [ARGS]..." : text;
}

std::string full_description(const ArgumentManual& argument) {
  std::string text = argument.description;
  if (!argument.choices.empty()) text += fmt::format("; one of {}", fmt::join(argument.choices, ", "));
  if (!argument.default_value.empty()) text += fmt::format(" (default: {})", argument.default_value);
  return text;
}

std::vector<CommandManual> command_manuals() {
  CLI::App app;
  Action action;
  char name[] = "rooflinectl";
  char* arguments[] = {name};
  add_commands(app, action, 1, arguments);
  std::vector<CommandManual> manuals = {manual_of(app)};
  for (const CLI::App* command : std::as_const(app).get_subcommands([](const CLI::App*) { return true; })) {
    manuals.push_back(manual_of(*command));
  }
  return manuals;
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

std::string name_with_value(const ArgumentManual& argument) {
  if (argument.names.empty()) return argument.value;
  const std::string names = fmt::format("{}", fmt::join(argument.names, ","));
  if (argument.value.empty()) return names;
  return names + (argument.is_value_optional ? fmt::format("[={}]", argument.value) : " " + argument.value);
}

std::string arguments_of(const CommandManual& command, bool are_named, std::string_view heading) {
  std::string text;
  for (const ArgumentManual& argument : command.arguments) {
    if (argument.names.empty() != are_named)
      text += entry(name_with_value(argument), full_description(argument));
  }
  return text.empty() ? text : fmt::format("\n{}:\n{}", heading, text);
}

std::string list_of_commands(const CLI::App& app) {
  std::string text;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    text += entry(command->get_name(), command->get_description());
  }
  return text.empty() ? text : fmt::format("\nCommands:\n{}", text);
}

}  // namespace

std::string help_text(const CLI::App& command) {
  const CommandManual manual = manual_of(command);
  std::string text = wrapped(manual.description);
  text += fmt::format("{}Usage: {}\n", text.ends_with("\n\n") ? "" : "\n", usage_of(manual));
  text += arguments_of(manual, false, "Arguments") + arguments_of(manual, true, "Options");
  text += list_of_commands(command);
  return manual.notes.empty() ? text : fmt::format("{}\n{}", text, wrapped(manual.notes));
}

}  // namespace rooflinectl
