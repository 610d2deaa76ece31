// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/model/run.h"

namespace rooflinectl {

struct ImportRequest {
  std::vector<std::filesystem::path> files;
  std::optional<std::filesystem::path> ceilings;  ///< a run with measured ceilings of the same GPU
  std::filesystem::path output;                   ///< the run's folder is made in here
  std::vector<std::string> command_line;          ///< ours
};

struct ImportResult {
  Run run;
  std::filesystem::path folder;  ///< holds `run.json`
};

/// Makes one run from what other tools wrote, and writes it. What a file lacks is unavailable with the
/// reason; what is damaged, and how much of the file was kept, is in `Run::imports`. Throws Error(usage)
/// naming the file if nothing in it can be read, or the ceilings are not of the same GPU; Error(environment)
/// if the run cannot be written.
ImportResult import_files(const ImportRequest& request);

}  // namespace rooflinectl
