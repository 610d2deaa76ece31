// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/files.h"
#include "core/run.h"

namespace rooflinectl {

/// The run that `expected/` shows: the shipped recording.
inline Run golden_run() {
  const std::filesystem::path path =
      std::filesystem::path(ROOFLINECTL_SOURCE_FOLDER) / "recordings" / "reductions-h200" / "run.json";
  return run_from_json(read_file(path), path.string());
}

}  // namespace rooflinectl
