// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <exception>
#include <sstream>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "core/error.h"

namespace {

namespace terminal = rooflinectl::terminal;

/// Shown if no command is given.
constexpr const char* kFirstSteps = R"(What would you like to measure?

  my program   rooflinectl profile -- PROGRAM     all its kernels on a roofline
  my kernel    rooflinectl run experiments.yaml   verified, timed and counted
  my GPU       rooflinectl ceilings               what it delivers
  my CI        rooflinectl gate BASE NEW          exit code 4 on a regression

`rooflinectl doctor` checks whether this machine can measure,
`rooflinectl --help` lists all commands.
)";

int run_program(int argc, char** argv) {
  CLI::App app;
  rooflinectl::Action action;
  rooflinectl::add_commands(app, action, argc, argv);
  const int own_argc = rooflinectl::own_arguments(argc, argv);
  rooflinectl::require_values(app, own_argc, argv);
  try {
    app.parse(own_argc, argv);
  } catch (const CLI::ExtrasError&) {
    throw rooflinectl::unexpected_argument(app, own_argc, argv);
  } catch (const CLI::RequiredError& error) {
    throw rooflinectl::missing_argument(app, error);
  } catch (const CLI::ParseError& error) {
    std::ostringstream output;
    std::ostringstream errors;
    const int code = app.exit(error, output, errors);
    terminal::write(stdout, output.str());
    terminal::write(stderr, errors.str());
    return code == 0 ? 0 : static_cast<int>(rooflinectl::ErrorKind::usage);
  }
  if (!action) {
    terminal::write(stderr, kFirstSteps);
    return static_cast<int>(rooflinectl::ErrorKind::usage);
  }
  return action();
}

/// Prints what went wrong, if anything did, and returns the exit code.
int run_to_its_end(int argc, char** argv) {
  try {
    return run_program(argc, argv);
  } catch (const rooflinectl::Error& error) {
    terminal::print(stderr, "{}\n", error.what());
    if (!error.hint().empty()) terminal::print(stderr, "hint: {}\n", error.hint());
    return error.exit_code();
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
