// SPDX-License-Identifier: Apache-2.0
#include "core/files/compression.h"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <cerrno>
#include <cstring>
#include <limits>
#include <memory>
#include <new>

#include "core/error.h"

namespace rooflinectl {

namespace {

// zlib's windowBits: the largest window, and 16 for gzip's header and checksum.
constexpr int kGzip = 15 + 16;

/// zlib takes its input as mutable, though it does not change it, and at most 4 GiB at a time, which is far
/// more than any file that is read.
void set_input(z_stream& stream, std::string_view bytes) {
  if (bytes.size() > std::numeric_limits<uInt>::max()) throw std::bad_alloc();
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
}

std::string compressed(std::string_view bytes, int window_bits) {
  constexpr int kMemory = 8;  // zlib's default
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, window_bits, kMemory, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    throw std::bad_alloc();
  }
  std::string result(deflateBound(&stream, bytes.size()), '\0');
  set_input(stream, bytes);
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  deflate(&stream, Z_FINISH);  // all of it: there is room for the worst case
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

class Inflater {
 public:
  explicit Inflater(std::string_view bytes) {
    set_input(stream_, bytes);
    if (inflateInit2(&stream_, kGzip) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// Appends what comes next to `content`, and returns zlib's status.
  int append_to(std::string& content) {
    std::array<char, 65536> piece;
    stream_.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream_.avail_out = static_cast<uInt>(piece.size());
    const int result = inflate(&stream_, Z_NO_FLUSH);
    content.append(piece.data(), piece.size() - stream_.avail_out);
    return result;
  }
  bool is_at_end() const { return stream_.avail_in == 0; }
  /// A gzip file may consist of several, one after the other, which make up one content.
  void begin_next() { inflateReset(&stream_); }
  std::string_view problem() const { return stream_.msg == nullptr ? "not a gzip file" : stream_.msg; }

 private:
  z_stream stream_{};
};

// ---- what gzip and zstd refuse in the same words ----

[[noreturn]] void refuse_as_too_large(std::string_view name, std::size_t max_bytes) {
  throw Error(ErrorKind::usage,
              fmt::format("{}: holds more than {} MiB when it is unpacked", name, max_bytes >> 20));
}

[[noreturn]] void refuse_as_cut_off(std::string_view name) {
  throw Error(ErrorKind::usage, fmt::format("{}: ends before its compressed content does", name),
              "the file may be truncated");
}

[[noreturn]] void refuse_as_damaged(std::string_view name, std::string_view problem) {
  throw Error(ErrorKind::usage, fmt::format("{}: cannot be unpacked: {}", name, problem),
              "the file may be damaged");
}

}  // namespace

std::string deflated(std::string_view bytes) {
  return compressed(bytes, MAX_WBITS);
}

std::string gzipped(std::string_view bytes) {
  return compressed(bytes, kGzip);
}

bool is_gzipped(std::string_view bytes) {
  return bytes.starts_with("\x1f\x8b");
}

std::string gunzipped(std::string_view bytes, std::string_view name, std::size_t max_bytes) {
  Inflater inflater(bytes);
  std::string content;
  while (true) {
    const int result = inflater.append_to(content);
    if (content.size() > max_bytes) refuse_as_too_large(name, max_bytes);
    if (result == Z_STREAM_END) {
      if (inflater.is_at_end()) return content;
      inflater.begin_next();
    } else if (result == Z_BUF_ERROR) {
      refuse_as_cut_off(name);
    } else if (result == Z_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (result != Z_OK) {
      refuse_as_damaged(name, inflater.problem());
    }
  }
}

bool is_zstd(std::string_view bytes) {
  return bytes.starts_with("\x28\xb5\x2f\xfd");
}

std::string unpacked_zstd(std::string_view bytes, std::string_view name, std::size_t max_bytes) {
  const std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream(ZSTD_createDStream(),
                                                                          &ZSTD_freeDStream);
  if (stream == nullptr) throw std::bad_alloc();
  std::string content;
  std::array<char, 65536> piece;
  ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
  while (true) {
    ZSTD_outBuffer output{piece.data(), piece.size(), 0};
    // 0 at the end of a frame, of which a file may have several.
    const std::size_t result = ZSTD_decompressStream(stream.get(), &output, &input);
    if (ZSTD_isError(result) != 0) refuse_as_damaged(name, ZSTD_getErrorName(result));
    content.append(piece.data(), output.pos);
    if (content.size() > max_bytes) refuse_as_too_large(name, max_bytes);
    if (input.pos == input.size && result == 0) return content;
    if (input.pos == input.size && output.pos < output.size) refuse_as_cut_off(name);
  }
}

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
  if (problem == Z_BUF_ERROR) refuse_as_cut_off(name_);
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
