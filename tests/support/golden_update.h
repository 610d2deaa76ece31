// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <string_view>

namespace rooflinectl {

/// Rewrites the expected files and the generated parts of documents, from the root of a clone. Failing tests
/// print it.
inline constexpr std::string_view kGoldenUpdateCommand =
    "ROOFLINECTL_UPDATE_GOLDENS=1 ctest --preset cpu -L golden";

/// Whether this process was started by it.
inline bool is_golden_update() {
  return std::getenv("ROOFLINECTL_UPDATE_GOLDENS") != nullptr;
}

}  // namespace rooflinectl
