// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

namespace rooflinectl {

/// `$XDG_CACHE_HOME/rooflinectl`, else `~/.cache/rooflinectl`; nothing if neither is known.
std::optional<std::filesystem::path> cache_folder();

}  // namespace rooflinectl
