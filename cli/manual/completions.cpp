// SPDX-License-Identifier: Apache-2.0
#include "cli/manual/completions.h"

namespace rooflinectl {

Values values_of(const ArgumentManual& argument) {
  const std::string& value = argument.value;
  if (!argument.choices.empty()) return Values::choices;
  if (value.starts_with("RUN")) return Values::runs;
  if (value.starts_with("INDEX")) return Values::devices;
  if (value == "PLAN" || value == "FILE" || value == "TRACE.json") return Values::files;
  if (value.starts_with("DIR")) return Values::folders;
  if (value == "NAME") return Values::variants;
  return Values::unknown;
}

std::vector<std::string> command_names(const std::vector<CommandManual>& manuals) {
  std::vector<std::string> names;
  for (const CommandManual& manual : manuals) {
    if (!manual.name.empty()) names.push_back(manual.name);
  }
  return names;
}

}  // namespace rooflinectl
