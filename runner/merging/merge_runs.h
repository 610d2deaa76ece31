// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/model/run.h"
#include "core/program/timeline.h"

namespace rooflinectl {

struct MergeRequest {
  std::vector<std::filesystem::path>
      runs;                               ///< each a run.json, compressed or not, or the folder that has one
  std::filesystem::path output;           ///< the run's folder is made in here
  std::vector<std::string> command_line;  ///< ours
};

/// The most devices whose measurements a merged run has. Of more, it has those of devices that are spread
/// evenly from the one with the least time in kernels to the one with the most; of the others, what each
/// group took.
inline constexpr std::size_t kMostDevicesInFull = 8;

struct MergeResult {
  Run run;
  std::filesystem::path folder;       ///< holds `run.json`
  std::optional<Timeline> timeline;   ///< as it was written beside `run.json`; nothing where there is none
  std::vector<std::string> left_out;  ///< why a run could not be read, for each of these
  std::size_t merged = 0;             ///< how many runs are in it
};

/// Is told how many of the runs have been read.
using MergeProgress = std::function<void(std::size_t read, std::size_t all)>;

/// Joins runs of one program or plan, one per rank or host, and writes the result. What cannot be read is
/// left out, and named. Throws Error(usage) if fewer than two runs are left, or they cannot be of one launch;
/// Error(environment) if the result cannot be written.
MergeResult merge_runs(const MergeRequest& request, const MergeProgress& progress);

}  // namespace rooflinectl
