// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/model/run.h"
#include "core/program/timeline.h"

namespace rooflinectl {

/// The text of a `timeline.json` (`docs/schema/timeline.schema.json`).
std::string timeline_to_json(const Timeline& timeline);

/// Reads one that belongs to `run`. `name` is used in error messages. Throws Error(usage) naming the place
/// where the text is not a timeline, or not one of this run: it names a device or a point that the run does
/// not have.
Timeline timeline_from_json(std::string_view text, std::string_view name, const Run& run);

/// The timeline beside a `run.json`: `timeline.json.gz` in its folder.
std::filesystem::path timeline_file(const std::filesystem::path& run_file);

/// The timeline of a run, if there is one beside its file. Throws Error(usage) as `timeline_from_json` does,
/// and if it cannot be read or unpacked, or is larger than `kMaxFileBytes`.
std::optional<Timeline> read_timeline(const std::filesystem::path& run_file, const Run& run);

/// Writes the timeline of the run in that file. Throws Error(environment) as `write_file` does.
void write_timeline(const std::filesystem::path& run_file, const Timeline& timeline);

}  // namespace rooflinectl
