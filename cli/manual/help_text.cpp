// SPDX-License-Identifier: Apache-2.0
#include "cli/manual/help_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>
#include <vector>

#include "cli/manual/command_manual.h"
#include "reports/text/text_table.h"

namespace rooflinectl {

namespace {

constexpr std::size_t kWidth = 80;
/// Where descriptions begin.
constexpr std::size_t kColumn = 26;

/// Lines that are short enough stay as they are.
std::string wrapped(const std::string& text) {
  std::string result;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    result += line.size() <= kWidth ? line + "\n" : paragraph(line, kWidth);
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
