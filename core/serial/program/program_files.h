// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <istream>
#include <optional>
#include <string>
#include <string_view>

#include "core/model/run.h"
#include "core/program/profile_record.h"
#include "core/program/profile_settings.h"
#include "core/program/timeline.h"

namespace rooflinectl {

/// One line, without the newline.
std::string encode(const ProfileRecord& record);

/// Reads a line. Throws Error(usage) if it is not a record.
ProfileRecord decode_record(std::string_view line);

/// Reads a file of records, one line at a time, and calls `visit` with each. `name` is used in error
/// messages. Returns whether the last line is incomplete and was left out: the process ended while writing
/// it, or the disk was full. Throws Error(environment) naming the line that is not a record, or that names a
/// kernel, group or sampled device that no line before it has.
bool visit_profile(std::istream& file, std::string_view name,
                   const std::function<void(const ProfileRecord&)>& visit);

/// The environment variable in which the settings reach the program and all that it starts.
inline constexpr const char* kProfileVariable = "ROOFLINECTL_PROFILE";

/// The value of the variable.
std::string encode(const ProfileSettings& settings);

/// Reads it. Throws Error(environment) naming the variable and what is wrong with its value.
ProfileSettings decode_settings(std::string_view value);

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
