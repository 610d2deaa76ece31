// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/json/rules.h"
#include "core/program/imported_file.h"

namespace rooflinectl::serial {

void fields(auto& f, Is<ImportedFile> auto& file) {
  f("name", file.name);
  f("format", file.format);
  f.optional("tool_version", file.tool_version);
  f.optional("recorded_utc", file.recorded_utc);
  f.optional("command_line", file.command_line);
  f.optional("replay", file.replay);
  f.optional("clock_control", file.clock_control);
  f.optional("cache_control", file.cache_control);
  f.optional("sections", file.sections);
  f.optional("problems", file.problems);
}

}  // namespace rooflinectl::serial
