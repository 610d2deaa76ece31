// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"

#include <fmt/format.h>

#include "cli/manual/command_manual.h"
#include "runner/version.h"

namespace rooflinectl {

namespace {

constexpr const char* kDescription =
    R"(Roofline analysis of CUDA kernels: verifies and times them, counts their work,
and compares them with the measured ceilings of the GPU.

Examples:
  rooflinectl profile -- python3 train.py        any CUDA program on a roofline
  rooflinectl new scale.cu                       a kernel file to begin with
  rooflinectl run scale.cu                       your kernel on the roofline
  rooflinectl run experiments.yaml               measure a plan
  rooflinectl run experiments.yaml --dry-run     list what would be measured
  rooflinectl merge runs/train/*-rank*           join the runs of many ranks
  rooflinectl import report.ncu-rep              what Nsight Compute recorded
  rooflinectl report runs/reductions/latest      rewrite the reports of a run
  rooflinectl explain runs/reductions/latest     what bounds each point, and why
  rooflinectl compare runs/before runs/after     what changed from run to run
  rooflinectl history runs                       points over many runs
  rooflinectl gate runs/base runs/new            exit code 4 on a regression
  rooflinectl crosscheck runs/reductions/latest  check against ncu and nsys
)";

constexpr const char* kExitCodes = R"(Exit codes:
  0  success
  1  something that was measured failed or is unverified
  2  the command line or a file is wrong
  3  the environment: no GPU, no permission, a missing library, an output that
     cannot be written
  4  the gate found a regression)";

}  // namespace

void add_commands(CLI::App& app, Action& action, int argc, char** argv) {
  app.name("rooflinectl");
  app.formatter_fn(
      [](const CLI::App* command, const std::string&, CLI::AppFormatMode) { return help_text(*command); });
  app.description(kDescription);
  app.footer(kExitCodes);
  app.require_subcommand(0, 1);
  app.set_version_flag("--version", fmt::format("rooflinectl {}", tool_version()));

  add_run_command(app, action, argc, argv);
  add_new_command(app, action);
  add_profile_command(app, action, argc, argv);
  add_merge_command(app, action, argc, argv);
  add_import_command(app, action, argc, argv);
  add_watch_command(app, action, argc, argv);
  add_ceilings_command(app, action, argc, argv);
  add_report_command(app, action);
  add_explain_command(app, action);
  add_compare_command(app, action);
  add_history_command(app, action);
  add_gate_command(app, action, argc, argv);
  add_crosscheck_command(app, action, argc, argv);
  add_doctor_command(app, action);
  add_selftest_command(app, action);
  add_list_command(app, action);
  add_help_command(app, action);
  add_version_command(app, action);
}

}  // namespace rooflinectl
