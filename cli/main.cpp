// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <exception>

#include "cli/run_program.h"
#include "cli/terminal.h"
#include "core/error.h"

namespace {

namespace terminal = rooflinectl::terminal;

/// Prints what went wrong, if anything did, and returns the exit code.
int run_to_its_end(int argc, char** argv) {
  try {
    return rooflinectl::run_program(argc, argv);
  } catch (const rooflinectl::Error& error) {
    return terminal::print_error(error);
  } catch (const std::exception& error) {
    terminal::print(stderr, "{}\n", error.what());
    return static_cast<int>(rooflinectl::ErrorKind::environment);
  }
}

}  // namespace

int main(int argc, char** argv) {
  terminal::prepare();
  return terminal::end(run_to_its_end(argc, argv));
}
