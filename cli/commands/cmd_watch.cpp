// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "cli/answers.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "cli/watch/metrics_server.h"
#include "cli/watch/watch_display.h"
#include "core/program/timeline.h"
#include "core/text/written_number.h"
#include "reports/reports.h"
#include "runner/watching/watch.h"

namespace rooflinectl {

namespace {

struct WatchOptions : WatchRequest {
  std::string time;  // empty for no limit
  std::string interval = "1ms";
  std::string exported;  // empty for nothing
  bool quiet = false;
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

/// The address in `openmetrics`, `openmetrics:PORT` or `openmetrics:ADDRESS:PORT`; nullopt if `text` is none
/// of them.
std::optional<MetricsAddress> export_address(const std::string& text) {
  constexpr std::string_view kFormat = "openmetrics";
  if (!text.starts_with(kFormat)) return std::nullopt;
  MetricsAddress address;
  std::string rest = text.substr(kFormat.size());
  if (rest.empty()) return address;
  if (rest[0] != ':') return std::nullopt;
  rest.erase(0, 1);
  if (const auto colon = rest.find(':'); colon != std::string::npos) {
    address.host = rest.substr(0, colon);
    rest.erase(0, colon + 1);
    in_addr ignored;
    if (inet_pton(AF_INET, address.host.c_str(), &ignored) != 1) return std::nullopt;
  }
  const auto port = parse_number<std::uint16_t>(rest);
  if (!port) return std::nullopt;
  address.port = *port;
  return address;
}

std::string export_mistake(const std::string& text) {
  return export_address(text) ? ""
                              : fmt::format(
                                    "'{}' is not openmetrics, openmetrics:PORT or openmetrics:ADDRESS:PORT, "
                                    "of an IPv4 address",
                                    text);
}

int watch_devices(const WatchOptions& options) {
  WatchRequest request = options;
  request.interval_ns = interval_from(options.interval, kShortestReadInterval).value_or(0);
  if (const auto seconds = seconds_from(options.time)) {
    request.time_limit = std::chrono::duration<double>(*seconds);
  }
  WatchDisplay display(options.quiet);
  std::optional<MetricsServer> server;
  if (!options.exported.empty()) server.emplace(*export_address(options.exported));
  Run watched;
  const WatchObserver observer = {.began =
                                      [&](const Run& run) {
                                        watched = run;
                                        display.began(run);
                                        if (server) terminal::print(stderr, "metrics: {}\n", server->url());
                                      },
                                  .seen =
                                      [&](double elapsed_s, const DeviceRates& rates) {
                                        display.seen(elapsed_s, rates);
                                        if (server) server->set(openmetrics_text(watched, rates));
                                      },
                                  .warned = [&](const std::string& text) { display.warned(text); }};
  const WatchResult result = watch(request, observer);
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

void add_watch_command(const Commands& commands) {
  const auto [command, options] = add_command(
      commands, "watch",
      "Show live what GPUs are doing, whichever programs use them; write a report on Ctrl-C", watch_devices);
  add_option(command, "-d,--device", "INDEX|UUID,...", options->devices,
             "GPUs: their indices or UUIDs as nvidia-smi -L prints them (default: all)")
      ->delimiter(',');
  add_option(command, "--for", "TIME", options->time, "End after this time: 10s, 5m, 2h")
      ->check(CLI::Validator(time_mistake, ""));
  add_option(command, "--interval", "INTERVAL", options->interval, "Time between samples, from 200us to 1s")
      ->check(CLI::Validator(read_interval_mistake, ""))
      ->capture_default_str();
  add_option(command, "-o,--output", "DIR", options->output, "Folder in which to create watch/<UTC time>/")
      ->capture_default_str();
  add_option(command, "--export", "openmetrics[:[ADDRESS:]PORT]", options->exported,
             "Serve what is seen to Prometheus, each second anew, at http://127.0.0.1:9401/metrics or "
             "the address given")
      ->check(CLI::Validator(export_mistake, ""));
  command->add_flag("-q,--quiet", options->quiet, "Print only the path of the report, and errors");
  command->footer(
      "Samples hardware counters of the whole GPU, runs nothing on it and touches no\n"
      "program. Fails if another profiler holds the GPU's counters. A run keeps the\n"
      "newest 100,000 samples.\n"
      "\n"
      "Examples:\n"
      "  rooflinectl watch\n"
      "  rooflinectl watch --device 0 --for 10s\n"
      "  rooflinectl watch --interval 20ms --for 30m --quiet\n"
      "  rooflinectl watch --quiet --export openmetrics");
}

}  // namespace rooflinectl
