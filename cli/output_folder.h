// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace rooflinectl {

/// Makes `folder`, with all above it, unless it is there, and returns it. Throws Error(environment).
std::filesystem::path make_folder(const std::filesystem::path& folder);

}  // namespace rooflinectl
