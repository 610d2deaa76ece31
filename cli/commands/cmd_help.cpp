// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/manual/command_manual.h"
#include "cli/terminal.h"

namespace rooflinectl {

namespace {

int print_help(const CLI::App& app, const std::string& name) {
  if (name.empty()) {
    terminal::print("{}", help_text(app));
    return 0;
  }
  const auto found =
      app.get_subcommands([&](const CLI::App* command) { return command->get_name() == name; });
  if (found.empty()) throw unknown_command(app, name);
  terminal::print("{}", help_text(*found.front()));
  return 0;
}

}  // namespace

void add_help_command(const Commands& commands) {
  const auto name = std::make_shared<std::string>();
  CLI::App* const command =
      commands.app.add_subcommand("help", "Print what --help prints: of a command, or of all");
  add_option(command, "command", "COMMAND", *name, "The command to describe");
  command->footer(
      "Examples:\n"
      "  rooflinectl help\n"
      "  rooflinectl help profile");
  command->callback([&app = commands.app, &action = commands.action, name] {
    action = [&app, name] { return print_help(app, *name); };
  });
}

}  // namespace rooflinectl
