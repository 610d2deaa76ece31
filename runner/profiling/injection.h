// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "core/program/profile_settings.h"

/// The library that `rooflinectl profile` loads into a program, and how it gets there.
namespace rooflinectl {

/// `librooflinectl-injection.so` beside this program or in `../lib`, or the file that the environment
/// variable ROOFLINECTL_INJECTION names; absolute. Throws CannotMeasure if it is not there.
std::filesystem::path require_injection();

/// CUPTI of the CUDA 13 toolkit, for programs that do not bring their own: in the folders that CUDA_HOME and
/// CUDA_PATH name, the usual ones, and those of the system; absolute. Empty where there is none.
std::filesystem::path find_cupti();

/// The environment variables with which the program is started. Throws Error(environment), naming the
/// variable and its value, where one is already set: another tool is in use.
std::map<std::string, std::string> injection_variables(const std::filesystem::path& library,
                                                       const ProfileSettings& settings);

}  // namespace rooflinectl
