// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "core/model/run.h"
#include "runner/importing/imported_launch.h"

namespace rooflinectl {

/// What a file of another tool contains. `device` of launches and ceilings is a place in `devices`.
struct ImportedContent {
  ImportedFile file;
  std::vector<DeviceInfo> devices;
  std::vector<Ceiling> ceilings;  ///< theoretical
  std::vector<ImportedLaunch> launches;
};

/// Reads a file, whose content shows its format: a report of Nsight Compute, compressed or not, what `ncu
/// --csv` printed, an SQLite export of Nsight Systems, or a trace of PyTorch. Throws Error(usage) naming the
/// file if it is none of these, damaged from the start, or too large.
ImportedContent read_imported_file(const std::filesystem::path& path);

}  // namespace rooflinectl
