// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/progress/progress.h"
#include "reports/formats/terminal.h"

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

}  // namespace rooflinectl
