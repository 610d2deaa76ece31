// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <sstream>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "core/error.h"
#include "runner/version.h"

namespace {

namespace terminal = rooflinectl::terminal;

constexpr const char* kDescription =
    R"(Roofline analysis of CUDA kernels: verifies and times them, counts their work, and compares them
with the measured ceilings of the GPU.

Examples:
  rooflinectl run experiments.yaml              measure a plan and write the reports
  rooflinectl run experiments.yaml --dry-run    list what would be measured
  rooflinectl profile -- python3 train.py       trace and count the kernels of any CUDA program
  rooflinectl watch                             what the GPUs are doing, whichever programs use them
  rooflinectl report runs/reductions/latest     redraw a run; needs no GPU
  rooflinectl explain runs/reductions/latest    what bounds each point, and what to try next
  rooflinectl compare runs/before runs/after    what changed from one run to another
  rooflinectl gate runs/base runs/new           for CI: exit code 4 on a regression
  rooflinectl ceilings                          measure the ceilings of the GPU
  rooflinectl crosscheck runs/reductions/latest compare the numbers of a run with ncu and nsys
  rooflinectl doctor                            check whether this machine can measure
  rooflinectl selftest                          check whether the counters can be trusted
  rooflinectl list                              list the kernels that a plan can name
)";

constexpr const char* kExitCodes = R"(Exit codes:
  0  success
  1  something that was measured failed or is unverified
  2  the command line or a file is wrong
  3  the environment: no GPU, no permission, a missing library, an output that cannot be written
  4  the gate found a regression)";

int run_program(int argc, char** argv) {
  CLI::App app{kDescription, "rooflinectl"};
  app.footer(kExitCodes);
  app.require_subcommand(0, 1);
  app.set_version_flag("--version", fmt::format("rooflinectl {}", rooflinectl::tool_version()));

  rooflinectl::Action action;
  rooflinectl::add_run_command(app, action, argc, argv);
  rooflinectl::add_profile_command(app, action, argc, argv);
  rooflinectl::add_watch_command(app, action, argc, argv);
  rooflinectl::add_ceilings_command(app, action, argc, argv);
  rooflinectl::add_report_command(app, action);
  rooflinectl::add_explain_command(app, action);
  rooflinectl::add_compare_command(app, action);
  rooflinectl::add_gate_command(app, action);
  rooflinectl::add_crosscheck_command(app, action, argc, argv);
  rooflinectl::add_doctor_command(app, action);
  rooflinectl::add_selftest_command(app, action);
  rooflinectl::add_list_command(app, action);
  rooflinectl::add_version_command(app, action);
  const int own_argc = rooflinectl::own_arguments(argc, argv);
  rooflinectl::require_values(app, own_argc, argv);
  try {
    app.parse(own_argc, argv);
    if (!action)
      throw CLI::RequiredError(
          "A command (run, profile, watch, report, explain, compare, gate, crosscheck, ceilings, doctor, "
          "selftest, list or version)");
  } catch (const CLI::ExtrasError&) {
    throw rooflinectl::unexpected_argument(app, own_argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream output;
    std::ostringstream errors;
    const int code = app.exit(error, output, errors);
    terminal::write(stdout, output.str());
    terminal::write(stderr, errors.str());
    return code == 0 ? 0 : static_cast<int>(rooflinectl::ErrorKind::usage);
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
