// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/duration_option.h"
#include "cli/finished_run.h"
#include "cli/terminal.h"
#include "cli/watch_display.h"
#include "core/model/timeline.h"
#include "reports/reports.h"
#include "runner/watching/watch.h"

namespace rooflinectl {

namespace {

struct WatchOptions {
  std::vector<std::string> devices;
  std::string time;  // empty for no limit
  std::string interval = "1ms";
  std::string output = "runs";
  bool quiet = false;
  std::vector<std::string> command_line;
};

std::string read_interval_mistake(const std::string& text) {
  return interval_from(text, kShortestReadInterval)
             ? ""
             : fmt::format("'{}' is not an interval from 200us to 1s (for example 1ms)", text);
}

constexpr double kLongestTimeS = 365.0 * 24 * 3600;

std::string time_mistake(const std::string& text) {
  const auto seconds = seconds_from(text);
  if (!seconds || *seconds <= 0)
    return fmt::format("'{}' is not a duration (for example 10s, 5m or 2h)", text);
  return *seconds <= kLongestTimeS ? "" : fmt::format("'{}' is longer than a year", text);
}

int watch_devices(const WatchOptions& options) {
  WatchRequest request;
  request.devices = options.devices;
  request.interval_ns = interval_from(options.interval, kShortestReadInterval).value_or(0);
  if (const auto seconds = seconds_from(options.time)) {
    request.time_limit = std::chrono::duration<double>(*seconds);
  }
  request.output = options.output;
  request.command_line = options.command_line;
  WatchDisplay display(options.quiet);
  const WatchResult result = watch(request, display);
  if (!result.folder.empty()) {
    write_reports(ReportModel(result.run, {}, &*result.timeline), result.folder);
    if (!options.quiet) terminal::print("\n");
    print_report(result.folder, options.quiet ? Verbosity::quiet : Verbosity::normal);
  } else if (!result.failure) {
    terminal::print(stderr, "no samples were taken: use a longer --for\n");
  }
  if (result.failure) throw *result.failure;
  return 0;
}

}  // namespace

void add_watch_command(CLI::App& app, Action& action, int argc, char** argv) {
  const auto options = std::make_shared<WatchOptions>();
  options->command_line.assign(argv, argv + argc);
  CLI::App* const command = app.add_subcommand(
      "watch", "Show live what GPUs are doing, whichever programs use them; write a report on Ctrl-C");
  command
      ->add_option("-d,--device", options->devices,
                   "GPUs: their indices or UUIDs as nvidia-smi -L prints them (default: all)")
      ->delimiter(',')
      ->type_name("INDEX|UUID,...");
  command->add_option("--for", options->time, "End after this time: 10s, 5m, 2h")
      ->check(CLI::Validator(time_mistake, ""))
      ->type_name("TIME");
  command->add_option("--interval", options->interval, "Time between samples, from 200us to 1s")
      ->check(CLI::Validator(read_interval_mistake, ""))
      ->type_name("INTERVAL")
      ->capture_default_str();
  command->add_option("-o,--output", options->output, "Folder in which to create watch/<UTC time>/")
      ->type_name("DIR")
      ->capture_default_str();
  command->add_flag("-q,--quiet", options->quiet, "Print only the path of the report, and errors");
  command->footer(
      "Samples hardware counters of the whole GPU, runs nothing on it and touches no\n"
      "program. Fails if another profiler holds the GPU's counters. A run keeps the\n"
      "newest 100,000 samples.\n"
      "\n"
      "Examples:\n"
      "  rooflinectl watch\n"
      "  rooflinectl watch --device 0 --for 10s\n"
      "  rooflinectl watch --interval 20ms --for 30m --quiet");
  command->callback([&action, options] { action = [options] { return watch_devices(*options); }; });
}

}  // namespace rooflinectl
