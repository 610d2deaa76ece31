// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "cli/answers.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "core/error.h"
#include "reports/model/report_model.h"
#include "reports/text/format.h"
#include "runner/merging/merging.h"

namespace rooflinectl {

namespace {

struct MergeOptions : MergeRequest {
  bool all = false;
  bool quiet = false;
};

/// What was left out is a failure: the reports show what was merged.
int merge(const MergeOptions& options) {
  ProgressDisplay display(stderr);
  const MergeResult result = merge_runs(options, [&](std::size_t read, std::size_t all) {
    if (!options.quiet) display.status(fmt::format("read {} of {} runs", read, all));
  });
  display.clear();
  for (const std::string& cause : result.left_out) terminal::print(stderr, "left out: {}\n", cause);
  const ReportModel report(result.run, {}, result.timeline ? &*result.timeline : nullptr);
  finish_run(report, result.folder, options.quiet, options.all,
             fmt::format("{} merged\n", format::counted(result.merged, "run")));
  return result.left_out.empty() ? 0 : static_cast<int>(ErrorKind::measurement);
}

}  // namespace

void add_merge_command(const Commands& commands) {
  const auto [command, options] = add_command(
      commands, "merge",
      "Join the runs of the ranks of a program or plan, each of which was measured separately", merge);
  add_option(command, "runs", "DIR...", options->runs,
             "Runs of rooflinectl profile or run, one for each rank or host: their folders, or run.json "
             "files")
      ->required();
  add_option(command, "-o,--output", "DIR", options->output, "Folder in which to create merged/<UTC time>/")
      ->capture_default_str();
  command->add_flag("--all", options->all, "Show every row in the terminal, not only the notable ones");
  command->add_flag("-q,--quiet", options->quiet, "Print only the path of the report, and errors");
  command->footer(
      "Runs that cannot be read are left out and named; the exit code is then 1.\n"
      "\n"
      "Examples:\n"
      "  srun rooflinectl profile --quiet --output runs/$SLURM_JOB_ID -- ./solver\n"
      "  rooflinectl merge runs/$SLURM_JOB_ID/solver/*-rank*\n"
      "  mpirun -n 2 rooflinectl run plan.yaml && rooflinectl merge runs/plan/*-rank*\n"
      "  torchrun --nproc-per-node 8 --no-python rooflinectl profile -- python train.py");
}

}  // namespace rooflinectl
