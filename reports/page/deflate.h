// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace rooflinectl {

/// The bytes compressed, in zlib's format (RFC 1950), which browsers call `deflate`; the same bytes give the
/// same result. Throws std::bad_alloc.
std::string deflated(std::string_view bytes);

}  // namespace rooflinectl
