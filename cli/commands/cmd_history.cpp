// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "cli/answers.h"
#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/terminal.h"
#include "core/counters/metrics.h"
#include "core/error.h"
#include "core/files/files.h"
#include "core/text/names.h"
#include "reports/formats/formats.h"
#include "reports/history/history_reports.h"

namespace rooflinectl {

namespace {

struct HistoryOptions {
  std::vector<std::string> runs;
  std::string point;
  std::vector<std::string> counters;
  double threshold = kSmallestTimeChange;
  std::string output;
  bool all = false;
  bool json = false;
};

void require_counters(const std::vector<std::string>& keys) {
  const std::vector<std::string_view> known_keys = counter_keys();
  const std::vector<std::string> known(known_keys.begin(), known_keys.end());
  for (const std::string& key : keys) {
    if (contains(known, key)) continue;
    const auto nearest = nearest_name(key, known);
    throw Error(ErrorKind::usage, fmt::format("there is no counter '{}'", key),
                nearest ? fmt::format("did you mean '{}'?", *nearest)
                        : "`rooflinectl list metrics --chip CHIP` lists the keys of all counters");
  }
}

/// Keeps only the points with that name.
void choose_points(History& history, const std::string& name) {
  if (name.empty()) return;
  std::vector<std::string> labels;
  for (const PointHistory& point : history.points) labels.push_back(point.label);
  std::erase_if(history.points, [&](const PointHistory& point) { return !is_named(point.newest(), name); });
  if (!history.points.empty()) return;
  const auto nearest = nearest_name(name, labels);
  throw Error(ErrorKind::usage, fmt::format("the runs have no point '{}'", name),
              nearest ? fmt::format("did you mean '{}'?", *nearest) : "");
}

void print_left_out(const std::vector<LeftOutRun>& left_out) {
  constexpr std::size_t kMostNamed = 20;
  for (std::size_t i = 0; i < std::min(left_out.size(), kMostNamed); ++i) {
    terminal::print(stderr, "left out: {} {}\n", left_out[i].name, left_out[i].reason);
  }
  if (left_out.size() > kMostNamed) {
    terminal::print(stderr, "left out: {} more, listed by --json and --output\n",
                    left_out.size() - kMostNamed);
  }
}

int show_history(const HistoryOptions& options) {
  require_counters(options.counters);
  RunsOverTime read = read_runs_over_time(options.runs, options.counters);
  ComparableRuns comparable = comparable_runs(std::move(read.runs));
  std::vector<LeftOutRun> left_out = read.damaged;
  left_out.insert(left_out.end(), comparable.left_out.begin(), comparable.left_out.end());
  print_left_out(left_out);
  if (comparable.runs.empty()) {
    throw Error(ErrorKind::usage, "none of the runs measured the time of a point",
                "name runs of `rooflinectl run` or `rooflinectl profile`, or the folder that they are in");
  }
  HistoryReport report = {history(comparable.runs, options.threshold), followed_quantities(options.counters),
                          std::move(left_out)};
  choose_points(report.history, options.point);
  std::vector<std::filesystem::path> written;
  if (!options.output.empty()) written = write_history(report, make_folder(options.output), read.files);
  if (options.json) {
    const serial::Json head = answer_head("history", devices_of({comparable.runs}));
    terminal::print("{}", serial::to_document(answered(head, history_json(report))));
  } else {
    const HistoryRows rows = options.all ? HistoryRows::all : HistoryRows::notable;
    terminal::print("{}", history_text(report, columns_of(stdout), rows));
    for (const auto& file : written) terminal::print("{}\n", file.string());
  }
  return read.damaged.empty() ? 0 : static_cast<int>(ErrorKind::measurement);
}

}  // namespace

void add_history_command(const Commands& commands) {
  const auto [command, options] = add_command(
      commands, "history", "Show how points fared over many runs, and when they changed", show_history);
  add_option(command, "runs", "RUN|DIR...", options->runs,
             "Runs, or folders with runs below them; those that the newest cannot be compared with are "
             "left out and named")
      ->required();
  add_option(command, "--point", "NAME", options->point,
             "Only points whose label, variant or range name matches; may be a glob");
  add_option(command, "--counters", "KEY,...", options->counters,
             "Also follow these counters, by their keys in points.csv, such as dram_read_bytes")
      ->delimiter(',')
      ->allow_extra_args(false);
  add_percentage_option(*command, "--threshold", options->threshold,
                        "Smallest change of the median that counts");
  add_option(command, "-o,--output", "DIR", options->output,
             "Also write a page, CSV and JSON into this folder");
  command->add_flag(
      "--all", options->all,
      "Show every point; without this option, if there are more than 40, only those that changed");
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "Runs that cannot be read are left out and named; the exit code is then 1.\n"
      "\n"
      "Examples:\n"
      "  rooflinectl history runs/reductions\n"
      "  rooflinectl history runs --point 'V7*' --counters dram_read_bytes -o history");
}

}  // namespace rooflinectl
