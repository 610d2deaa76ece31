// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "core/model/run.h"
#include "core/serial/run_file.h"

namespace rooflinectl {

/// A run among the shipped recordings.
inline Run recorded_run(const std::string& name) {
  const std::filesystem::path path =
      std::filesystem::path(ROOFLINECTL_SOURCE_FOLDER) / "recordings" / name / "run.json.gz";
  return read_run(path);
}

/// The run that `expected/` shows.
inline Run golden_run() {
  return recorded_run("reductions-h200");
}

}  // namespace rooflinectl
