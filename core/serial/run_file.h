// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/model/run.h"

namespace rooflinectl {

/// The file of the run that `run` names: itself, or `run.json` in the folder that it is, or `run.json.gz`
/// where the folder has only that.
std::filesystem::path run_file(const std::filesystem::path& run);

/// The same for several.
std::vector<std::filesystem::path> run_files(const std::vector<std::string>& runs);

/// The text of a `run.json`, compressed with gzip or not, whatever its name. Throws Error(usage) as
/// `read_run`.
std::string run_text(const std::filesystem::path& file);

/// Reads a `run.json`, compressed with gzip or not, whatever its name. Throws Error(usage) naming the file if
/// it cannot be read or unpacked, if it is larger than `kMaxFileBytes`, packed or unpacked, or as
/// `run_from_json` does.
Run read_run(const std::filesystem::path& file);

/// The same without what takes most of the file: counters, single times of points, and their times over the
/// run are empty, and not looked at.
Run read_run_without_details(const std::filesystem::path& file);

/// Writes a `run.json`, compressed where the name of the file ends in `.gz`. Throws Error(environment) as
/// `write_file` does.
void write_run(const std::filesystem::path& file, const Run& run);

/// The run as it will be read again: numbers have the digits that are written. Reports of a run that is not
/// read from its file are made of this, so that they stay the same when they are drawn again.
Run as_written(const Run& run);

}  // namespace rooflinectl
