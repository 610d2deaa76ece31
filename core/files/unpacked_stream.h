// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <streambuf>
#include <string>

struct gzFile_s;

namespace rooflinectl {

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
