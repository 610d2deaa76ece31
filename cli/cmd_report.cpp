// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "cli/commands.h"
#include "cli/output_folder.h"
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
  std::vector<std::string> levels;
  std::vector<std::string> precisions;
  std::vector<std::string> caches;
  std::string theme{to_string(Theme::light)};
  bool quiet = false;
};

std::vector<std::string> level_names() {
  std::vector<std::string> names;
  for (const MemoryLevel level : kMemoryLevels) names.emplace_back(to_string(level));
  return names;
}

// The levels in the order of the hierarchy, whatever the order of their names.
ChartSelection selection_of(const ReportOptions& options) {
  ChartSelection selection{.levels = {}, .precisions = options.precisions};
  for (const MemoryLevel level : kMemoryLevels) {
    const auto& names = options.levels;
    if (std::find(names.begin(), names.end(), to_string(level)) != names.end()) {
      selection.levels.push_back(level);
    }
  }
  for (const std::string& name : options.caches) selection.caches.push_back(*cache_state_from(name));
  for (const Theme theme : kThemes) {
    if (to_string(theme) == options.theme) selection.theme = theme;
  }
  return selection;
}

std::string table_of(const Run& run) {
  return run.plan.experiments.empty() ? terminal_ceilings(run, columns_of(stdout))
                                      : terminal_summary(run, columns_of(stdout));
}

// A picture without a point would look like a run that measured nothing.
void check_caches(const Run& run, const ChartSelection& selection) {
  if (selection.caches.empty() || run.measurements.empty()) return;
  const auto is_drawn = [&](const Measurement& measurement) {
    return std::find(selection.caches.begin(), selection.caches.end(), measurement.point.cache) !=
           selection.caches.end();
  };
  if (std::any_of(run.measurements.begin(), run.measurements.end(), is_drawn)) return;
  throw Error(ErrorKind::usage,
              fmt::format("--cache {0}: no point of this run was measured with {0} caches",
                          to_string(selection.caches.front())),
              "leave --cache out, or measure with cache: [cold, warm] in the plan");
}

int report(const ReportOptions& options) {
  fs::path file = options.run_file;
  if (fs::is_directory(file)) file /= "run.json";
  const Run run = run_from_json(read_file(file), file.string());

  const ChartSelection selection = selection_of(options);
  check_caches(run, selection);
  const fs::path folder = options.output.empty() ? file.parent_path() : make_folder(options.output);
  const auto written = write_reports(run, folder, selection);
  if (!options.quiet) fmt::print("{}\n", table_of(run));
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
  command
      ->add_option("--level", options->levels,
                   "Memory levels in the main picture; more than dram: a mark per level (default: dram)")
      ->delimiter(',')
      ->check(CLI::IsMember(level_names()))
      ->type_name("LEVEL,...");
  command
      ->add_option("--precision", options->precisions,
                   "Precisions whose compute roofs are in the main picture (default: those of the points)")
      ->delimiter(',')
      ->check(CLI::IsMember(std::vector<std::string>(kPrecisions.begin(), kPrecisions.end())))
      ->type_name("PRECISION,...");
  command->add_option("--cache", options->caches, "Draw only the points of this cache state (default: all)")
      ->delimiter(',')
      ->check(CLI::IsMember(std::vector<std::string>{"cold", "warm"}))
      ->type_name("STATE");
  command->add_option("--theme", options->theme, "Colours of the pictures")
      ->check(CLI::IsMember(std::vector<std::string>{"light", "dark", "print"}))
      ->capture_default_str()
      ->type_name("THEME");
  command->add_flag("-q,--quiet", options->quiet, "Print the paths of what was written and nothing else");
  command->footer(
      "Examples:\n"
      "  rooflinectl report runs/reductions/latest\n"
      "  rooflinectl report run.json --output /tmp/pictures\n"
      "  rooflinectl report run.json --level l2,shared --precision f32\n"
      "  rooflinectl report run.json --theme dark --output slides");
  command->callback([&action, options] { action = [options] { return report(*options); }; });
}

}  // namespace rooflinectl
