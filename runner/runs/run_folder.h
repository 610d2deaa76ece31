// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/files/files.h"
#include "core/machine/ranks.h"
#include "core/model/plan.h"
#include "core/model/run.h"

namespace rooflinectl {

/// `2026-11-21T09:30:00Z`
std::string utc_time(std::chrono::system_clock::time_point time);

/// The name of a run that has no plan with one: `text`, cut, with `_` for what a name must not have;
/// `otherwise` for an empty one.
std::string plain_name(std::string text, const char* otherwise);

/// Makes the folder of a new run, `<parent>/<plan_name>/<UTC time>`, or `<UTC time>-rank07` for one rank
/// of several; with a number added if a run began in the same second. Throws Error(environment) if it cannot
/// be made or written to.
std::filesystem::path create_run_folder(const std::filesystem::path& parent, const std::string& plan_name,
                                        std::chrono::system_clock::time_point time,
                                        const std::optional<LauncherRank>& rank = {});

/// The rank in the name of a folder that `create_run_folder` made; nothing if it is not one rank's of
/// several.
std::optional<int> rank_of(const std::filesystem::path& folder);

/// Removes the folder of a run of which there is nothing to keep, and that of its plan unless other runs are
/// in there. What cannot be removed stays.
void remove_run_folder(const std::filesystem::path& folder);

/// For a run that `why` keeps from being written to its folder: writes its `run.json` into a new one among
/// the temporary files. Returns the error that reports it; throws Error(environment) if that fails too.
Error rescue_run(const Run& run, const Error& why);

/// Makes the link `latest` next to `run_folder` point to it, replacing an earlier link atomically. Returns
/// whether it does: a file or a folder of that name is the user's, and stays. Throws Error(environment).
bool link_latest(const std::filesystem::path& run_folder);

/// Keeps a second rooflinectl from writing to the same run's folder, for as long as this object lives.
class FolderLock {
 public:
  FolderLock() = default;
  /// Throws Error(environment) if another program holds it. A file system without locks counts as free.
  explicit FolderLock(const std::filesystem::path& folder);

 private:
  FileDescriptor folder_;
};

/// A run that is resumed: what it lacks is measured into the same folder.
struct UnfinishedRun {
  Run run;
  std::filesystem::path folder;
};

/// The run in `path`, a run's folder or its `run.json`. Throws Error(usage) if there is none, if it is a
/// recording, if it has ceilings of several devices and nothing else, or if another build of this program
/// measured it: then its numbers are not comparable with new ones.
UnfinishedRun load_unfinished(const std::filesystem::path& path);

/// The places in `run.devices` of those that the plan is measured on; the others were only used by a program
/// that was profiled.
std::vector<std::size_t> measured_devices(const Run& run);

/// Throws Error(usage) that names what differs if `here` is not the GPU that the run was measured on, or has
/// another driver.
void require_same_device(const UnfinishedRun& unfinished, const DeviceInfo& here);

/// A recorded run in place of a measured one.
struct Replay {
  Run run;                       ///< of the plan asked for, with the recording's device, date and numbers
  std::vector<PointId> missing;  ///< points of the plan that the recording lacks
  std::vector<std::string> missing_primitives;
};

/// Answers `plan` from `recording`. A point is found if the recording has one with the same variant, dtype,
/// size, cache state, block size, elements per thread and launch mode, whatever its experiment was called.
Replay replay(const Plan& plan, const Run& recording);

/// The replay from the recording among `recordings` with the most points and primitives of the plan;
/// nothing if none has any. Throws Error(usage) if a recording cannot be read.
std::optional<Replay> replay_best(const Plan& plan, const std::vector<std::filesystem::path>& recordings);

/// The folder of the plans, examples and recordings that come with this program; empty if they are not there.
std::filesystem::path shipped_folder();

/// The `run.json` files that come with this program, sorted.
std::vector<std::filesystem::path> shipped_recordings();

}  // namespace rooflinectl
