// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/terminal.h"
#include "core/error.h"
#include "core/files.h"
#include "reports/reports.h"

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;

struct ReportOptions {
  std::string run_file;
  std::string output;
  bool quiet = false;
};

fs::path make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error) return folder;
  throw Error(ErrorKind::environment,
              fmt::format("{}: cannot be created: {}", folder.string(), error.message()),
              "choose another folder with --output");
}

int report(const ReportOptions& options) {
  fs::path file = options.run_file;
  if (fs::is_directory(file)) file /= "run.json";
  const Run run = run_from_json(read_file(file), file.string());

  const fs::path folder = options.output.empty() ? file.parent_path() : make_folder(options.output);
  const auto written = write_reports(run, folder);
  if (!options.quiet) fmt::print("{}\n", terminal_summary(run, columns_of(stdout)));
  for (const fs::path& path : written) fmt::print("{}\n", path.string());
  return 0;
}

}  // namespace

void add_report_command(CLI::App& app, Action& action) {
  const auto options = std::make_shared<ReportOptions>();
  CLI::App* const command = app.add_subcommand("report", "Draw a run again from its run.json; needs no GPU");
  command->add_option("run", options->run_file, "A run.json, or the folder that holds one")
      ->required()
      ->type_name("RUN.json");
  command
      ->add_option("-o,--output", options->output, "Folder for the reports (default: that of the run.json)")
      ->type_name("DIR");
  command->add_flag("-q,--quiet", options->quiet, "Print the paths of what was written and nothing else");
  command->footer(
      "Examples:\n"
      "  rooflinectl report runs/reductions/latest\n"
      "  rooflinectl report run.json --output /tmp/pictures");
  command->callback([&action, options] { action = [options] { return report(*options); }; });
}

}  // namespace rooflinectl
