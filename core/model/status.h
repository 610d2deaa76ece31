// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace rooflinectl {

/// What became of something that was to be measured.
enum class Status { ok, unverified, failed };

/// `ok`, `unverified`, `failed`
std::string_view to_string(Status status);

}  // namespace rooflinectl
