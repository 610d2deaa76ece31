// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace rooflinectl {

/// SHA-256 of `text` in 64 hexadecimal digits, as `sha256sum` prints it.
std::string sha256(std::string_view text);

}  // namespace rooflinectl
