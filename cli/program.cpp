// SPDX-License-Identifier: Apache-2.0
#include "cli/program.h"

#include <cstdio>
#include <sstream>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "core/error.h"

namespace rooflinectl {
namespace {

/// Shown if no command is given.
constexpr const char* kFirstSteps = R"(What would you like to measure?

  my program   rooflinectl profile -- PROGRAM     all its kernels on a roofline
  my kernel    rooflinectl run experiments.yaml   verified, timed and counted
  my GPU       rooflinectl ceilings               what it delivers
  my CI        rooflinectl gate BASE NEW          exit code 4 on a regression

`rooflinectl doctor` checks whether this machine can measure,
`rooflinectl --help` lists all commands.
)";

}  // namespace

int run_program(int argc, char** argv) {
  CLI::App app;
  Action action;
  add_commands(app, action, argc, argv);
  const int own_argc = own_arguments(argc, argv);
  require_values(app, own_argc, argv);
  try {
    app.parse(own_argc, argv);
  } catch (const CLI::ExtrasError&) {
    throw unexpected_argument(app, own_argc, argv);
  } catch (const CLI::RequiredError& error) {
    throw missing_argument(app, error);
  } catch (const CLI::ParseError& error) {
    std::ostringstream output;
    std::ostringstream errors;
    const int code = app.exit(error, output, errors);
    terminal::write(stdout, output.str());
    terminal::write(stderr, errors.str());
    return code == 0 ? 0 : static_cast<int>(ErrorKind::usage);
  }
  if (!action) {
    terminal::write(stderr, kFirstSteps);
    return static_cast<int>(ErrorKind::usage);
  }
  return action();
}

}  // namespace rooflinectl
