// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <streambuf>
#include <string>
#include <string_view>

struct gzFile_s;

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

/// The content of a file, unpacked where it is a gzip file, piece by piece: for files that are too large to
/// be held. Reading throws Error(usage) naming the file if it cannot be read, is damaged or cut off, or,
/// unpacked, holds more than `max_bytes`.
class UnpackedStream : public std::streambuf {
 public:
  /// Throws Error(usage) if the file cannot be opened.
  UnpackedStream(const std::filesystem::path& path, std::size_t max_bytes);
  ~UnpackedStream() override;
  UnpackedStream(const UnpackedStream&) = delete;
  UnpackedStream& operator=(const UnpackedStream&) = delete;

 protected:
  int_type underflow() override;

 private:
  std::string name_;
  std::size_t max_bytes_;
  std::size_t read_bytes_ = 0;
  gzFile_s* file_ = nullptr;
  std::array<char, std::size_t{1} << 17> piece_{};
};

}  // namespace rooflinectl
