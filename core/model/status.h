// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace rooflinectl {

/// What became of something that was to be measured. skipped: this machine cannot do it, for want of GPUs or
/// of access between them.
enum class Status { ok, unverified, failed, skipped };

/// `ok`, `unverified`, `failed`, `skipped`
std::string_view to_string(Status status);

}  // namespace rooflinectl
