// SPDX-License-Identifier: Apache-2.0
#include "cli/analysed_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "analysis/compare/run_digest.h"
#include "cli/terminal.h"
#include "core/error.h"
#include "core/serial/program/timeline_file.h"
#include "core/serial/run_file.h"
#include "core/serial/run_index.h"
#include "runner/version.h"

namespace rooflinectl {

namespace {

/// A run's folder, where its file is called as usual.
std::string name_of_run(const std::filesystem::path& file) {
  const bool is_usual = file.filename() == "run.json" || file.filename() == "run.json.gz";
  return (is_usual && file.has_parent_path() ? file.parent_path() : file).string();
}

/// Of this program: its commit changes what it makes of a run.
std::string version_text() {
  return fmt::format("{} {}", tool_version(), tool_commit());
}

}  // namespace

std::vector<AnalysedRun> read_runs(const std::vector<std::string>& names) {
  std::vector<AnalysedRun> runs;
  for (const std::string& name : names) runs.push_back({name, read_run(run_file(name))});
  return runs;
}

RunsToCompare read_runs_to_compare(const std::vector<std::string>& runs,
                                   const std::vector<std::string>& baseline) {
  if (!baseline.empty()) return {read_runs(baseline), read_runs(runs)};
  if (runs.size() < 2) {
    throw Error(ErrorKind::usage, "compare needs at least two runs: the base and a new one",
                "name both, or pass the base runs with --baseline");
  }
  return {read_runs({runs.front()}), read_runs({runs.begin() + 1, runs.end()})};
}

RunsOverTime read_runs_over_time(const std::vector<std::string>& names,
                                 const std::vector<std::string>& counters) {
  RunsOverTime result;
  result.files = run_files_below(names);
  ProgressDisplay display(stderr);
  std::deque<RunIndex> indices;
  for (const std::string& name : names) indices.emplace_back(name, version_text());
  DigestReader digests;
  const auto read = [&](const std::filesystem::path& file) {
    const auto index =
        std::find_if(indices.begin(), indices.end(), [&](const RunIndex& of) { return of.covers(file); });
    const auto state = index != indices.end() ? RunIndex::state_of(file) : std::nullopt;
    if (const auto known = state ? index->find(file, *state) : std::nullopt) {
      auto run = digests.read(name_of_run(file), known->shared, known->own, counters);
      if (run) return std::move(*run);
    }
    const RunDigest digest = digest_of(AnalysedRun(name_of_run(file), read_run(file)));
    if (state) index->add(file, *state, {digest.shared, digest.own});
    return digests.read(name_of_run(file), digest.shared, digest.own, counters).value();
  };
  read_in_parallel(result.files, read, [&](std::size_t i, std::future<AnalysedRun>& reading) {
    try {
      result.runs.push_back(reading.get());
    } catch (const Error& error) {
      const std::string reason = fmt::format("cannot be read: {}", error.what());
      result.damaged.push_back({name_of_run(result.files[i]), reason});
    }
    display.status(fmt::format("read {} of {} runs", i + 1, result.files.size()));
  });
  for (const RunIndex& index : indices) index.save();
  return result;
}

AnalysedRun as_run_over_time(const AnalysedRun& run) {
  const RunDigest digest = digest_of(run);
  return DigestReader().read(run.name, digest.shared, digest.own).value();
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
