// SPDX-License-Identifier: Apache-2.0
#include "core/text/names.h"

#include <gtest/gtest.h>

#include <string>

namespace rooflinectl::names_test {
namespace {

TEST(Names, AreOrderedWithNumbersByValue) {
  EXPECT_TRUE(natural_less("reduce_v2_strided", "reduce_v10_a"));
  EXPECT_FALSE(natural_less("reduce_v10_a", "reduce_v2_strided"));
  EXPECT_TRUE(natural_less("reduce_v2", "reduce_v2_strided"));
  EXPECT_FALSE(natural_less("reduce_v2", "reduce_v2"));
}

TEST(Names, GlobsMatchWholeNames) {
  EXPECT_TRUE(matches_glob("sum_*", "sum_atomic"));
  EXPECT_TRUE(matches_glob("*", ""));
  EXPECT_TRUE(matches_glob("*_v?_*", "reduce_v3_sequential"));
  EXPECT_TRUE(matches_glob("*a*b*", "xxaxxaxxbx"));
  EXPECT_TRUE(matches_glob("*ab", "aab"));
  EXPECT_TRUE(matches_glob("*.a*", "/.a/b"));  // neither '/' nor a leading '.' is special
  EXPECT_TRUE(matches_glob("v[0-3]", "v2"));
  EXPECT_TRUE(matches_glob("\\*", "\\n"));
  EXPECT_FALSE(matches_glob("sum_*", "my_sum_atomic"));
  EXPECT_FALSE(matches_glob("sum_?", "sum_"));
  EXPECT_FALSE(matches_glob("sum", "sum_atomic"));
  EXPECT_FALSE(matches_glob("", "sum"));
}

TEST(Names, AGlobOfManyStarsIsDecidedQuickly) {
  std::string glob;
  for (int i = 0; i < 1000; ++i) glob += "*a";
  EXPECT_FALSE(matches_glob(glob + "b", std::string(2000, 'a')));
}

TEST(Names, TheNearestNameIsTheOneWithTheFewestEdits) {
  EXPECT_EQ(nearest_name("cahce", {"cahxx", "cache"}), "cache");  // neighbours swapped are one edit
  EXPECT_EQ(nearest_name("dtype", {"dtypes", "types"}), "dtypes");
  EXPECT_EQ(nearest_name("sum_warpshuffle", {"sum_atomic", "sum_warp_shuffle"}), "sum_warp_shuffle");
  EXPECT_EQ(nearest_name("sun_w*", {"sum_atomic", "sum_warp_shuffle"}), "sum_warp_shuffle");
  EXPECT_EQ(nearest_name("block_size", {"dtypes", "block"}), "block");
  EXPECT_EQ(nearest_name("elem", {"elements_per_thread", "block"}), "elements_per_thread");
}

TEST(Names, APlainNameCanNameAFile) {
  for (const char* const name : {"ladder", "a", "V0-V8_2026"}) EXPECT_TRUE(is_plain_name(name)) << name;
  for (const char* const name : {"", ".", "..", "a/b", "/etc", "a b", "a.b", "ü", "a\nb"}) {
    EXPECT_FALSE(is_plain_name(name)) << name;
  }
  EXPECT_FALSE(is_plain_name(std::string_view("a\0b", 3)));
  EXPECT_TRUE(is_plain_name(std::string(64, 'x')));
  EXPECT_FALSE(is_plain_name(std::string(65, 'x')));
}

TEST(Names, AMisspeltNameDiffersInACoupleOfLetters) {
  for (const char* const text : {"Rooflinectl", "rooflinctl", "rooflinectl ", "rooflinetcl", "rooflnctl"}) {
    EXPECT_TRUE(is_misspelt(text, "rooflinectl")) << text;
  }
  for (const char* const text : {"rooflinectl", "roofline", "", "work", "the rooflinectl of"}) {
    EXPECT_FALSE(is_misspelt(text, "rooflinectl")) << text;
  }
}

TEST(Names, NonsenseHasNoNearestName) {
  EXPECT_EQ(nearest_name("hot", {"cold", "warm"}), std::nullopt);
  EXPECT_EQ(nearest_name("x", {"f32"}), std::nullopt);
  EXPECT_EQ(nearest_name("", {"f32"}), std::nullopt);
  EXPECT_EQ(nearest_name("anything", {}), std::nullopt);
  EXPECT_EQ(nearest_name(std::string(100'000, 'a'), {std::string(100'000, 'b')}), std::nullopt);
}

}  // namespace
TEST(RangeTitle, IsTheFirstValueOfWhatXlaWritesIntoAName) {
  EXPECT_EQ(range_title("XlaModule:#hlo_module=jit_step,program_id=7#"), "XlaModule jit_step");
  EXPECT_EQ(range_title("XlaModule:#hlo_module=dot.##/Thunk:#hlo_op=fusion.1#"),
            "XlaModule dot.#/Thunk fusion.1");
  EXPECT_EQ(range_title("XlaCompile:#module=jit_step#"), "XlaCompile jit_step");
}

TEST(RangeTitle, IsTheNameWhereThereIsNoMetadata) {
  for (const std::string name : {"", "forward", "layer 0/attention", "cub::DeviceScan::ExclusiveScan",
                                 "layer #", ":#a=1#", "odd:#no value#", "odd:#a=1"}) {
    EXPECT_EQ(range_title(name), name);
  }
}

}  // namespace rooflinectl::names_test
