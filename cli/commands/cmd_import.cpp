// SPDX-License-Identifier: Apache-2.0

#include <memory>
#include <string>
#include <vector>

#include "cli/answers.h"
#include "cli/commands.h"
#include "reports/formats/formats.h"
#include "runner/importing/importing.h"

namespace rooflinectl {

namespace {

struct ImportOptions {
  std::vector<std::string> files;
  std::string ceilings;  // a run; empty for none
  std::string output = "runs";
  bool all = false;
  bool quiet = false;
  std::vector<std::string> command_line;
};

int import(const ImportOptions& options) {
  ImportRequest request;
  request.files.assign(options.files.begin(), options.files.end());
  if (!options.ceilings.empty()) request.ceilings = options.ceilings;
  request.output = options.output;
  request.command_line = options.command_line;
  const ImportResult result = import_files(request);
  finish_run(ReportModel(result.run), result.folder, options.quiet ? Verbosity::quiet : Verbosity::normal,
             options.all ? Rows::all : Rows::notable);
  return 0;
}

}  // namespace

void add_import_command(CLI::App& app, Action& action, int argc, char** argv) {
  const auto options = std::make_shared<ImportOptions>();
  options->command_line.assign(argv, argv + argc);
  CLI::App* const command =
      app.add_subcommand("import", "Put the kernels of other tools' reports on a roofline; needs no GPU");
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
  command->callback([&action, options] { action = [options] { return import(*options); }; });
}

}  // namespace rooflinectl
