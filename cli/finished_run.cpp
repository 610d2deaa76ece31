// SPDX-License-Identifier: Apache-2.0
#include "cli/finished_run.h"

#include <cstdio>

#include "core/machine/ranks.h"
#include "reports/reports.h"
#include "runner/runs/run_folder.h"

namespace rooflinectl {

namespace fs = std::filesystem;

void make_latest(const fs::path& folder) {
  const auto rank = launcher_rank();
  if ((rank && !rank->is_first()) || link_latest(folder)) return;
  terminal::print(stderr, "warning: {} is not a link, and stays as it is: nothing links to this run\n",
                  (folder.parent_path() / "latest").string());
}

void print_report(const fs::path& folder, Verbosity verbosity) {
  terminal::print("{}{}\n",
                  verbosity == Verbosity::quiet ? "" : "report: ", (folder / "report.html").string());
  terminal::flush(stdout);
  make_latest(folder);
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
