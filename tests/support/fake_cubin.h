// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "core/machine_code/machine_code.h"

namespace rooflinectl {

/// Instructions of sm_90, as they stand in its code. HADD2.F32 converts the high half of a pair.
inline constexpr InstructionWord kNop = {0x0000000000007918, 0x000fc00000000000};
inline constexpr InstructionWord kHmma = {0x000000080404723c, 0x004fde000000180c};
inline constexpr InstructionWord kImma = {0x0000000804047237, 0x004fde0000405c0c};
inline constexpr InstructionWord kHadd2Word = {0x0000000502097230, 0x000fe20000000800};
inline constexpr InstructionWord kHadd2ToF32 = {0x30000002ff077230, 0x000fe20000004100};

/// A function of `fake_cubin`.
struct FakeFunction {
  std::string symbol;
  std::vector<InstructionWord> code;
  bool has_known_address = false;  ///< a constant of the cubin is relocated with it
};

/// A cubin as CUDA 13 lays it out, as far as its code is concerned.
inline std::string fake_cubin(const std::vector<FakeFunction>& functions, int architecture = 90) {
  std::string contents(sizeof(Elf64_Ehdr), '\0');
  std::string names(1, '\0');
  std::vector<Elf64_Shdr> sections(1);
  std::vector<Elf64_Sym> symbols(1);
  std::vector<Elf64_Rela> relocations;
  const auto add = [&](const std::string& name, const std::string& bytes, Elf64_Shdr section) {
    section.sh_name = static_cast<Elf64_Word>(names.size());
    section.sh_offset = contents.size();
    section.sh_size = bytes.size();
    names += name + '\0';
    contents += bytes;
    sections.push_back(section);
  };
  const auto bytes_of = [](const auto& values) {
    return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(values[0]));
  };

  for (const FakeFunction& function : functions) {
    Elf64_Shdr code{};
    code.sh_type = SHT_PROGBITS;
    code.sh_flags = SHF_ALLOC | SHF_EXECINSTR;
    add(".text." + function.symbol, bytes_of(function.code), code);
    Elf64_Sym symbol{};
    symbol.st_shndx = static_cast<Elf64_Section>(sections.size() - 1);
    symbols.push_back(symbol);
    if (!function.has_known_address) continue;
    Elf64_Rela relocation{};
    relocation.r_info = ELF64_R_INFO(symbols.size() - 1, 2);
    relocations.push_back(relocation);
  }
  Elf64_Shdr constants{};
  constants.sh_type = SHT_PROGBITS;
  constants.sh_flags = SHF_ALLOC;
  add(".nv.constant4", std::string(8, '\0'), constants);
  const auto place_of_constants = static_cast<Elf64_Word>(sections.size() - 1);
  Elf64_Shdr table{};
  table.sh_type = SHT_SYMTAB;
  add(".symtab", bytes_of(symbols), table);
  Elf64_Shdr relocated{};
  relocated.sh_type = SHT_RELA;
  relocated.sh_link = static_cast<Elf64_Word>(sections.size() - 1);
  relocated.sh_info = place_of_constants;
  add(".rela.nv.constant4", bytes_of(relocations), relocated);
  Elf64_Shdr strings{};
  strings.sh_type = SHT_STRTAB;
  add(".shstrtab", "", strings);
  sections.back().sh_offset = contents.size();
  sections.back().sh_size = names.size();
  contents += names;

  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_ABIVERSION] = 8;
  header.e_machine = EM_CUDA;
  header.e_flags = 0x06000002U | static_cast<std::uint32_t>(architecture) << 8U;
  header.e_shoff = contents.size();
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = static_cast<Elf64_Half>(sections.size());
  header.e_shstrndx = static_cast<Elf64_Half>(sections.size() - 1);
  std::memcpy(contents.data(), &header, sizeof header);
  return contents + bytes_of(sections);
}

}  // namespace rooflinectl
