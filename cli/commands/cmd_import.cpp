// SPDX-License-Identifier: Apache-2.0

#include "cli/answers.h"
#include "cli/commands.h"
#include "reports/model/report_model.h"
#include "runner/importing/importing.h"

namespace rooflinectl {

namespace {

struct ImportOptions : ImportRequest {
  bool all = false;
  bool quiet = false;
};

int import(const ImportOptions& options) {
  const ImportResult result = import_files(options);
  finish_run(ReportModel(result.run), result.folder, options.quiet, options.all);
  return 0;
}

}  // namespace

void add_import_command(const Commands& commands) {
  const auto [command, options] = add_command(
      commands, "import", "Put the kernels of other tools' reports on a roofline; needs no GPU", import);
  add_option(command, "files", "FILE...", options->files,
             "Reports from Nsight Compute (.ncu-rep, .ncu-repz) and Nsight Systems (.nsys-rep), output of "
             "`ncu --csv --page raw` and `nsys export --type sqlite`, torch.profiler traces")
      ->required();
  add_option(command, "--ceilings", "RUN", options->ceilings,
             "A run with measured ceilings of the same GPU, from rooflinectl ceilings; without it, "
             "the report's theoretical peaks are used");
  add_option(command, "-o,--output", "DIR", options->output,
             "Folder in which to create <name of the file>/<UTC time>/")
      ->capture_default_str();
  command->add_flag("--all", options->all, "Show every kernel in the terminal, not only the notable ones");
  command->add_flag("-q,--quiet", options->quiet, "Print only the path of the report, and errors");
  command->footer(
      "Examples:\n"
      "  ncu --set full -o report ./program && rooflinectl import report.ncu-rep\n"
      "  rooflinectl import report.ncu-rep --ceilings runs/ceilings/latest");
}

}  // namespace rooflinectl
