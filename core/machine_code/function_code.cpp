// SPDX-License-Identifier: Apache-2.0
#include "core/machine_code/function_code.h"

#include <algorithm>
#include <cstring>

#include "core/machine_code/cubin.h"

namespace rooflinectl {

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
  if (std::find(to.begin(), to.end(), kind) != to.end()) return;
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
  if (!cubin) return {};
  TensorOpcodes interesting = tensor_opcodes(cubin->architecture);
  if (interesting.none()) return {};
  interesting.set(kCallAbsolute).set(kCallRelative);
  for (const std::uint32_t opcode : kHalfOpcodes) interesting.set(opcode);

  std::vector<Scanned> scanned;
  scanned.reserve(cubin->sections.size());
  std::vector<TensorInstruction> of_others;
  bool have_others_half_arithmetic = false;
  for (const CodeSection& section : cubin->sections) {
    scanned.push_back(scan(cubin->architecture, interesting, section.code));
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
    functions.push_back({.symbol = cubin->sections[i].symbol,
                         .tensor_instructions = std::move(scanned[i].kinds),
                         .has_half_arithmetic = scanned[i].has_half_arithmetic});
  }
  return functions;
}

}  // namespace rooflinectl
