// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <istream>
#include <string>
#include <string_view>

#include "core/program/profile_record.h"
#include "core/program/profile_settings.h"

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

}  // namespace rooflinectl
