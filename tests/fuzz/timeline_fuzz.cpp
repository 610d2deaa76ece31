// SPDX-License-Identifier: Apache-2.0
// `timeline.json`: a timeline that can be read stays the same when it is written and read again; anything
// else is an Error(usage).

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/error.h"
#include "core/serial/program/program_files.h"

using namespace rooflinectl;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static const Run run = [] {
    Run of_program;
    of_program.application.emplace();
    of_program.measurements.resize(2);
    return of_program;
  }();
  try {
    // The first writing rounds numbers that have more digits than are written.
    const std::string once = timeline_to_json(timeline_from_json(text, "timeline.json", run));
    if (timeline_to_json(timeline_from_json(once, "written", run)) != once) std::abort();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) std::abort();
  }
  return 0;
}
