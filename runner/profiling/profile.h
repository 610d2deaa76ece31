// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/error.h"
#include "core/model/run.h"
#include "core/program/profile_settings.h"
#include "core/program/timeline.h"
#include "runner/measuring/measure.h"
#include "runner/processes/processes.h"

namespace rooflinectl {

/// Whether the program is run again for kernels that one run could not count completely.
enum class Rerun {
  /// It took less than a minute, ended with 0, its standard input is no pipe, and it is not one of several
  /// ranks, which would wait for each other.
  where_harmless,
  never,
  always,  ///< whatever it did
};

/// A run to which the points of a program are added.
struct RunToExtend {
  Run run;
  std::filesystem::path folder;
  std::string experiment;  ///< that the points belong to
};

struct ProfileRequest {
  GuestProgram program;
  ProfileSettings settings;  ///< without what only this machine knows: folder, CUPTI, start
  Rerun rerun = Rerun::where_harmless;
  std::optional<std::chrono::duration<double>> time_limit;  ///< of each run of the program
  std::filesystem::path output;                             ///< the run's folder is made in here
  std::optional<RunToExtend> extended;                      ///< instead of a new run in `output`
  /// The program is not run: what it wrote is in the folder of `extended`.
  bool was_run = false;
  std::vector<std::string> command_line;  ///< ours
};

/// How far the processes of a program have come.
struct ProfileProgress {
  std::size_t processes = 0;
  std::uint64_t launches = 0;  ///< that the trace has delivered
  std::uint64_t groups = 0;
  std::uint64_t counted = 0;  ///< launches
  std::string pass;           ///< the one that began last; empty where nothing is counted

  bool operator==(const ProfileProgress&) const = default;
};

/// The program is run again for that many points, which have that share of the time of all kernels.
struct ProgramRunsAgain {
  std::size_t points = 0;
  double share = 0;
};

/// The ceilings of a device are about to be measured; each `MeasureEvent` is of that.
struct CeilingsBegin {
  const DeviceInfo& device;
};

struct ProfileWarning {
  std::string text;
};

/// What happens while a program is profiled: `ProfileProgress` several times a second while it runs.
using ProfileEvent =
    std::variant<ProfileProgress, ProgramRunsAgain, CeilingsBegin, ProfileWarning, MeasureEvent>;

/// Receives the progress of a profiled program.
using ProfileObserver = std::function<void(const ProfileEvent&)>;

struct ProfileResult {
  Run run;
  /// Holds `run.json`; empty where that could not be written, or no process of the program used CUDA.
  std::filesystem::path folder;
  std::optional<Timeline> timeline;  ///< as it was written beside `run.json`; nothing where there is none
  GuestEnd end;                      ///< of the first run of the program
  /// What did not work, besides the program itself: it was ended because it took too long, or launched
  /// nothing; or `run.json` could not be written, and the error names where it is instead.
  std::optional<Error> failure;
  /// Points that no run completed, although another one could, and their share of the time of all kernels.
  std::size_t incomplete_points = 0;
  double incomplete_share = 0;
};

/// Follows the record files of running processes. It tells their lines apart by how they begin, so that it
/// costs the program next to nothing.
class RecordWatch {
 public:
  /// `folder`: in which the files are.
  explicit RecordWatch(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Reads what has been written since the last call.
  const ProfileProgress& update();

 private:
  void read_on(const std::filesystem::path& path);
  void add(std::string_view line);

  std::filesystem::path folder_;
  std::map<std::filesystem::path, std::uint64_t> read_;  // bytes of each file
  ProfileProgress progress_;
};

/// The request for a program of a plan, whose points are added to `run`.
ProfileRequest request_for(const PlannedApplication& application, RunToExtend run);

/// Name of a run of that program: `train` for `python3 models/train.py --steps 20`; fit for a folder.
std::string program_name(const std::vector<std::string>& command);

/// The environment variables, besides our own, that the program is started with: they load
/// `librooflinectl-injection.so`, of this installation or the file that ROOFLINECTL_INJECTION names, which
/// writes records to `records`. Throws CannotMeasure if it is not there; Error(environment), naming the
/// variable and its value, where another tool has set one.
std::map<std::string, std::string> profiling_variables(const ProfileRequest& request,
                                                       const std::filesystem::path& records);

/// Runs the program, and again where `rerun` allows it, with the library that traces and counts its launches;
/// merges what its processes wrote; measures the ceilings of the devices that it used, or takes them from
/// earlier runs; writes `run.json`. What cannot be done after the program's end becomes a problem of the
/// application, or the failure of the result.
///
/// Throws as long as the program was not run: Error(usage) if there is no such program; Error(environment)
/// where the library is missing, another one is loaded into programs already, or the output folder cannot be
/// written.
ProfileResult profile(const ProfileRequest& request, const ProfileObserver& observer);

// A profile whose program ran, but whose rooflinectl was killed before it wrote `run.json`: the processes'
// records are still in the run's folder.

/// Where the records of a run of the program are, from 1.
std::filesystem::path records_folder(const std::filesystem::path& run_folder, int number);

/// Writes into the folder of the first records what they do not hold: the run's head, and what the library
/// was told. Throws Error(environment).
void keep_head(const std::filesystem::path& records, const Run& head, const ProfileSettings& settings);

/// The request that makes a run from what is in `folder`. Throws Error(usage) if there are no records, or the
/// run is complete; Error(environment) if a process that may write records still runs.
ProfileRequest unfinished_profile(const std::filesystem::path& folder);

}  // namespace rooflinectl
