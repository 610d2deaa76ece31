// SPDX-License-Identifier: Apache-2.0
// Prints a run.json in which every field occurs; with the argument `program` that of a profiled program, with
// `timeline` the timeline beside it.
#include <cstdio>
#include <string>
#include <string_view>

#include "core/serial/program/program_files.h"
#include "tests/support/full_run.h"
#include "tests/support/program_run.h"
#include "tests/support/program_timeline.h"

namespace {

using namespace rooflinectl;

std::string text_of(std::string_view what) {
  if (what == "program") return run_to_json(constructed::program_run());
  if (what == "timeline") return timeline_to_json(constructed::program_timeline(constructed::program_run()));
  return run_to_json(constructed::full_run());
}

}  // namespace

int main(int argc, char** argv) {
  std::fputs(text_of(argc > 1 ? argv[1] : "").c_str(), stdout);
}
