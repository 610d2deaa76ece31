// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>

#include "cli/run/run_parts.h"
#include "cli/terminal.h"
#include "reports/text/format.h"

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

}  // namespace rooflinectl
