// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

#include "core/model/run.h"

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

}  // namespace rooflinectl
