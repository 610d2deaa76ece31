// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace rooflinectl {

/// `0.1.0`
std::string_view tool_version();
/// The commit that this was built from, `-dirty` added if files had been changed; `unknown` outside a
/// repository.
std::string_view tool_commit();

}  // namespace rooflinectl
