// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/answers.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "core/error.h"
#include "core/serial/run_file.h"
#include "core/text/names.h"
#include "reports/formats/formats.h"
#include "reports/model/report_model.h"

namespace rooflinectl {

namespace {

/// What tokenizers make of JSON in English and numbers is rarely shorter.
constexpr std::size_t kBytesPerToken = 4;
constexpr std::size_t kFewestTokens = kSmallestBriefBytes / kBytesPerToken;
constexpr std::size_t kMostTokens = 10'000'000;

struct ExplainOptions {
  std::string run_file;
  ExplanationSelection selection;
  bool json = false;
  std::size_t budget = 0;  ///< tokens; 0 for any number
};

void require_point(const Analysis& analysis, const std::string& name) {
  std::vector<std::string> names;
  for (const ExperimentAnalysis& experiment : analysis.experiments) {
    for (const RooflinePoint& point : experiment.points) {
      if (is_named(point, name)) return;
      names.push_back(point.label);
      names.push_back(point.measurement->point.subject);
    }
  }
  const auto nearest = nearest_name(name, names);
  throw Error(ErrorKind::usage, fmt::format("the run has no point '{}'", name),
              nearest ? fmt::format("did you mean '{}'?", *nearest)
                      : "use a label or variant from 'rooflinectl report', or a glob");
}

int explain_run(const ExplainOptions& options) {
  constexpr int kWidest = 100;  // lines of prose that are longer are hard to read
  const std::filesystem::path file = run_file(options.run_file);
  const Run run = read_run(file);
  const Analysis analysis = analyse(run);
  if (analysis.experiments.empty()) {
    throw Error(ErrorKind::usage, fmt::format("{}: the run has no points to explain", file.string()),
                "'rooflinectl report' shows ceilings");
  }
  require_point(analysis, options.selection.point);
  const bool is_of_all = options.selection.point.empty();
  if (options.json) {
    serial::Json head = answer_head("explain", run.devices);
    const serial::Json losses = is_of_all ? losses_json(ReportModel(run)) : serial::Json::array();
    if (options.budget > 0) {
      head["format"] = "rooflinectl-brief";
      head["budget"] = options.budget;
      terminal::print("{}", brief_json(run, analysis, options.selection, losses, std::move(head),
                                       kBytesPerToken * options.budget));
    } else {
      head["losses"] = losses;
      terminal::print("{}", serial::to_document(answered(
                                std::move(head), explanation_json(run, analysis, options.selection))));
    }
  } else {
    const int columns = std::min(columns_of(stdout), kWidest);
    if (is_of_all) terminal::print("{}", program_explanation(ReportModel(run), columns));
    terminal::print("{}", terminal_explanation(run, analysis, options.selection, columns));
  }
  return 0;
}

}  // namespace

void add_explain_command(const Commands& commands) {
  const auto [command, options] = add_command(
      commands, "explain", "Explain what bounds each point and why, and what to try next", explain_run);
  add_option(command, "run", "RUN.json", options->run_file, "A run.json or run.json.gz, or its folder")
      ->required();
  add_option(command, "--point", "NAME", options->selection.point,
             "Only points whose label, variant or range name matches; may be a glob");
  command->add_flag("--all", options->selection.unjudged,
                    "Also list the rules that could not be judged, and the numbers they need");
  CLI::Option* const json = command->add_flag("--json", options->json, "Print JSON, in SI units");
  add_option(command, "--budget", "TOKENS", options->budget,
             "Print only what fits into this many tokens (of 4 bytes): the points with most to gain")
      ->check(CLI::Range(kFewestTokens, kMostTokens))
      ->needs(json);
  command->footer(
      "Examples:\n"
      "  rooflinectl explain runs/reductions/latest\n"
      "  rooflinectl explain run.json --point V3 --all\n"
      "  rooflinectl explain run.json --json\n"
      "  rooflinectl explain run.json --json --budget 1000    for the context of a language model");
}

}  // namespace rooflinectl
