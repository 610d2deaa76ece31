// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/program/imported_file.h"

namespace rooflinectl {

/// Sets `replay`, `clock_control`, `cache_control` and `sections` of the file to what ncu does when it is
/// called like this: what an option sets, else the default of its version, which is already in the file
/// (Nsight Compute CLI documentation, “Command Line Options”).
void set_ncu_options(ImportedFile& file, std::string_view command_line);

}  // namespace rooflinectl
