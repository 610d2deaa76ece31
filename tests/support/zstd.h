// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <zstd.h>

#include <string>

namespace rooflinectl {

/// The text as a file of zstd.
inline std::string zstd(const std::string& text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), ZSTD_CLEVEL_DEFAULT));
  return packed;
}

}  // namespace rooflinectl
