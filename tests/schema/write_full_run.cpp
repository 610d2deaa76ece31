// SPDX-License-Identifier: Apache-2.0
// Prints a run.json in which every field occurs; with the argument `program` that of a profiled program.
#include <cstdio>
#include <string_view>

#include "tests/support/full_run.h"
#include "tests/support/program_run.h"

int main(int argc, char** argv) {
  using namespace rooflinectl;
  const bool is_program = argc > 1 && std::string_view(argv[1]) == "program";
  std::fputs(run_to_json(is_program ? constructed::program_run() : testing::full_run()).c_str(), stdout);
}
