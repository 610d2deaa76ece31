// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/compare/comparison.h"
#include "analysis/compare/history.h"
#include "core/model/plan.h"
#include "core/program/timeline.h"

namespace rooflinectl {

/// Reads `runs`, each a run.json, compressed or not, or the folder that holds one. Throws Error(usage) if one
/// cannot be read.
std::vector<AnalysedRun> read_runs(const std::vector<std::string>& runs);

/// The runs that a comparison or a gate is about.
struct RunsToCompare {
  std::vector<AnalysedRun> baseline;
  std::vector<AnalysedRun> now;
};

/// Reads `runs`. The first of them is the baseline, unless `baseline` names others. Throws Error(usage) if
/// nothing is left to compare, or a run cannot be read.
RunsToCompare read_runs_to_compare(const std::vector<std::string>& runs,
                                   const std::vector<std::string>& baseline);

/// Runs over time, as far as they can be read, with what a history needs of them (`DigestReader::read`).
struct RunsOverTime {
  std::vector<std::filesystem::path> files;  ///< of all of them
  std::vector<AnalysedRun> runs;
  std::vector<LeftOutRun> damaged;
};

/// Reads the runs that `names` name, and those in folders below them, several at a time, each with these
/// counters. Throws Error(usage) if a folder has none.
RunsOverTime read_runs_over_time(const std::vector<std::string>& names,
                                 const std::vector<std::string>& counters = {});

/// The same of a run that was read.
AnalysedRun as_run_over_time(const AnalysedRun& run);

/// The timeline beside the file of `run`, if there is one. Prints a warning where it cannot be read: the rest
/// of the run is still worth a report.
std::optional<Timeline> timeline_beside(const std::filesystem::path& run_file, const Run& run);

/// Reads a plan that may name what `load_catalogue()` holds; a file of kernels
/// whose comments describe them, or a folder of such, is one too. Throws Error(usage) with every mistake in
/// it, or if the file is a program.
Plan load_plan(const std::string& file);

/// Whether a file by its name may have kernels: .cu or .py.
bool is_kernel_file(const std::filesystem::path& path);

}  // namespace rooflinectl
