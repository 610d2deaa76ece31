// SPDX-License-Identifier: Apache-2.0
#include "cli/run/run_parts.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/answers.h"
#include "cli/terminal.h"
#include "core/serial/run_file.h"
#include "reports/formats/formats.h"
#include "reports/reports.h"
#include "reports/text/format.h"
#include "runner/runs/replay.h"
#include "runner/runs/run_folder.h"

namespace rooflinectl {

namespace {

void print_duration(const Run& run) {
  const CounterSession& counters = run.counter_session;
  const std::string share = counters.available
                                ? fmt::format(", {} of that for counters",
                                              format::duration(counters.host_setup_s + counters.collection_s))
                                : "";
  terminal::print("measured in {}{}\n", format::duration(run.wall_s), share);
}

}  // namespace

void print_summary(const MeasureResult& result, const ReportModel& report, Rows rows) {
  terminal::print("\n{}\n", terminal_summary(report, columns_of(stdout), rows));
  const std::size_t bad = result.bad_points();
  if (bad > 0) {
    terminal::print("{} of {} points failed or could not be verified\n", bad, result.run.measurements.size());
  }
  if (const std::size_t bad_primitives = result.bad_primitives(); bad_primitives > 0) {
    terminal::print("{} of {} primitives failed or could not be verified\n", bad_primitives,
                    result.run.primitives.size());
  }
  for (const std::string& loss : result.losses) terminal::print("{}\n", loss);
  print_duration(result.run);
}

namespace {

namespace fs = std::filesystem;

void print_missing(const std::vector<PointId>& missing, std::size_t n_points, std::FILE* stream) {
  if (missing.empty()) return;
  terminal::print(stream, "not in the recording: {} of the plan's {} points; measuring them requires a GPU\n",
                  missing.size(), n_points);
  for (const PointId& point : missing) terminal::print(stream, "  {}\n", range_name(point));
}

/// `origin`: what the first line prints after device and date.
int end_replay(const Replay& replayed, const RunOptions& options, const std::string& origin) {
  const bool quiet = options.quiet;
  terminal::print(quiet ? stderr : stdout, "replayed, not measured: recording of {}, {}{}\n",
                  replayed.run.device().name, format::utc(replayed.run.started_utc), origin);
  const fs::path folder =
      create_run_folder(options.output, replayed.run.plan.name, std::chrono::system_clock::now());
  write_run(folder / "run.json", replayed.run);
  const Run written = as_written(replayed.run);
  const ReportModel report(written);
  write_reports(report, folder);
  if (!quiet) terminal::print("\n{}\n", terminal_summary(report, columns_of(stdout), options.rows()));
  for (const std::string& id : replayed.missing_primitives) {
    terminal::print(quiet ? stderr : stdout, "not in the recording: primitive {}\n", id);
  }
  print_missing(replayed.missing, all_points(replayed.run.plan).size(), quiet ? stderr : stdout);
  print_report(folder, options.verbosity());
  return 0;
}

}  // namespace

int replay_file(const Plan& plan, const RunOptions& options) {
  if (const auto replayed = replay_best(plan, {run_file(options.replay_file)})) {
    return end_replay(*replayed, options, fmt::format(" ({})", options.replay_file));
  }
  throw Error(
      ErrorKind::environment, fmt::format("{} contains no point of this plan", options.replay_file),
      "points match if variant, dtype, size, cache state, block size and elements per thread are the same");
}

int replay_shipped(const Plan& plan, const RunOptions& options, const CannotMeasure& why) {
  if (const auto replayed = replay_best(plan, shipped_recordings())) {
    return end_replay(*replayed, options, fmt::format(" (cannot measure here: {})", why.what()));
  }
  throw Error(ErrorKind::environment,
              fmt::format("{}; no recording contains any point of this plan", why.what()), why.hint());
}

}  // namespace rooflinectl
