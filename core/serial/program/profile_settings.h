// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/program/profile_settings.h"

namespace rooflinectl {

/// The environment variable in which the settings reach the program and all that it starts.
inline constexpr const char* kProfileVariable = "ROOFLINECTL_PROFILE";

/// The value of the variable.
std::string encode(const ProfileSettings& settings);

/// Reads it. Throws Error(environment) naming the variable and what is wrong with its value.
ProfileSettings decode_settings(std::string_view value);

}  // namespace rooflinectl
