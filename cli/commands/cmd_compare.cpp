// SPDX-License-Identifier: Apache-2.0

#include <cstdio>

#include "cli/answers.h"
#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/terminal.h"
#include "core/files/files.h"
#include "core/serial/run_file.h"
#include "reports/compare/comparison_reports.h"

namespace rooflinectl {

namespace {

struct CompareOptions {
  std::vector<std::string> runs;
  std::vector<std::string> baseline;
  double threshold = kSmallestTimeChange;
  std::string output;
  bool json = false;
};

int compare_runs(const CompareOptions& options) {
  const RunsToCompare runs = read_runs_to_compare(options.runs, options.baseline);
  std::vector<RunComparison> comparisons;
  for (const AnalysedRun& now : runs.now) {
    comparisons.push_back(compare(runs.baseline, now, options.threshold));
  }
  std::vector<std::filesystem::path> written;
  if (!options.output.empty()) {
    std::vector<std::filesystem::path> inputs = run_files(options.runs);
    for (const std::filesystem::path& file : run_files(options.baseline)) inputs.push_back(file);
    written = write_comparison(comparisons, make_folder(options.output), inputs);
  }
  if (options.json) {
    const serial::Json head = answer_head("compare", devices_of({runs.baseline, runs.now}));
    terminal::print("{}", serial::to_document(answered(head, comparison_json(comparisons))));
    return 0;
  }
  for (const RunComparison& comparison : comparisons) {
    terminal::print("{}{}", &comparison == &comparisons.front() ? "" : "\n",
                    comparison_text(comparison, columns_of(stdout)));
  }
  for (const auto& file : written) terminal::print("{}\n", file.string());
  return 0;
}

}  // namespace

void add_compare_command(const Commands& commands) {
  const auto [command, options] = add_command(
      commands, "compare", "Show what changed from one run to another; needs no GPU", compare_runs);
  add_option(command, "runs", "RUN", options->runs,
             "The base run and one or more new runs: each a run.json or run.json.gz, or its folder")
      ->required();
  add_option(command, "--baseline", "RUN...", options->baseline,
             "Base runs instead of the first RUN: several of them measure the drift between runs");
  add_percentage_option(*command, "--threshold", options->threshold,
                        "Smallest change of the median that counts");
  add_option(command, "-o,--output", "DIR", options->output,
             "Also write a page, Markdown, JSON and a picture into this folder");
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "Examples:\n"
      "  rooflinectl compare runs/before runs/after\n"
      "  rooflinectl compare runs/before runs/after --output comparison\n"
      "  rooflinectl compare runs/after --baseline runs/monday runs/tuesday");
}

}  // namespace rooflinectl
