// SPDX-License-Identifier: Apache-2.0

#include <memory>

#include "cli/answers.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "runner/built_in.h"
#include "runner/machine/catalogue.h"

namespace rooflinectl {

namespace {

int print_version_json() {
  const auto collector = find_collector();
  serial::Json answer = answer_head("version", {});
  answer["version"] = tool_version();
  answer["commit"] = tool_commit();
  answer["can_measure"] = collector.has_value();
  terminal::print("{}\n", serial::to_text(answer));
  return 0;
}

int print_version() {
  terminal::print("rooflinectl {} (commit {})\n", tool_version(), tool_commit());
  const auto collector = find_collector();
  terminal::print("collector: {}\n",
                  collector ? collector->string() : "not installed; this build cannot measure");
  return 0;
}

}  // namespace

void add_version_command(CLI::App& app, Action& action) {
  CLI::App* const command =
      app.add_subcommand("version", "Print the version, the commit and whether this build can measure");
  const auto json = std::make_shared<bool>(false);
  add_json_flag(*command, *json);
  command->callback([&action, json] { action = *json ? print_version_json : print_version; });
}

}  // namespace rooflinectl
