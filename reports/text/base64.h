// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace rooflinectl {

/// The bytes in letters, digits, `+` and `/` (RFC 4648), padded with `=`, in one line.
std::string base64(std::string_view bytes);

}  // namespace rooflinectl
