// SPDX-License-Identifier: Apache-2.0
#include "cli/finished_run.h"

#include <cstdio>

#include "reports/reports.h"
#include "runner/runs/run_folder.h"

namespace rooflinectl {

namespace fs = std::filesystem;

void print_report(const fs::path& folder, Verbosity verbosity) {
  terminal::print("{}{}\n",
                  verbosity == Verbosity::quiet ? "" : "report: ", (folder / "report.html").string());
  terminal::flush(stdout);
  link_latest(folder);
}

void finish_run(const ReportModel& report, const fs::path& folder, Verbosity verbosity, Rows rows,
                std::string_view note) {
  write_reports(report, folder);
  if (verbosity != Verbosity::quiet) {
    terminal::print("{}\n{}", terminal_summary(report, columns_of(stdout), rows), note);
  }
  print_report(folder, verbosity);
}

}  // namespace rooflinectl
