// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/model/run.h"
#include "core/program/profile_settings.h"
#include "core/program/timeline.h"

namespace rooflinectl {

/// What the processes of a profiled program wrote.
struct ProfiledRuns {
  std::string experiment;    ///< name of the points' experiment
  ProfileSettings settings;  ///< of the first run
  /// The record files of each run of the program, the first run first. Times come from the first, counts from
  /// all of them.
  std::vector<std::vector<std::filesystem::path>> files;
};

/// What another run would have to know of a point.
struct PointDetails {
  std::string symbol;         ///< of the kernel or CUDA graph, as the records have it
  std::vector<Pass> missing;  ///< passes that counted none of its launches, although another run's could
  double longest_s = 0;       ///< of its launches with a time; 0 where none has one
};

/// The runs of a program, merged.
struct MergedProfile {
  /// Those that were used, in the order of their appearance. Only UUID, chip and CUPTI version are known.
  std::vector<DeviceInfo> devices;
  std::vector<Measurement> measurements;  ///< the longest total first
  std::vector<PointDetails> details;      ///< of each measurement
  /// Without command line, exit code, wall time and number of runs.
  Application application;
  int passes = 0;                    ///< in which something was counted
  std::optional<Timeline> timeline;  ///< of the first run; nothing where nothing was sampled
};

/// The most points that a run of a program has; those that took the least time are left out, and named.
inline constexpr std::size_t kMaxProfiledPoints = 10'000;

/// How much is kept.
struct MergeBounds {
  std::size_t points = kMaxProfiledPoints;
  std::size_t samples = kMostSamples;  ///< of a device
};

/// Merges the records into points: launches on one device with the same kernel, grid, block, dynamic shared
/// memory, cluster and NVTX path (`collapsed_paths`), whichever process made them. Reads the files a line at
/// a time, and twice; keeps 40 bytes a launch.
///
/// The time of a point is that of its launches that were traced and not counted, where these are as many as
/// the counted ones; else that of all. What is missing, because a process ended without notice or records
/// were lost, becomes a problem of the application; nothing here throws for what a file holds. Throws
/// Error(usage) if the kernel expression is not valid.
MergedProfile merge_profiles(const ProfiledRuns& runs, const MergeBounds& bounds = {});

/// A point of which a pass has counted no launch, although it could.
struct IncompletePoint {
  std::size_t place = 0;      ///< in `MergedProfile::measurements`
  double share = 0;           ///< of the time of all kernels
  std::vector<Pass> missing;  ///< in their order
};

/// Points with more than 1 % of the time of all kernels that another run of the program could complete, the
/// longest first.
std::vector<IncompletePoint> incomplete_points(const MergedProfile& profile);

/// Those that the next run is for: the ones whose first missing pass is the earliest. A kernel that is
/// launched once is counted in the first pass of a run, so that run must not be for a kernel that has this
/// pass already.
std::vector<IncompletePoint> points_of_next_run(const std::vector<IncompletePoint>& points);

/// What another run counts: no more than `points` lack. It also knows how long their kernels take, so it can
/// hold the program as long for them.
ProfileSettings settings_for(const std::vector<IncompletePoint>& points, const MergedProfile& profile,
                             ProfileSettings settings);

}  // namespace rooflinectl
