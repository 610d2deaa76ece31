// SPDX-License-Identifier: Apache-2.0

#include "cli/answers.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "runner/built_in.h"
#include "runner/machine/catalogue.h"

namespace rooflinectl {

namespace {

struct VersionOptions {
  bool json = false;
};

int print_version(const VersionOptions& options) {
  const auto collector = find_collector();
  if (!options.json) {
    terminal::print("rooflinectl {} (commit {})\n", tool_version(), tool_commit());
    terminal::print("collector: {}\n",
                    collector ? collector->string() : "not installed; this build cannot measure");
    return 0;
  }
  serial::Json answer = answer_head("version", {});
  answer["version"] = tool_version();
  answer["commit"] = tool_commit();
  answer["can_measure"] = collector.has_value();
  terminal::print("{}\n", serial::to_text(answer));
  return 0;
}

}  // namespace

void add_version_command(const Commands& commands) {
  const auto [command, options] = add_command(
      commands, "version", "Print the version, the commit and whether this build can measure", print_version);
  add_json_flag(*command, options->json);
}

}  // namespace rooflinectl
