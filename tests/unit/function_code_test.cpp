// SPDX-License-Identifier: Apache-2.0
#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "core/machine_code/machine_code.h"
#include "tests/support/fake_cubin.h"

namespace rooflinectl::function_code_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr InstructionWord kHmmaElsewhere = {0x000000181414723c, 0x00cfde000000182c};
constexpr InstructionWord kCallInside = {0x0000000000307944, 0x022fea0003c00000};
constexpr InstructionWord kCallAbsolute = {0x0000000002007343, 0x005fea0003c00000};
constexpr InstructionWord kCallByRegister = {0xfffffffc06c87344, 0x026fea0003c3ffff};

/// `symbol: HMMA IMMA` for each function.
std::vector<std::string> functions(const std::string& cubin) {
  std::vector<std::string> found;
  for (const FunctionCode& function : function_code(cubin)) {
    std::string& text = found.emplace_back(std::string(function.symbol) + ":");
    for (const TensorInstruction& kind : function.tensor_instructions) {
      text += " " + std::string(to_string(kind.opcode));
    }
  }
  return found;
}

TEST(FunctionCode, HasEachKindOnce) {
  EXPECT_THAT(functions(fake_cubin({{"none", {kNop, kNop}},
                                    {"one", {kNop, kHmma, kNop, kHmmaElsewhere}},
                                    {"two", {kImma, kHmma, kImma}}})),
              ElementsAre("none:", "one: HMMA", "two: IMMA HMMA"));
}

TEST(FunctionCode, IsThatOfTheArchitecture) {
  const auto first = [](const std::string& cubin) {
    return function_code(cubin).at(0).tensor_instructions.at(0);
  };
  const std::vector<FakeFunction> functions = {{"one", {{0x00e00000041879f0, 0x004fde000b801818}}}};
  EXPECT_EQ(first(fake_cubin(functions, 90)).opcode, TensorOpcode::hgmma);
  EXPECT_THAT(function_code(fake_cubin(functions, 80)).at(0).tensor_instructions, IsEmpty());
  EXPECT_THAT(function_code(fake_cubin(functions, 99)), IsEmpty());

  std::string of_cuda_12 = fake_cubin(functions, 80);
  of_cuda_12[EI_ABIVERSION] = 7;
  const std::uint32_t flags = 0x005a055a;
  std::memcpy(of_cuda_12.data() + offsetof(Elf64_Ehdr, e_flags), &flags, sizeof flags);
  EXPECT_EQ(first(of_cuda_12).opcode, TensorOpcode::hgmma);
}

TEST(FunctionCode, IncludesWhatMayBeCalled) {
  const auto called = [](InstructionWord call, bool has_known_address) {
    return functions(fake_cubin({{"kernel", {kHmma, call, kNop}}, {"function", {kImma}, has_known_address}}));
  };
  EXPECT_THAT(called(kCallAbsolute, true), ElementsAre("kernel: HMMA IMMA", "function: IMMA"));
  EXPECT_THAT(called(kCallByRegister, true), ElementsAre("kernel: HMMA IMMA", "function: IMMA"));
  EXPECT_THAT(called(kCallInside, true), ElementsAre("kernel: HMMA", "function: IMMA"));
  EXPECT_THAT(called(kCallAbsolute, false), ElementsAre("kernel: HMMA", "function: IMMA"))
      << "as it calls a function of the system: vprintf";
}

TEST(FunctionCode, TellsHalfArithmeticFromConversionsAndConstants) {
  constexpr InstructionWord kHfma2Constant = {0x3f800000ff077431, 0x000fe200000001ff};
  constexpr InstructionWord kHfma2MmaConstant = {0x00000004ff057435, 0x000fe200000001ff};
  constexpr InstructionWord kHmul2Word = {0x2000000502057232, 0x000fe20000000800};
  constexpr InstructionWord kHfma2Word = {0x0000000502097231, 0x000fe20000000000};
  constexpr InstructionWord kHfma2ByConstant = {0x3400380002077431, 0x000fe20000000007};
  constexpr InstructionWord kBf16 = {0x0000000502097231, 0x000fe20000200000};
  constexpr InstructionWord kHfma2MmaWord = {0x0000000502097235, 0x000fe20000000000};
  const auto has = [](std::vector<InstructionWord> code, int architecture = 90) {
    return function_code(fake_cubin({{"one", std::move(code)}}, architecture)).at(0).has_half_arithmetic;
  };
  EXPECT_FALSE(has({kNop, kHadd2ToF32, kHfma2Constant, kHfma2MmaConstant, kHmma}));
  for (const InstructionWord word :
       {kHadd2Word, kHmul2Word, kHfma2Word, kHfma2ByConstant, kBf16, kHfma2MmaWord}) {
    EXPECT_TRUE(has({kHadd2ToF32, word})) << std::hex << word.low;
  }
  EXPECT_FALSE(has({kHfma2MmaWord}, 120)) << "there the opcode is another instruction's";
  EXPECT_TRUE(function_code(fake_cubin({{"kernel", {kCallAbsolute}}, {"function", {kHadd2Word}, true}}))
                  .at(0)
                  .has_half_arithmetic)
      << "of a function that it may call";
}

TEST(FunctionCode, HasABoundedNumberOfKinds) {
  std::vector<InstructionWord> code;
  for (std::uint64_t width = 0; width < 32; ++width) {
    for (const std::uint64_t type : {0x000fde000b801818, 0x000fde000b800818, 0x000fde000b800018}) {
      code.push_back({0x00000000041879f0 | width << 53U, type});
    }
  }
  const std::string cubin = fake_cubin({{"all", code}});
  const auto all = function_code(cubin).at(0);
  ASSERT_EQ(all.tensor_instructions.size(), 64U);
  EXPECT_EQ(all.tensor_instructions.back(), TensorInstruction{}) << "the rest, which nothing is known about";
}

TEST(FunctionCode, NothingIsReadBeyondADamagedCubin) {
  const std::string cubin = fake_cubin({{"one", {kHmma, kCallAbsolute}}, {"two", {kImma}, true}});
  for (std::size_t size = 0; size < cubin.size(); ++size) {
    // A copy of its own, for the sanitizer.
    EXPECT_THAT(function_code(std::string(cubin, 0, size)), IsEmpty()) << size;
  }
  // Any byte may be anything.
  for (std::size_t at = 0; at < cubin.size(); ++at) {
    for (const int value : {0, 1, 0x7f, 0xff}) {
      std::string damaged = cubin;
      damaged[at] = static_cast<char>(value);
      static_cast<void>(function_code(damaged));
    }
  }
}

TEST(FunctionCode, CodeThatIsSaidToBeThereManyTimesIsNotRead) {
  std::string cubin = fake_cubin({{"one", std::vector<InstructionWord>(1000, kHmma)}, {"two", {kNop}}});
  ASSERT_EQ(function_code(cubin).size(), 2U);
  Elf64_Ehdr header;
  std::memcpy(&header, cubin.data(), sizeof header);
  char* const sections = cubin.data() + header.e_shoff;
  Elf64_Shdr one;
  Elf64_Shdr two;
  std::memcpy(&one, sections + sizeof one, sizeof one);
  std::memcpy(&two, sections + 2 * sizeof two, sizeof two);
  two.sh_offset = one.sh_offset;
  two.sh_size = one.sh_size;
  std::memcpy(sections + 2 * sizeof two, &two, sizeof two);
  EXPECT_FALSE(read_cubin(cubin));
}

TEST(FunctionCode, OtherFilesHaveNone) {
  EXPECT_THAT(function_code(""), IsEmpty());
  EXPECT_THAT(function_code(".version 9.0"), IsEmpty());
  std::string other = fake_cubin({{"one", {kHmma}}});
  const Elf64_Half machine = EM_X86_64;
  std::memcpy(other.data() + offsetof(Elf64_Ehdr, e_machine), &machine, sizeof machine);
  EXPECT_THAT(function_code(other), IsEmpty());
}

}  // namespace
}  // namespace rooflinectl::function_code_test
