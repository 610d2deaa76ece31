// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rooflinectl {

/// The bytes compressed, in zlib's format (RFC 1950), which browsers call `deflate`; the same bytes give the
/// same result. Throws std::bad_alloc.
std::string deflated(std::string_view bytes);

/// The bytes as a gzip file (RFC 1952) without a name or a time; the same bytes give the same result. Throws
/// std::bad_alloc.
std::string gzipped(std::string_view bytes);

/// Whether the bytes begin as a gzip file does.
bool is_gzipped(std::string_view bytes);

/// What the gzip file `bytes` holds. Throws Error(usage) naming the file if it is damaged or cut off or,
/// before its content takes up memory, if that is larger than `max_bytes`.
std::string gunzipped(std::string_view bytes, std::string_view name, std::size_t max_bytes);

/// Whether the bytes begin as a file of zstd (RFC 8878) does.
bool is_zstd(std::string_view bytes);

/// What the zstd file `bytes` holds; as `gunzipped`.
std::string unpacked_zstd(std::string_view bytes, std::string_view name, std::size_t max_bytes);

}  // namespace rooflinectl
