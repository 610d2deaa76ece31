// SPDX-License-Identifier: Apache-2.0
#include "core/files/unpacked_stream.h"

#include <fmt/format.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>

#include "core/error.h"

namespace rooflinectl {

UnpackedStream::UnpackedStream(const std::filesystem::path& path, std::size_t max_bytes)
    : name_(path.string()), max_bytes_(max_bytes) {
  std::error_code unknown;  // reported when it is opened
  if (std::filesystem::is_directory(path, unknown)) {
    throw Error(ErrorKind::usage, fmt::format("{}: is a folder", name_));
  }
  file_ = gzopen(path.c_str(), "rb");
  if (file_ == nullptr) {
    throw Error(ErrorKind::usage, fmt::format("{}: cannot be read: {}", name_, std::strerror(errno)));
  }
  gzbuffer(file_, static_cast<unsigned>(piece_.size()));
}

UnpackedStream::~UnpackedStream() {
  gzclose_r(file_);
}

UnpackedStream::int_type UnpackedStream::underflow() {
  const int size = gzread(file_, piece_.data(), static_cast<unsigned>(piece_.size()));
  int problem = Z_OK;
  const char* text = gzerror(file_, &problem);
  if (problem == Z_BUF_ERROR) {
    throw Error(ErrorKind::usage, fmt::format("{}: ends before its compressed content does", name_),
                "the file may be truncated");
  }
  if (size < 0 || problem != Z_OK) {
    const std::string reason = problem == Z_ERRNO ? std::strerror(errno) : text;
    throw Error(ErrorKind::usage, fmt::format("{}: cannot be read: {}", name_, reason),
                "the file may be damaged");
  }
  if (size == 0) return traits_type::eof();
  read_bytes_ += static_cast<std::size_t>(size);
  if (read_bytes_ > max_bytes_) {
    throw Error(ErrorKind::usage, fmt::format("{}: holds more than {} MiB", name_, max_bytes_ >> 20));
  }
  setg(piece_.data(), piece_.data(), piece_.data() + size);
  return traits_type::to_int_type(piece_[0]);
}

}  // namespace rooflinectl
