// SPDX-License-Identifier: Apache-2.0
#include <elf.h>

#include <algorithm>
#include <cstring>

#include "core/machine_code/machine_code.h"

namespace rooflinectl {

namespace {

constexpr std::string_view kCodeBegins = ".text.";
constexpr std::string_view kLines = ".debug_line";
/// From this version of CUDA's ABI on, the architecture is in the second byte of the flags.
constexpr unsigned char kAbiWithLongFlags = 8;
/// Sections, symbols and relocations, each. The largest cubins of cuBLASLt have some ten thousand.
constexpr std::uint64_t kMostEntries = 1U << 20U;

/// Reads structures out of a file that may be shorter than it says.
class File {
 public:
  explicit File(std::string_view bytes) : bytes_(bytes) {}

  std::optional<std::string_view> part(std::uint64_t begin, std::uint64_t size) const {
    if (begin > bytes_.size() || size > bytes_.size() - begin) return std::nullopt;
    return bytes_.substr(begin, size);
  }

  template <typename T>
  std::optional<T> read(std::uint64_t begin) const {
    const auto found = part(begin, sizeof(T));
    if (!found) return std::nullopt;
    T value;
    std::memcpy(&value, found->data(), sizeof value);
    return value;
  }

  /// All structures of a section; nothing if it is incomplete or has too many.
  template <typename T>
  std::optional<std::vector<T>> table(std::uint64_t begin, std::uint64_t count) const {
    if (count > kMostEntries) return std::nullopt;
    const auto found = part(begin, count * sizeof(T));
    if (!found) return std::nullopt;
    std::vector<T> values(count);
    if (count > 0) std::memcpy(values.data(), found->data(), found->size());
    return values;
  }

 private:
  std::string_view bytes_;
};

/// The text that begins there; nothing if it does not end within `limit`.
std::optional<std::string_view> name_at(std::string_view names, std::uint64_t begin, std::size_t limit) {
  if (begin >= names.size()) return std::nullopt;
  const std::string_view rest = names.substr(begin, limit);
  const std::size_t end = rest.find('\0');
  return end == std::string_view::npos ? std::nullopt : std::optional(rest.substr(0, end));
}

std::optional<std::vector<Elf64_Shdr>> section_headers(const File& file, const Elf64_Ehdr& header) {
  if (header.e_shentsize != sizeof(Elf64_Shdr)) return std::nullopt;
  std::uint64_t count = header.e_shnum;
  if (count == 0) {  // too many for 16 bits
    const auto first = file.read<Elf64_Shdr>(header.e_shoff);
    if (!first) return std::nullopt;
    count = first->sh_size;
  }
  return file.table<Elf64_Shdr>(header.e_shoff, count);
}

/// Which section's name each has; nothing if the names are missing.
std::optional<std::string_view> section_names(const File& file, const Elf64_Ehdr& header,
                                              const std::vector<Elf64_Shdr>& sections) {
  const std::uint64_t place =
      header.e_shstrndx == SHN_XINDEX && !sections.empty() ? sections.front().sh_link : header.e_shstrndx;
  if (place >= sections.size()) return std::nullopt;
  return file.part(sections[place].sh_offset, sections[place].sh_size);
}

/// Which sections have symbols that others are relocated with: calls, and addresses in constants and
/// variables. A section's own symbols in its own code are return addresses. Nothing if not all of it can be
/// read.
std::optional<std::vector<bool>> referenced_sections(const File& file,
                                                     const std::vector<Elf64_Shdr>& sections) {
  std::vector<bool> is_referenced(sections.size());
  std::uint32_t symbols_of = SHN_UNDEF;
  std::optional<std::vector<Elf64_Sym>> symbols = std::vector<Elf64_Sym>();
  std::size_t n_relocations = 0;
  for (const Elf64_Shdr& section : sections) {
    const bool is_relocation = section.sh_type == SHT_REL || section.sh_type == SHT_RELA;
    // Those of debugging information are about sections that are not loaded.
    if (!is_relocation || section.sh_info >= sections.size() ||
        (sections[section.sh_info].sh_flags & SHF_ALLOC) == 0) {
      continue;
    }
    if (section.sh_link != symbols_of) {
      // Cubins have one table.
      if (section.sh_link >= sections.size() || symbols_of != SHN_UNDEF) return std::nullopt;
      symbols_of = section.sh_link;
      const Elf64_Shdr& table = sections[symbols_of];
      symbols = file.table<Elf64_Sym>(table.sh_offset, table.sh_size / sizeof(Elf64_Sym));
    }
    // What follows the beginning that both kinds share is not needed.
    const std::size_t size = section.sh_type == SHT_REL ? sizeof(Elf64_Rel) : sizeof(Elf64_Rela);
    const std::uint64_t count = section.sh_size / size;
    const auto relocations = file.part(section.sh_offset, count * size);
    if (!symbols || !relocations || (n_relocations += count) > kMostEntries) return std::nullopt;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t symbol = ELF64_R_SYM(File(*relocations).read<Elf64_Rel>(i * size)->r_info);
      if (symbol >= symbols->size()) return std::nullopt;
      const std::uint16_t of = (*symbols)[symbol].st_shndx;
      if (of == SHN_XINDEX) return std::nullopt;
      if (of < sections.size() && of != section.sh_info) is_referenced[of] = true;
    }
  }
  return is_referenced;
}

}  // namespace

std::optional<Cubin> read_cubin(std::string_view bytes) {
  const File file(bytes);
  const auto header = file.read<Elf64_Ehdr>(0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
      header->e_machine != EM_CUDA) {
    return std::nullopt;
  }
  const auto sections = section_headers(file, *header);
  if (!sections) return std::nullopt;
  const auto names = section_names(file, *header, *sections);
  if (!names) return std::nullopt;
  const auto is_referenced = referenced_sections(file, *sections);
  if (!is_referenced) return std::nullopt;

  const unsigned shift = header->e_ident[EI_ABIVERSION] >= kAbiWithLongFlags ? 8 : 0;
  Cubin cubin = {.architecture = static_cast<int>(header->e_flags >> shift & 0xffU), .sections = {}};
  // However often a part of the file is mentioned, not more than all of it is looked at.
  std::size_t names_left = bytes.size();
  std::size_t code_left = bytes.size();
  for (std::size_t i = 0; i < sections->size(); ++i) {
    const Elf64_Shdr& section = (*sections)[i];
    if (section.sh_type != SHT_PROGBITS) continue;
    const auto name = name_at(*names, section.sh_name, names_left);
    if (!name) return std::nullopt;
    names_left -= name->size();
    cubin.has_lines |= *name == kLines && section.sh_size > 0;
    if (!name->starts_with(kCodeBegins)) continue;
    const auto code = file.part(section.sh_offset, section.sh_size);
    if (!code || code->size() > code_left) return std::nullopt;
    code_left -= code->size();
    cubin.sections.push_back(
        {.symbol = name->substr(kCodeBegins.size()), .code = *code, .is_referenced = (*is_referenced)[i]});
  }
  return cubin;
}

namespace {

constexpr std::size_t kInstructionBytes = 16;
/// More kinds than any function has; those of larger ones are not told apart.
constexpr std::size_t kMostKinds = 64;

/// CALL.ABS and CALL.REL.
constexpr std::uint32_t kCallAbsolute = 0x143;
constexpr std::uint32_t kCallRelative = 0x144;
/// CALL.REL with a constant, rather than a register, that lies in the code itself.
constexpr std::uint32_t kConstantOperand = 0x800;

InstructionWord word_at(const char* code) {
  InstructionWord word;
  std::memcpy(&word.low, code, sizeof word.low);
  std::memcpy(&word.high, code + sizeof word.low, sizeof word.high);
  return word;
}

void add(std::vector<TensorInstruction>& to, const TensorInstruction& kind) {
  if (std::ranges::find(to, kind) != to.end()) return;
  // A kind without operations stands for all that follow.
  if (to.size() < kMostKinds) to.push_back(to.size() + 1 < kMostKinds ? kind : TensorInstruction{});
}

/// The code of one section.
struct Scanned {
  std::vector<TensorInstruction> kinds;
  bool has_half_arithmetic = false;
  bool calls_others = false;
};

Scanned scan(int architecture, const TensorOpcodes& interesting, std::string_view code) {
  Scanned found;
  for (std::size_t at = 0; at + kInstructionBytes <= code.size(); at += kInstructionBytes) {
    std::uint16_t beginning = 0;
    std::memcpy(&beginning, code.data() + at, sizeof beginning);
    const std::uint32_t opcode = beginning & 0x1ffU;
    if (!interesting[opcode]) continue;
    if (opcode == kCallAbsolute || opcode == kCallRelative) {
      const bool is_inside = opcode == kCallRelative && (beginning & kConstantOperand) != 0;
      if (!is_inside) found.calls_others = true;
    } else if (is_half_arithmetic(architecture, word_at(code.data() + at))) {
      found.has_half_arithmetic = true;
    } else if (const auto kind = tensor_instruction(architecture, word_at(code.data() + at))) {
      add(found.kinds, *kind);
    }
  }
  return found;
}

}  // namespace

std::vector<FunctionCode> function_code(std::string_view file) {
  const auto cubin = read_cubin(file);
  return cubin ? function_code(*cubin) : std::vector<FunctionCode>();
}

std::vector<FunctionCode> function_code(const Cubin& cubin) {
  TensorOpcodes interesting = tensor_opcodes(cubin.architecture);
  if (interesting.none()) return {};
  interesting.set(kCallAbsolute).set(kCallRelative);
  for (const std::uint32_t opcode : kHalfOpcodes) interesting.set(opcode);

  std::vector<Scanned> scanned;
  scanned.reserve(cubin.sections.size());
  std::vector<TensorInstruction> of_others;
  bool have_others_half_arithmetic = false;
  for (const CodeSection& section : cubin.sections) {
    scanned.push_back(scan(cubin.architecture, interesting, section.code));
    if (!section.is_referenced) continue;
    for (const TensorInstruction& kind : scanned.back().kinds) add(of_others, kind);
    have_others_half_arithmetic |= scanned.back().has_half_arithmetic;
  }
  std::vector<FunctionCode> functions;
  for (std::size_t i = 0; i < scanned.size(); ++i) {
    if (scanned[i].calls_others) {
      for (const TensorInstruction& kind : of_others) add(scanned[i].kinds, kind);
      scanned[i].has_half_arithmetic |= have_others_half_arithmetic;
    }
    functions.push_back({.symbol = cubin.sections[i].symbol,
                         .tensor_instructions = std::move(scanned[i].kinds),
                         .has_half_arithmetic = scanned[i].has_half_arithmetic});
  }
  return functions;
}

}  // namespace rooflinectl
