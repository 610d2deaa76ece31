// SPDX-License-Identifier: Apache-2.0
//
// Where the arguments of kernels from files lie, and what is said of writes beside them. Needs no GPU.
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "collector/file_kernels/argument_memory.h"
#include "collector/points/prepared_point.h"

namespace rooflinectl {
namespace {

CallArgument argument(const std::string& name, ArgumentKind kind, std::uint64_t count) {
  CallArgument argument;
  argument.name = name;
  argument.kind = kind;
  argument.count = count;
  return argument;
}

ArgumentLayout layout() {
  return ArgumentLayout({argument("x", ArgumentKind::in, 1), argument("n", ArgumentKind::scalar, 1),
                         argument("y", ArgumentKind::out, 1000)});
}

TEST(ArgumentLayout, PutsEachArgumentBetweenTwoGuardRegions) {
  const ArgumentLayout all = layout();
  ASSERT_EQ(all.guards().size(), 4);
  std::size_t begin = 0;
  for (std::size_t i = 0; i < 4; i += 2) {
    const GuardRegion& before = all.guards()[i];
    const GuardRegion& after = all.guards()[i + 1];
    const std::size_t bytes = i == 0 ? 4 : 4000;
    EXPECT_EQ(before.argument, i);  // 0 and 2: the scalar has no memory
    EXPECT_EQ(before.begin, begin);
    EXPECT_EQ(before.end, all.offset(before.argument));
    EXPECT_EQ(before.end % kAlignment, 0);
    EXPECT_GE(before.end - before.begin, kGuardBytes);
    EXPECT_EQ(after.begin, before.end + bytes);
    EXPECT_GE(after.end - after.begin, kGuardBytes);
    begin = after.end;
  }
  EXPECT_EQ(all.bytes(), begin);
  EXPECT_EQ(all.bytes() % kAlignment, 0);
}

TEST(ArgumentLayout, NamesTheArgumentThatWasMissed) {
  const ArgumentLayout all = layout();
  const GuardRegion& after = all.guards()[3];
  EXPECT_EQ(all.describe({3, after.begin, after.begin + 95}),
            "wrote outside 'y' (1000 elements of f32): bytes 1 to 96 behind its end");
  EXPECT_EQ(all.describe({3, after.begin + 4, after.end - 1}),
            "wrote outside 'y' (1000 elements of f32): bytes 5 to " +
                std::to_string(after.end - after.begin) + " behind its end, or more");
  const GuardRegion& before = all.guards()[0];
  EXPECT_EQ(all.describe({0, before.end - 4, before.end - 1}),
            "wrote outside 'x' (1 element of f32): bytes 1 to 4 before its beginning");
}

TEST(FillElement, IsThatOfTheBuiltInDataUnlessItHasASeed) {
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const Fill integers = {FillKind::integers, 0, 0};
    const Fill uniform = {FillKind::uniform, 0, 0};
    using kernels::DataSet;
    EXPECT_EQ(fill_element(integers, ArgumentType::f32, i),
              kernels::element(DataSet::integers, Dtype::f32, i));
    EXPECT_EQ(fill_element(uniform, ArgumentType::f32, i), kernels::element(DataSet::uniform, Dtype::f32, i));
    EXPECT_EQ(fill_element(uniform, ArgumentType::f64, i), kernels::element(DataSet::uniform, Dtype::f64, i));
    EXPECT_EQ(fill_element(uniform, ArgumentType::f16, i), kernels::element(DataSet::uniform, Dtype::f16, i));
    EXPECT_EQ(fill_element(uniform, ArgumentType::bf16, i),
              kernels::element(DataSet::uniform, Dtype::bf16, i));
    EXPECT_EQ(fill_element(integers, ArgumentType::u8, i), fill_element(integers, ArgumentType::f32, i) + 7);
  }
  const Fill seeded = {FillKind::uniform, 0, 1};
  int alike = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const double value = fill_element(seeded, ArgumentType::f64, i);
    if (value == fill_element({FillKind::uniform, 0, 0}, ArgumentType::f64, i)) ++alike;
    if (value == fill_element({FillKind::uniform, 0, 0}, ArgumentType::f64, i + 1)) ++alike;
  }
  EXPECT_EQ(alike, 0);
}

TEST(FillElement, CanBeAValueOrThePosition) {
  EXPECT_EQ(fill_element({FillKind::value, 2.5, 0}, ArgumentType::f32, 7), 2.5);
  EXPECT_EQ(fill_element({FillKind::index, 0, 0}, ArgumentType::f32, 7), 7);
}

template <typename T>
T as(double value, ArgumentType type) {
  T element;
  std::memcpy(&element, stored(value, type).data(), sizeof(T));
  return element;
}

TEST(StoredValue, IsTheElementInMemory) {
  EXPECT_EQ(as<double>(0.1, ArgumentType::f64), 0.1);
  EXPECT_EQ(as<float>(0.1, ArgumentType::f32), 0.1F);
  EXPECT_EQ(as<std::uint16_t>(1, ArgumentType::f16), 0x3c00);
  EXPECT_EQ(as<std::uint16_t>(1, ArgumentType::bf16), 0x3f80);
  EXPECT_EQ(as<std::int64_t>(-5e15, ArgumentType::i64), -5'000'000'000'000'000);
  EXPECT_EQ(as<std::int8_t>(-3, ArgumentType::i8), -3);
  EXPECT_EQ(as<std::uint64_t>(0x1p63, ArgumentType::u64), std::uint64_t{1} << 63);
}

}  // namespace
}  // namespace rooflinectl
