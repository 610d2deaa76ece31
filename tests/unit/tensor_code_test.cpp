// SPDX-License-Identifier: Apache-2.0
#include "core/machine_code/tensor_code.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "core/machine_code/cubin.h"
#include "tests/support/fake_cubin.h"

namespace rooflinectl::tensor_code_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr InstructionWord kNop = {0x0000000000007918, 0x000fc00000000000};
constexpr InstructionWord kHmma = {0x000000080404723c, 0x004fde000000180c};
constexpr InstructionWord kHmmaElsewhere = {0x000000181414723c, 0x00cfde000000182c};
constexpr InstructionWord kImma = {0x0000000804047237, 0x004fde0000405c0c};
constexpr InstructionWord kCallInside = {0x0000000000307944, 0x022fea0003c00000};
constexpr InstructionWord kCallAbsolute = {0x0000000002007343, 0x005fea0003c00000};
constexpr InstructionWord kCallByRegister = {0xfffffffc06c87344, 0x026fea0003c3ffff};

/// `symbol: HMMA IMMA` for each function.
std::vector<std::string> functions(const std::string& cubin) {
  std::vector<std::string> found;
  for (const TensorCode& function : tensor_code(cubin)) {
    std::string& text = found.emplace_back(std::string(function.symbol) + ":");
    for (const TensorInstruction& kind : function.instructions) {
      text += " " + std::string(to_string(kind.opcode));
    }
  }
  return found;
}

TEST(TensorCode, HasEachKindOnce) {
  EXPECT_THAT(functions(fake_cubin({{"none", {kNop, kNop}},
                                    {"one", {kNop, kHmma, kNop, kHmmaElsewhere}},
                                    {"two", {kImma, kHmma, kImma}}})),
              ElementsAre("none:", "one: HMMA", "two: IMMA HMMA"));
}

TEST(TensorCode, IsThatOfTheArchitecture) {
  const auto first = [](const std::string& cubin) { return tensor_code(cubin).at(0).instructions.at(0); };
  const std::vector<FakeFunction> functions = {{"one", {{0x00e00000041879f0, 0x004fde000b801818}}}};
  EXPECT_EQ(first(fake_cubin(functions, 90)).opcode, TensorOpcode::hgmma);
  EXPECT_THAT(tensor_code(fake_cubin(functions, 80)).at(0).instructions, IsEmpty());
  EXPECT_THAT(tensor_code(fake_cubin(functions, 99)), IsEmpty());

  std::string of_cuda_12 = fake_cubin(functions, 80);
  of_cuda_12[EI_ABIVERSION] = 7;
  const std::uint32_t flags = 0x005a055a;
  std::memcpy(of_cuda_12.data() + offsetof(Elf64_Ehdr, e_flags), &flags, sizeof flags);
  EXPECT_EQ(first(of_cuda_12).opcode, TensorOpcode::hgmma);
}

TEST(TensorCode, IncludesWhatMayBeCalled) {
  const auto called = [](InstructionWord call, bool has_known_address) {
    return functions(fake_cubin({{"kernel", {kHmma, call, kNop}}, {"function", {kImma}, has_known_address}}));
  };
  EXPECT_THAT(called(kCallAbsolute, true), ElementsAre("kernel: HMMA IMMA", "function: IMMA"));
  EXPECT_THAT(called(kCallByRegister, true), ElementsAre("kernel: HMMA IMMA", "function: IMMA"));
  EXPECT_THAT(called(kCallInside, true), ElementsAre("kernel: HMMA", "function: IMMA"));
  EXPECT_THAT(called(kCallAbsolute, false), ElementsAre("kernel: HMMA", "function: IMMA"))
      << "as it calls a function of the system: vprintf";
}

TEST(TensorCode, HasABoundedNumberOfKinds) {
  std::vector<InstructionWord> code;
  for (std::uint64_t width = 0; width < 32; ++width) {
    for (const std::uint64_t type : {0x000fde000b801818, 0x000fde000b800818, 0x000fde000b800018}) {
      code.push_back({0x00000000041879f0 | width << 53U, type});
    }
  }
  const std::string cubin = fake_cubin({{"all", code}});
  const auto all = tensor_code(cubin).at(0);
  ASSERT_EQ(all.instructions.size(), 64U);
  EXPECT_EQ(all.instructions.back(), TensorInstruction{}) << "the rest, which nothing is known about";
}

TEST(TensorCode, NothingIsReadBeyondADamagedCubin) {
  const std::string cubin = fake_cubin({{"one", {kHmma, kCallAbsolute}}, {"two", {kImma}, true}});
  for (std::size_t size = 0; size < cubin.size(); ++size) {
    // A copy of its own, for the sanitizer.
    EXPECT_THAT(tensor_code(std::string(cubin, 0, size)), IsEmpty()) << size;
  }
  // Any byte may be anything.
  for (std::size_t at = 0; at < cubin.size(); ++at) {
    for (const int value : {0, 1, 0x7f, 0xff}) {
      std::string damaged = cubin;
      damaged[at] = static_cast<char>(value);
      static_cast<void>(tensor_code(damaged));
    }
  }
}

TEST(TensorCode, CodeThatIsSaidToBeThereManyTimesIsNotRead) {
  std::string cubin = fake_cubin({{"one", std::vector<InstructionWord>(1000, kHmma)}, {"two", {kNop}}});
  ASSERT_EQ(tensor_code(cubin).size(), 2U);
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

TEST(TensorCode, OtherFilesHaveNone) {
  EXPECT_THAT(tensor_code(""), IsEmpty());
  EXPECT_THAT(tensor_code(".version 9.0"), IsEmpty());
  std::string other = fake_cubin({{"one", {kHmma}}});
  const Elf64_Half machine = EM_X86_64;
  std::memcpy(other.data() + offsetof(Elf64_Ehdr, e_machine), &machine, sizeof machine);
  EXPECT_THAT(tensor_code(other), IsEmpty());
}

}  // namespace
}  // namespace rooflinectl::tensor_code_test
