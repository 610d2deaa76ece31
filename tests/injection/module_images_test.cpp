// SPDX-License-Identifier: Apache-2.0
#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "injection/launches/loaded_code.h"

namespace rooflinectl::injection::module_images_test {
namespace {

/// A cubin with one section.
std::vector<char> cubin(const std::string& code) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_shoff = sizeof header;
  header.e_shnum = 1;
  Elf64_Shdr section{};
  section.sh_type = SHT_PROGBITS;
  section.sh_offset = sizeof header + sizeof section;
  section.sh_size = code.size();
  std::vector<char> image(section.sh_offset + code.size());
  std::memcpy(image.data(), &header, sizeof header);
  std::memcpy(image.data() + sizeof header, &section, sizeof section);
  std::memcpy(image.data() + section.sh_offset, code.data(), code.size());
  return image;
}

std::vector<char> fatbinary(const std::string& content) {
  struct {
    std::uint32_t magic = 0xba55ed50;
    std::uint16_t version = 1;
    std::uint16_t header_bytes = 16;
    std::uint64_t content_bytes = 0;
  } header;
  header.content_bytes = content.size();
  std::vector<char> image(sizeof header + content.size());
  std::memcpy(image.data(), &header, sizeof header);
  std::memcpy(image.data() + sizeof header, content.data(), content.size());
  return image;
}

TEST(ModuleImages, TellCubinsApartByTheirCode) {
  const auto one = cubin("IMAD R1, R2, R3, R4");
  const auto same = cubin("IMAD R1, R2, R3, R4");
  const auto other = cubin("FFMA R1, R2, R3, R4");
  ASSERT_TRUE(image_digest(one.data()));
  EXPECT_EQ(image_digest(one.data()), image_digest(same.data()));
  EXPECT_NE(image_digest(one.data()), image_digest(other.data()));
}

TEST(ModuleImages, TellFatbinariesAndPtxApart) {
  const auto one = fatbinary("cubin of sm_90");
  const auto other = fatbinary("cubin of sm_80");
  EXPECT_NE(image_digest(one.data()), image_digest(other.data()));
  const char* const ptx = "//\n.version 8.0\n.target sm_90\nadd.f32";
  EXPECT_TRUE(image_digest(ptx));
  EXPECT_NE(image_digest(ptx), image_digest("//\n.version 8.0\n.target sm_90\nmul.f32"));
}

TEST(ModuleImages, AWrapperStandsForItsFatbinary) {
  const auto fat = fatbinary("cubin");
  const struct {
    std::uint32_t magic = 0x466243b1;
    std::uint32_t version = 1;
    const void* data = nullptr;
    const void* names = nullptr;
  } wrapper = {.data = fat.data()};
  EXPECT_EQ(image_digest(&wrapper), image_digest(fat.data()));
}

TEST(ModuleImages, KnowNothingAboutOtherFormats) {
  EXPECT_FALSE(image_digest(nullptr));
  EXPECT_FALSE(image_digest("LLVM bitcode or whatever it may be"));
}

TEST(ModuleImages, OfALongImageTheEndCountsByItsSize) {
  const auto one = fatbinary(std::string(1 << 20, 'x'));
  const auto longer = fatbinary(std::string((1 << 20) + 1, 'x'));
  EXPECT_NE(image_digest(one.data()), image_digest(longer.data()));
}

}  // namespace
}  // namespace rooflinectl::injection::module_images_test
