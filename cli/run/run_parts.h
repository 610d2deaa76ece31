// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/terminal.h"
#include "core/model/plan.h"
#include "reports/formats/formats.h"
#include "runner/machine/catalogue.h"
#include "runner/measuring/measure.h"

namespace rooflinectl {

/// What `rooflinectl run` was asked for.
struct RunOptions {
  std::string plan_file;
  std::vector<std::string> devices = {"0"};
  bool names_devices = false;
  bool together = false;
  std::string output = "runs";
  bool no_counters = false;
  bool self_test = false;
  bool dry_run = false;
  bool json = false;
  bool require_gpu = false;
  bool fresh = false;
  bool watch = false;
  bool sanitize = false;
  bool all = false;
  bool quiet = false;
  bool verbose = false;
  std::string replay_file;
  std::string resumed_folder;
  std::vector<std::string> command_line;

  Rows rows() const { return all ? Rows::all : Rows::notable; }
  Verbosity verbosity() const {
    if (quiet) return Verbosity::quiet;
    return verbose ? Verbosity::verbose : Verbosity::normal;
  }
};

/// Prints what `--dry-run` shows of a plan: its points and an estimate of their time, or with `--json` the
/// request for the collector. Throws Error(usage) for a request for several devices.
void print_dry_run(const Plan& plan, const RunOptions& options);

/// Writes the reports of the recording that `options` name. Returns the exit code. Throws Error(environment)
/// if it has no point of the plan.
int replay_file(const Plan& plan, const RunOptions& options);

/// The same for the shipped recording that has most of the plan, on a machine that cannot measure.
int replay_shipped(const Plan& plan, const RunOptions& options, const CannotMeasure& why);

/// The first exit code that stands for a signal is the one after this.
inline constexpr int kStoppedBySignal = 128;

/// Calls `measure`, which measures a plan, prints its results and returns the exit code, with the plan that
/// `options` name, and again each time that its file or a source of its kernels has changed; prints in a line
/// what changed since the last version. Mistakes in the files are printed, and waited for. Returns when a
/// signal stopped a measurement. Throws Error for anything but the user's mistakes.
int watch_plan(const RunOptions& options, const std::function<int(const Plan&)>& measure);

/// Prints the tables of a run that was measured, what was lost, and how long it took.
void print_summary(const MeasureResult& result, const ReportModel& report, Rows rows);

}  // namespace rooflinectl
