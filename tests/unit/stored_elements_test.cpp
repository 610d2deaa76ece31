// SPDX-License-Identifier: Apache-2.0
#include "core/plan/stored_elements.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/error.h"

namespace rooflinectl::stored_elements_test {
namespace {

/// As numpy.save writes it, version 1.0.
std::string npy(const std::string& header, std::size_t bytes) {
  std::string text = "\x93NUMPY";
  text += '\x01';
  text += '\0';
  text += static_cast<char>(header.size() & 255U);
  text += static_cast<char>(header.size() >> 8U);
  return text + header + std::string(bytes, 'x');
}

std::string header(const std::string& descr, const std::string& shape, const std::string& order = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }   \n";
}

std::string mistake_in(const std::string& content) {
  try {
    stored_elements(content, "y.npy", ArgumentType::f32);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  return "";
}

TEST(StoredElements, AreThoseOfAnArrayOfNumPy) {
  const std::string content = npy(header("<f8", "(3, 4)"), 96);
  const StoredElements elements = stored_elements(content, "y.npy", ArgumentType::f32);
  EXPECT_EQ(elements.type, ArgumentType::f64);
  EXPECT_EQ(elements.count, 12);
  EXPECT_EQ(elements.bytes, std::string(96, 'x'));
  EXPECT_EQ(stored_elements(npy(header("|u1", "(5,)"), 5), "y", ArgumentType::f32).type, ArgumentType::u8);
  EXPECT_EQ(stored_elements(npy(header("<f2", "()"), 2), "y", ArgumentType::f32).count, 1);
}

TEST(StoredElements, OfAnyOtherFileAreAllItHolds) {
  const StoredElements elements = stored_elements("12345678", "y.bin", ArgumentType::f16);
  EXPECT_EQ(elements.type, ArgumentType::f16);
  EXPECT_EQ(elements.count, 4);
  EXPECT_EQ(elements.bytes, "12345678");
}

TEST(StoredElements, ThatNoArgumentCanHaveAreRefused) {
  EXPECT_EQ(mistake_in("12345"), "y.npy: its 5 bytes are no elements of f32");
  EXPECT_EQ(mistake_in(npy(header(">f4", "(1,)"), 4)), "y.npy: no argument has elements of type '>f4'");
  EXPECT_EQ(mistake_in(npy(header("<c8", "(1,)"), 8)), "y.npy: no argument has elements of type '<c8'");
  EXPECT_EQ(mistake_in(npy(header("<f4", "(2, 2)", "True"), 16)),
            "y.npy: its elements are in Fortran's order");
  EXPECT_EQ(mistake_in(npy(header("<f4", "(x,)"), 4)), "y.npy: its shape cannot be read");
  EXPECT_EQ(mistake_in(npy(header("<f4", "(4294967296, 4294967296)"), 4)), "y.npy: its shape cannot be read");
  EXPECT_EQ(mistake_in(npy("{}", 4)), "y.npy: its header has no 'descr'");
}

TEST(StoredElements, ThatAreCutOffAreRefused) {
  EXPECT_EQ(mistake_in(npy(header("<f4", "(2,)"), 7)), "y.npy: it is cut off");
  EXPECT_EQ(mistake_in(std::string("\x93NUMPY\x01\0", 8)), "y.npy: it is cut off");
  EXPECT_EQ(mistake_in(std::string("\x93NUMPY\x01\0\xff\xff{}", 12)), "y.npy: it is cut off");
}

}  // namespace
}  // namespace rooflinectl::stored_elements_test
