// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "core/machine/catalogue.h"
#include "core/model/agreement.h"
#include "core/model/run.h"
#include "runner/processes/processes.h"

namespace rooflinectl {

/// What a cross-check starts from.
struct CrossCheckRequest {
  const Run& run;
  std::optional<std::filesystem::path> collector;  ///< the executable; not needed where a file is given
  std::filesystem::path folder;                    ///< what the tools record is left here
  int stop_fd = -1;                                ///< where it becomes readable, the tool is ended
};

/// The outcome of a check. Failures are not thrown: they are the check's `reason`, with a hint.
struct CheckOutcome {
  CrossCheck check;
  bool is_file_wrong =
      false;  ///< what was recorded before cannot be read, or nothing in it could be compared
};

/// Whether rooflinectl launches points of the run itself; those of a profiled program only ncu can check.
bool has_own_points(const Run& run);

/// The points of the run, measured again under another tool, or taken from what it recorded before.

/// Nsight Compute, which also runs a profiled program again. `recorded`: a CSV file that it printed, or a
/// `.ncu-rep` or `.ncu-repz`.
CheckOutcome cross_check_with_ncu(const CrossCheckRequest& request,
                                  const std::optional<std::filesystem::path>& recorded);

/// Nsight Systems. `recorded`: a SQLite database that it exported, or a `.nsys-rep`.
CheckOutcome cross_check_with_nsys(const CrossCheckRequest& request,
                                   const std::optional<std::filesystem::path>& recorded);

/// A program of that name on the PATH, or where NVIDIA's packages put theirs. Nothing if it is nowhere.
std::optional<std::filesystem::path> find_tool(const std::string& name);

/// `2025.3.1` in what the program prints for --version within ten seconds: the first three numbers of a word
/// that begins with a year; empty if there is none, or the program fails.
std::string version_of_tool(const std::filesystem::path& program);

/// Something that a tool cannot do here, and what to do about it.
struct Shortcoming {
  std::string cause;
  std::string fix;
};

/// What `ncu` or `nsys` of that version, as `version_of_tool` gives it, cannot do with the collector's
/// kernels because it is older than CUDA 13. Nothing if it is not, or its version is unknown.
std::optional<Shortcoming> too_old(CrossCheckTool tool, const std::string& version);

/// QdstrmImporter, in the host folder of this nsys: makes a report from the `.qdstrm` that nsys recorded.
/// Some packages split it off, some put it where nsys itself does not find it.
std::optional<std::filesystem::path> find_importer(const std::filesystem::path& nsys);

/// What a tool printed that was run to its end. Throws Error(environment) if it failed, or did not finish in
/// time.
std::string require_output(const std::filesystem::path& tool, const FinishedProgram& finished);

/// Makes `database`, in SQLite, from a report of Nsight Systems, which only nsys itself can read; `limit` and
/// `stop_fd` as for `run_program`. Throws Error(environment).
void export_nsys_sqlite(const std::filesystem::path& nsys, const std::filesystem::path& report,
                        const std::filesystem::path& database, std::chrono::seconds limit, int stop_fd = -1);

/// Nsight Compute: found, its version, whether that is new enough, and whether it may count here.
Check ncu_check();

/// Nsight Systems: found, its version, whether that is new enough, and whether it has the importer that makes
/// a report from what it recorded.
Check nsys_check();

}  // namespace rooflinectl
