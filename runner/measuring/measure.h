// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/error.h"
#include "core/machine/ranks.h"
#include "core/model/run.h"
#include "core/serial/protocol.h"
#include "runner/runs/run_folder.h"

namespace rooflinectl {

/// What is known once the first collector has said hello.
struct MeasureStart {
  const Run& run;  ///< its device, plan and counter session
  std::filesystem::path folder;
  bool is_resumed = false;
  bool wants_counters = true;
  std::size_t points_to_measure = 0;
  std::size_t points_to_count = 0;       ///< that are measured and lack only their counters
  std::size_t points_with_counters = 0;  ///< done or not
  std::size_t primitives_to_measure = 0;
};

/// What the work of a phase is called: `timing`.
std::string_view activity(message::Phase phase);

/// Ceilings from earlier runs were reused.
struct ReusedCeilings {
  std::size_t ceilings = 0;
  std::string measured_utc;  ///< of the newest, in ISO 8601
};

/// A line of the collector's log.
struct CollectorLine {
  std::string text;
};

struct MeasureWarning {
  std::string text;
};

/// No collector runs any more.
struct MeasureEnd {};

/// What happens while a plan is measured.
using MeasureEvent = std::variant<MeasureStart, message::Progress, SelfTest, Ceiling, PrimitiveResult,
                                  Measurement, ReusedCeilings, CollectorLine, MeasureWarning, MeasureEnd>;

/// Receives the progress of a measurement.
using MeasureObserver = std::function<void(const MeasureEvent&)>;

struct MeasureRequest {
  Plan plan;
  std::vector<CompiledKernel> compiled_kernels;  ///< the plan's kernels from files, for the device
  std::filesystem::path references;              ///< the folder with the results of those in Python
  std::string device;                            ///< index or UUID
  bool counters = true;
  bool self_test = false;           ///< count kernels of known work first
  std::filesystem::path collector;  ///< the executable
  std::filesystem::path output;     ///< the run's folder is made in here
  /// The run to continue in its own folder; `plan` is then its plan, `device` its device, or one of them.
  std::optional<UnfinishedRun> unfinished;
  std::vector<std::string> command_line;
  bool fresh_ceilings = false;  ///< also measure those that an earlier run has measured on this device
  bool skip_ceilings = false;   ///< measure none, not even those that every run has
  /// Set if a launcher started this process and others with the same plan. They measure points over several
  /// GPUs together, as long as none of their collectors dies.
  std::optional<LauncherRank> rank;
};

struct MeasureResult {
  Run run;
  /// Holds `run.json`; empty if the run was stopped before there was anything to keep.
  std::filesystem::path folder;
  /// Ceilings and counters that were lost to a crash or a hang, with the cause; failed points record it
  /// themselves.
  std::vector<std::string> losses;
  /// Why the run ended before its plan did.
  std::optional<int> stop_signal;
  std::optional<Error> stopped_by;

  /// Points that failed or could not be verified.
  std::size_t bad_points() const;
  /// Primitives that failed or gave a wrong result.
  std::size_t bad_primitives() const;
  /// There are counters, and they failed a self-test.
  bool counters_are_suspect() const;
};

/// Measures a plan in a collector process and keeps every result on disk as it comes. A point that crashes or
/// hangs the collector is marked as failed with its cause, and a new collector continues with the next one.
/// Ceilings that are known from earlier runs are not measured again, and new ones are kept for later runs.
///
/// Throws as long as nothing has been written: CannotMeasure if the collector finds no GPU or does not start;
/// Error for a device that is not there, or not the one of the unfinished run, or an output folder that
/// cannot be written. Throws Error(environment) at the end if the disk is full; it names the file that the
/// results are in.
MeasureResult measure(const MeasureRequest& request, const MeasureObserver& observer);

}  // namespace rooflinectl
