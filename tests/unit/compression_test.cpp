// SPDX-License-Identifier: Apache-2.0
#include "core/files/compression.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <random>

#include "core/error.h"
#include "tests/support/zstd.h"

namespace rooflinectl::compression_test {
namespace {

std::string inflated(const std::string& compressed, std::size_t size) {
  std::string bytes(size, '\0');
  uLongf length = size;
  EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(bytes.data()), &length,
                       reinterpret_cast<const Bytef*>(compressed.data()), compressed.size()),
            Z_OK);
  EXPECT_EQ(length, size);
  return bytes;
}

TEST(Deflate, TextComesBackAndIsSmaller) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "sample " + std::to_string(i) + "\n";
  const std::string compressed = deflated(text);
  EXPECT_LT(compressed.size(), text.size() / 3);
  EXPECT_EQ(inflated(compressed, text.size()), text);
}

TEST(Deflate, IncompressibleContentComesBackToo) {
  std::mt19937 random(1);
  std::string noise;
  for (int i = 0; i < 100'000; ++i) noise += static_cast<char>(random());
  EXPECT_EQ(inflated(deflated(noise), noise.size()), noise);
}

TEST(Deflate, EmptyContentIsAValidStream) {
  EXPECT_EQ(inflated(deflated(""), 0), "");
}

/// The message with which `unpack` refuses `bytes`, or an empty text if it accepts them.
template <typename Unpack>
std::string refusal_by(const Unpack& unpack, const std::string& bytes, std::string_view name,
                       std::size_t max_bytes) {
  try {
    unpack(bytes, name, max_bytes);
    return {};
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
}

std::string refusal_of(const std::string& bytes, std::size_t max_bytes = 1 << 20) {
  return refusal_by(gunzipped, bytes, "run.json.gz", max_bytes);
}

TEST(Gzip, WhatWasPackedComesBack) {
  for (const std::string& text : {std::string(), std::string("a"), std::string(500'000, 'b')}) {
    EXPECT_TRUE(is_gzipped(gzipped(text)));
    EXPECT_EQ(gunzipped(gzipped(text), "run.json.gz", text.size()), text);
  }
  EXPECT_EQ(gzipped("abc"), gzipped("abc"));
  EXPECT_FALSE(is_gzipped("{}"));
  EXPECT_FALSE(is_gzipped(""));
}

TEST(Gzip, ConcatenatedFilesAreOneContent) {
  EXPECT_EQ(gunzipped(gzipped("one ") + gzipped("two"), "run.json.gz", 100), "one two");
}

TEST(Gzip, EveryTruncationIsNamed) {
  const std::string packed = gzipped("some text that is packed, and then cut off");
  for (std::size_t length = 2; length < packed.size(); ++length) {
    EXPECT_EQ(refusal_of(packed.substr(0, length)), "run.json.gz: ends before its compressed content does");
  }
}

TEST(Gzip, DamageIsFound) {
  std::string packed = gzipped("some text that is packed");
  packed[packed.size() - 6] ^= 1;  // in the checksum
  EXPECT_EQ(refusal_of(packed), "run.json.gz: cannot be unpacked: incorrect data check");
  EXPECT_EQ(refusal_of(gzipped("text") + "and more"),
            "run.json.gz: cannot be unpacked: incorrect header check");
}

TEST(Gzip, ContentThatIsTooLargeIsRefusedBeforeItTakesTheMemory) {
  const std::string bomb = gzipped(std::string(3 << 20, '\0'));
  EXPECT_LT(bomb.size(), 10'000u);
  EXPECT_EQ(refusal_of(bomb), "run.json.gz: holds more than 1 MiB when it is unpacked");
}

std::string zstd_refusal_of(const std::string& bytes, std::size_t max_bytes = 1 << 20) {
  return refusal_by(unpacked_zstd, bytes, "a.ncu-repz", max_bytes);
}

TEST(Zstd, WhatWasPackedComesBack) {
  for (const std::string& text :
       {std::string(), std::string("a"), std::string(65536, 'b'), std::string(500'000, 'b')}) {
    EXPECT_TRUE(is_zstd(zstd(text)));
    EXPECT_EQ(unpacked_zstd(zstd(text), "a.ncu-repz", text.size()), text);
  }
  EXPECT_EQ(unpacked_zstd(zstd("one ") + zstd("two"), "a.ncu-repz", 100), "one two");
  EXPECT_FALSE(is_zstd(gzipped("a")));
  EXPECT_FALSE(is_zstd(""));
}

TEST(Zstd, EveryTruncationIsNamed) {
  const std::string packed = zstd("some text that is packed, and then cut off");
  for (std::size_t length = 4; length < packed.size(); ++length) {
    EXPECT_EQ(zstd_refusal_of(packed.substr(0, length)),
              "a.ncu-repz: ends before its compressed content does");
  }
}

TEST(Zstd, DamageIsFound) {
  EXPECT_EQ(zstd_refusal_of(zstd("text") + "and more"),
            "a.ncu-repz: cannot be unpacked: Unknown frame descriptor");
}

TEST(Zstd, ContentThatIsTooLargeIsRefusedBeforeItTakesTheMemory) {
  const std::string bomb = zstd(std::string(3 << 20, '\0'));
  EXPECT_LT(bomb.size(), 10'000u);
  EXPECT_EQ(zstd_refusal_of(bomb), "a.ncu-repz: holds more than 1 MiB when it is unpacked");
}

}  // namespace
}  // namespace rooflinectl::compression_test
