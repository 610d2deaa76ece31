// SPDX-License-Identifier: Apache-2.0
#include "reports/page/deflate.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <random>

namespace rooflinectl {
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

TEST(Deflate, WhatCannotBeCompressedComesBackToo) {
  std::mt19937 random(1);
  std::string noise;
  for (int i = 0; i < 100'000; ++i) noise += static_cast<char>(random());
  EXPECT_EQ(inflated(deflated(noise), noise.size()), noise);
}

TEST(Deflate, NothingIsAValidStreamToo) {
  EXPECT_EQ(inflated(deflated(""), 0), "");
}

}  // namespace
}  // namespace rooflinectl
