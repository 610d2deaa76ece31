// SPDX-License-Identifier: Apache-2.0
#include "cli/analysed_runs.h"

#include "cli/terminal.h"
#include "core/error.h"
#include "core/serial/run_file.h"
#include "core/serial/timeline_file.h"

namespace rooflinectl {

namespace {

std::vector<AnalysedRun> read_runs(const std::vector<std::string>& names) {
  std::vector<AnalysedRun> runs;
  for (const std::string& name : names) runs.push_back({name, read_run(run_file(name))});
  return runs;
}

}  // namespace

RunsToCompare read_runs_to_compare(const std::vector<std::string>& runs,
                                   const std::vector<std::string>& baseline) {
  if (!baseline.empty()) return {read_runs(baseline), read_runs(runs)};
  if (runs.size() < 2) {
    throw Error(ErrorKind::usage, "compare needs at least two runs: the base and a new one",
                "name both, or pass the base runs with --baseline");
  }
  return {read_runs({runs.front()}), read_runs({runs.begin() + 1, runs.end()})};
}

std::optional<Timeline> timeline_beside(const std::filesystem::path& run_file, const Run& run) {
  try {
    return read_timeline(run_file, run);
  } catch (const Error& error) {
    terminal::print(stderr, "warning: the report has no timeline: {}\n", error.what());
    return std::nullopt;
  }
}

}  // namespace rooflinectl
