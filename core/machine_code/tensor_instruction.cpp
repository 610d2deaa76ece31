// SPDX-License-Identifier: Apache-2.0
// NVIDIA does not document these encodings. They were found by compiling each form of `mma`, `wgmma` and
// `tcgen05.mma` for each architecture and comparing the bits; tests/gpu/tensor_code_test.py repeats that.

#include <algorithm>

#include "core/machine_code/machine_code.h"

namespace rooflinectl {

namespace {

/// A word's bits, counted from 0.
constexpr std::uint64_t bits(InstructionWord word, unsigned first, unsigned count = 1) {
  const std::uint64_t from = first >= 64 ? word.high >> (first - 64U) : word.low >> first;
  return from & ((std::uint64_t{1} << count) - 1);
}

constexpr bool bit(InstructionWord word, unsigned place) {
  return bits(word, place) != 0;
}

/// Whether none of the modifiers, which lie from bit 72 on, is set except those of the mask, whose lowest bit
/// is bit 72. Above bit 104 are the scheduler's.
constexpr bool has_only(InstructionWord word, std::uint64_t mask) {
  return (bits(word, 72, 33) & ~mask) == 0;
}

/// Bits 0 to 8 are the opcode; these say of what kind its operands are.
constexpr unsigned kOperands = 9;

struct Shape {
  std::uint32_t m = 0;
  std::uint32_t n = 0;
  std::uint32_t k = 0;
};

constexpr std::uint32_t kWarpsOfGroup = 4;

// Modifiers that change neither type nor shape.
constexpr std::uint64_t kNegatedA = 0x1;
constexpr std::uint64_t kNegatedC = 0x8;  // of DMMA
constexpr std::uint64_t kPredicate = 0x38000;

/// `known` as it is, with the shape. A group's instruction is executed by each of its warps.
TensorInstruction with_shape(TensorInstruction known, Shape shape, std::uint32_t warps = 1) {
  known.m = shape.m;
  known.n = shape.n;
  known.k = shape.k;
  if (!known.is_sparse) known.operations = 2 * shape.m * shape.n * shape.k / warps;
  return known;
}

// Each of these decodes a word with one opcode. An encoding with anything unknown in it is only that opcode.

/// HMMA.884: the threads of a quad pair multiply 8×8×4, in steps of a part of the result.
TensorInstruction hmma_of_turing(InstructionWord word) {
  constexpr TensorInstruction kUnknown = {.opcode = TensorOpcode::hmma};
  if (!has_only(word, 0x1d6) || bit(word, 76) != bit(word, 78)) return kUnknown;
  const bool is_f32 = bit(word, 76);
  if (!is_f32 && bit(word, 80)) return kUnknown;
  TensorInstruction known = kUnknown;
  known.type = TensorElement::f16;
  known.accumulator = is_f32 ? TensorElement::f32 : TensorElement::f16;
  known.m = known.n = 8;
  known.k = 4;
  // Four quad pairs; the result takes four steps in f32 and two in f16.
  known.operations = 4 * 2 * 8 * 8 * 4 / (is_f32 ? 4 : 2);
  return known;
}

TensorInstruction hmma(InstructionWord word) {
  constexpr TensorInstruction kUnknown = {.opcode = TensorOpcode::hmma};
  constexpr std::array kTypes = {TensorElement::f16, TensorElement::bf16, TensorElement::tf32};
  const std::uint64_t type = bits(word, 82, 2);
  if (!has_only(word, 0xc5a) || type >= kTypes.size()) return kUnknown;
  const bool is_tf32 = kTypes.at(type) == TensorElement::tf32;
  const bool is_f32 = bit(word, 76);
  if (!is_f32 && kTypes.at(type) != TensorElement::f16) return kUnknown;
  const bool is_sparse = bit(word, 73);
  // Of f16; elements of tf32 are twice as long.
  std::uint32_t k = bit(word, 75) ? 16 : 8;
  if (bit(word, 78)) {
    if (is_tf32 == bit(word, 75)) return kUnknown;
    k = is_tf32 ? 4 : 32;
  }
  if (is_sparse && k == 4) return kUnknown;
  return with_shape({.opcode = TensorOpcode::hmma,
                     .type = kTypes.at(type),
                     .accumulator = is_f32 ? TensorElement::f32 : TensorElement::f16,
                     .is_sparse = is_sparse},
                    {16, 8, k});
}

TensorInstruction imma(InstructionWord word) {
  constexpr TensorInstruction kUnknown = {.opcode = TensorOpcode::imma};
  const std::uint64_t narrow = bits(word, 83, 2);  // of A and B
  if (!has_only(word, 0x7c5d) || !bit(word, 74) || (narrow != 0 && narrow != 3)) return kUnknown;
  const bool is_i4 = narrow != 0;
  const bool is_sparse = bit(word, 72);
  const std::uint64_t size = 4 * bit(word, 86) + 2 * bit(word, 85) + bit(word, 75);
  TensorInstruction known = {.opcode = TensorOpcode::imma,
                             .type = is_i4 ? TensorElement::i4 : TensorElement::i8,
                             .accumulator = TensorElement::i32,
                             .is_sparse = is_sparse};
  switch (size) {
    case 0:
      return is_i4 || is_sparse ? kUnknown : with_shape(known, {8, 8, 16});
    case 2:
      return !is_i4 || is_sparse ? kUnknown : with_shape(known, {8, 8, 32});
    case 4:
      return is_i4 || is_sparse ? kUnknown : with_shape(known, {16, 8, 16});
    case 5:
      return is_i4 && is_sparse ? kUnknown : with_shape(known, {16, 8, 32});
    case 6:
      return !is_i4 && !is_sparse ? kUnknown : with_shape(known, {16, 8, 64});
    case 7:
      return !is_i4 || !is_sparse ? kUnknown : with_shape(known, {16, 8, 128});
    default:
      return kUnknown;
  }
}

TensorInstruction bmma(InstructionWord word) {
  constexpr TensorInstruction kUnknown = {.opcode = TensorOpcode::bmma};
  constexpr std::array kShapes = {Shape{8, 8, 128}, Shape{16, 8, 128}, Shape{16, 8, 256}};
  const std::uint64_t size = bits(word, 75, 2);
  if (!has_only(word, 0x15c) || !bit(word, 74) || !bit(word, 80) || size >= kShapes.size()) return kUnknown;
  return with_shape(
      {.opcode = TensorOpcode::bmma, .type = TensorElement::b1, .accumulator = TensorElement::i32},
      kShapes.at(size));
}

TensorInstruction dmma(InstructionWord word) {
  constexpr std::array kShapes = {Shape{8, 8, 4}, Shape{16, 8, 4}, Shape{16, 8, 8}, Shape{16, 8, 16}};
  if (!has_only(word, kNegatedA | kNegatedC | 0x30)) return {.opcode = TensorOpcode::dmma};
  return with_shape(
      {.opcode = TensorOpcode::dmma, .type = TensorElement::f64, .accumulator = TensorElement::f64},
      kShapes.at(bits(word, 76, 2)));
}

/// e4m3, e5m2, e3m2, e2m3 and e2m1 of QMMA, by three bits; nothing for another value.
std::optional<bool> is_f8(std::uint64_t low, std::uint64_t high) {
  switch (high << 1U | low) {
    case 0:
    case 1:
      return true;
    case 3:
    case 4:
    case 5:
      return false;
    default:
      return std::nullopt;
  }
}

TensorInstruction qmma(InstructionWord word) {
  constexpr TensorInstruction kUnknown = {.opcode = TensorOpcode::qmma};
  const bool has_scales = bits(word, kOperands, 3) == 2;
  const auto a = is_f8(bits(word, 78), bits(word, 82, 2));
  const auto b = is_f8(bits(word, 79), bits(word, 84, 2));
  if (!has_only(word, kPredicate | (has_scales ? 0x3dfe : 0x3dfc)) || !bit(word, 74) || !a || !b)
    return kUnknown;
  TensorInstruction known = {.opcode = TensorOpcode::qmma,
                             .type = *a && *b ? TensorElement::f8 : TensorElement::f8f6f4,
                             .accumulator = bit(word, 77) ? TensorElement::f32 : TensorElement::f16,
                             .is_sparse = bit(word, 80),
                             .scales = has_scales ? BlockScales::mx : BlockScales::none};
  const std::uint64_t size = bits(word, 75, 2);
  if (has_scales) {
    const bool is_known = bit(word, 73) && bit(word, 77) && size == 3;
    return is_known ? with_shape(known, {16, 8, known.is_sparse ? 64U : 32U}) : kUnknown;
  }
  if (known.is_sparse) return size == 2 ? with_shape(known, {16, 8, 64}) : kUnknown;
  return size < 2 ? with_shape(known, {16, 8, size == 0 ? 16U : 32U}) : kUnknown;
}

TensorInstruction omma(InstructionWord word) {
  if (!has_only(word, 0xd3e) || (bits(word, 72, 8) != 0x3e)) return {.opcode = TensorOpcode::omma};
  const bool is_sparse = bit(word, 80);
  return with_shape({.opcode = TensorOpcode::omma,
                     .type = TensorElement::f4,
                     .accumulator = TensorElement::f32,
                     .is_sparse = is_sparse,
                     .scales = bit(word, 83) ? BlockScales::mx : BlockScales::nv},
                    {16, 8, is_sparse ? 128U : 64U});
}

/// Of wgmma: predicates and a barrier.
constexpr std::uint64_t kControlOfGroup = 0xff000;
constexpr std::uint64_t kSparse = 2;

TensorInstruction hgmma(InstructionWord word) {
  constexpr TensorInstruction kUnknown = {.opcode = TensorOpcode::hgmma};
  constexpr std::array kTypes = {TensorElement::f16, TensorElement::bf16, TensorElement::tf32};
  const std::uint64_t type = bits(word, 76, 2);
  if (!has_only(word, kControlOfGroup | kNegatedA | kSparse | 0x38) || type >= kTypes.size()) return kUnknown;
  const bool is_tf32 = kTypes.at(type) == TensorElement::tf32;
  const bool is_f32 = bit(word, 75);
  const bool is_sparse = bit(word, 73);
  if (!is_f32 && kTypes.at(type) != TensorElement::f16) return kUnknown;
  constexpr std::array<std::uint32_t, 3> kDepths = {16, 8, 32};
  const std::uint64_t depth = bits(word, 58, 2);
  const std::uint32_t expected = (is_tf32 ? 8 : 16) * (is_sparse ? 2 : 1);
  if (depth >= kDepths.size() || kDepths.at(depth) != expected) return kUnknown;
  return with_shape({.opcode = TensorOpcode::hgmma,
                     .type = kTypes.at(type),
                     .accumulator = is_f32 ? TensorElement::f32 : TensorElement::f16,
                     .is_sparse = is_sparse},
                    {64, 8 * (static_cast<std::uint32_t>(bits(word, 53, 5)) + 1), expected}, kWarpsOfGroup);
}

TensorInstruction qgmma(InstructionWord word) {
  constexpr TensorInstruction kUnknown = {.opcode = TensorOpcode::qgmma};
  const bool is_sparse = bit(word, 73);
  if (!has_only(word, kControlOfGroup | kNegatedA | kSparse | 0x38) ||
      bits(word, 58, 2) != (is_sparse ? 1U : 0U)) {
    return kUnknown;
  }
  return with_shape({.opcode = TensorOpcode::qgmma,
                     .type = TensorElement::f8,
                     .accumulator = bit(word, 75) ? TensorElement::f32 : TensorElement::f16,
                     .is_sparse = is_sparse},
                    {64, 8 * (static_cast<std::uint32_t>(bits(word, 53, 5)) + 1), is_sparse ? 64U : 32U},
                    kWarpsOfGroup);
}

/// The widths that integers have: 8, 16, 24, 32, 48, 64, …, 256.
std::optional<std::uint32_t> integer_width(std::uint64_t place) {
  if (place < 4) return 8 * (static_cast<std::uint32_t>(place) + 1);
  if (place < 18) return 16 * (static_cast<std::uint32_t>(place) - 1);
  return std::nullopt;
}

TensorInstruction igmma(InstructionWord word) {
  constexpr TensorInstruction kUnknown = {.opcode = TensorOpcode::igmma};
  const bool is_sparse = bit(word, 73);
  const std::uint64_t size = bits(word, 53, 7);
  const auto n = integer_width(size / 3);
  if (!has_only(word, kControlOfGroup | kSparse | 0x418) || !n || size % 3 != (is_sparse ? 1U : 0U)) {
    return kUnknown;
  }
  return with_shape({.opcode = TensorOpcode::igmma,
                     .type = TensorElement::i8,
                     .accumulator = TensorElement::i32,
                     .is_sparse = is_sparse},
                    {64, *n, is_sparse ? 64U : 32U}, kWarpsOfGroup);
}

TensorInstruction bgmma(InstructionWord word) {
  constexpr TensorInstruction kUnknown = {.opcode = TensorOpcode::bgmma};
  const auto n = integer_width(bits(word, 53, 7));
  if (!has_only(word, kControlOfGroup | 0x140) || (bits(word, 72, 12) & 0x140) != 0x140 || !n)
    return kUnknown;
  return with_shape(
      {.opcode = TensorOpcode::bgmma, .type = TensorElement::b1, .accumulator = TensorElement::i32},
      {64, *n, 256}, kWarpsOfGroup);
}

/// The shape is in a descriptor that the program makes, and the type of UTCHMMA too.
TensorInstruction utcmma(InstructionWord word) {
  switch (bits(word, 72, 2)) {
    case 0:
      // With scales there is no other type than f4.
      if (bit(word, 63)) {
        return {.opcode = TensorOpcode::utcomma,
                .type = TensorElement::f4,
                .accumulator = TensorElement::f32,
                .scales = bit(word, 62) ? BlockScales::mx : BlockScales::nv};
      }
      return {.opcode = TensorOpcode::utchmma};
    case 1:
      return {.opcode = TensorOpcode::utcimma, .type = TensorElement::i8, .accumulator = TensorElement::i32};
    case 3:
      // With scales, their place takes the third kind of operand. Sums of these are FP32.
      if (bits(word, kOperands + 1, 2) != 3) {
        return {.opcode = TensorOpcode::utcqmma, .type = TensorElement::f8f6f4};
      }
      return {.opcode = TensorOpcode::utcqmma,
              .type = TensorElement::f8f6f4,
              .accumulator = TensorElement::f32,
              .scales = BlockScales::mx};
    default:
      return {.opcode = TensorOpcode::utchmma};
  }
}

constexpr int kLast = 121;
constexpr std::array kArchitectures = {75, 80, 86, 87, 88, 89, 90, 100, 101, 103, 110, 120, kLast};

/// Other architectures have other instructions with the same opcodes.
struct Encoding {
  std::uint32_t opcode = 0;
  int first = 0;  ///< architecture
  int last = 0;
  unsigned operands = 0;  ///< the kinds that are known, a bit for each
  TensorOpcode name = TensorOpcode::hmma;
  TensorInstruction (*decode)(InstructionWord word) = nullptr;
};

constexpr unsigned kRegisters = 1U << 1U;
constexpr unsigned kWithScales = 1U << 2U;
constexpr unsigned kOfGroup = 1U << 4U | 1U << 6U;
constexpr unsigned kOfSm = 1U << 2U | 1U << 4U | 1U << 6U | 1U << 7U;
constexpr std::array kEncodings = {
    Encoding{0x036, 75, 75, kRegisters, TensorOpcode::hmma, hmma_of_turing},
    Encoding{0x037, 75, kLast, kRegisters, TensorOpcode::imma, imma},
    Encoding{0x03c, 75, kLast, kRegisters, TensorOpcode::hmma, hmma},
    Encoding{0x03d, 75, 90, kRegisters, TensorOpcode::bmma, bmma},
    Encoding{0x03f, 80, kLast, kRegisters, TensorOpcode::dmma, dmma},
    Encoding{0x07a, 89, 89, kRegisters, TensorOpcode::qmma, qmma},
    Encoding{0x07a, 120, kLast, kRegisters | kWithScales, TensorOpcode::qmma, qmma},
    Encoding{0x07f, 120, kLast, kWithScales, TensorOpcode::omma, omma},
    Encoding{0x1ea, 100, 119, kOfSm, TensorOpcode::utchmma, utcmma},
    Encoding{0x1f0, 90, 90, kOfGroup, TensorOpcode::hgmma, hgmma},
    Encoding{0x1f1, 90, 90, kOfGroup, TensorOpcode::igmma, igmma},
    Encoding{0x1f2, 90, 90, kOfGroup, TensorOpcode::bgmma, bgmma},
    Encoding{0x1f3, 90, 90, kOfGroup, TensorOpcode::qgmma, qgmma},
};

constexpr bool is_of(const Encoding& encoding, int architecture) {
  return encoding.first <= architecture && architecture <= encoding.last;
}

}  // namespace

bool is_half_arithmetic(int architecture, InstructionWord word) {
  constexpr std::uint64_t kConstantC = 2;
  constexpr std::uint64_t kZeroRegister = 0xff;
  constexpr unsigned kA = 24;
  constexpr unsigned kB = 64;  // where C is a constant
  constexpr unsigned kToF32 = 78;
  switch (opcode_of(word)) {
    case kHadd2:
      return !bit(word, kToF32);
    case kHmul2:
      return true;
    case kHfma2Mma:
      if (architecture < 80 || architecture > 90) return false;
      [[fallthrough]];
    case kHfma2:
      return bits(word, kOperands, 3) != kConstantC || bits(word, kA, 8) != kZeroRegister ||
             bits(word, kB, 8) != kZeroRegister;
    default:
      return false;
  }
}

bool is_known_architecture(int architecture) {
  return std::ranges::find(kArchitectures, architecture) != kArchitectures.end();
}

TensorOpcodes tensor_opcodes(int architecture) {
  TensorOpcodes opcodes;
  if (!is_known_architecture(architecture)) return opcodes;
  for (const Encoding& encoding : kEncodings) {
    if (is_of(encoding, architecture)) opcodes.set(encoding.opcode);
  }
  return opcodes;
}

std::optional<TensorInstruction> tensor_instruction(int architecture, InstructionWord word) {
  if (!is_known_architecture(architecture)) return std::nullopt;
  for (const Encoding& encoding : kEncodings) {
    if (encoding.opcode != opcode_of(word) || !is_of(encoding, architecture)) continue;
    const bool is_known = (encoding.operands >> bits(word, kOperands, 3) & 1U) != 0;
    return is_known ? encoding.decode(word) : TensorInstruction{.opcode = encoding.name};
  }
  return std::nullopt;
}

std::string_view to_string(TensorOpcode opcode) {
  constexpr std::array<std::string_view, kEnumerators<TensorOpcode>.size()> kNames = {
      "HMMA",  "IMMA",  "DMMA",  "BMMA",    "QMMA",    "OMMA",    "HGMMA",
      "IGMMA", "BGMMA", "QGMMA", "UTCHMMA", "UTCIMMA", "UTCQMMA", "UTCOMMA"};
  return kNames.at(static_cast<std::size_t>(opcode));
}

std::optional<TensorProducts> products_of(const std::vector<TensorInstruction>& instructions) {
  const auto of = [](const TensorInstruction& one) {
    return TensorProducts{one.type, one.accumulator, one.is_sparse, one.scales};
  };
  const bool are_alike =
      std::ranges::all_of(instructions, [&](const auto& one) { return of(one) == of(instructions.front()); });
  return !instructions.empty() && are_alike ? std::optional(of(instructions.front())) : std::nullopt;
}

}  // namespace rooflinectl
