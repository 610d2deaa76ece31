// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/enum_names.h"

namespace rooflinectl {

/// Instructions of the Tensor Cores, as NVIDIA's disassembler names them.
enum class TensorOpcode {
  hmma,  ///< of a warp, on f16, bf16 and tf32
  imma,
  dmma,
  bmma,
  qmma,   ///< on floats of 8, 6 and 4 bits
  omma,   ///< on floats of 4 bits with scales
  hgmma,  ///< of a warpgroup (wgmma): each of its four warps executes one
  igmma,  ///< likewise, as below
  bgmma,
  qgmma,
  utchmma,  ///< of an SM or two (tcgen05): one thread issues it
  utcimma,  ///< likewise, as below
  utcqmma,
  utcomma,
};

std::string_view to_string(TensorOpcode opcode);

/// What the elements of a matrix are. Tensor Cores are as fast on e4m3 as on e5m2, on signed as on unsigned
/// integers.
enum class TensorElement {
  unknown,  ///< determined when the program runs, or by an encoding that is not known
  f16,
  bf16,
  tf32,
  f32,
  f64,
  f8,
  f8f6f4,  ///< floats of 8, 6 or 4 bits, not only of 8
  f4,
  i8,
  i4,
  i32,
  b1,
};

/// Factors of blocks of elements along k, which the instruction applies.
enum class BlockScales {
  none,
  mx,  ///< a power of two (ue8m0) for each 32 elements
  nv,  ///< a float of 8 bits (ue4m3) for each 16
};

/// What the rate of the Tensor Cores depends on, whatever the shape: the identity of their ceilings.
struct TensorProducts {
  TensorElement type = TensorElement::unknown;         ///< of A and B
  TensorElement accumulator = TensorElement::unknown;  ///< of D
  bool is_sparse = false;                              ///< half of A is zero and left out
  BlockScales scales = BlockScales::none;

  bool operator==(const TensorProducts&) const = default;
};

/// Instructions of the Tensor Cores that do the same, on whatever registers: D = A·B + C.
struct TensorInstruction {
  TensorOpcode opcode = TensorOpcode::hmma;
  TensorElement type = TensorElement::unknown;         ///< of A and B
  TensorElement accumulator = TensorElement::unknown;  ///< of D
  /// A is m×k, B k×n, with the zeros of a sparse A. All are 0 if they are unknown.
  std::uint32_t m = 0;
  std::uint32_t n = 0;
  std::uint32_t k = 0;
  bool is_sparse = false;  ///< half of A is zero and left out
  BlockScales scales = BlockScales::none;
  /// Of one warp in one instruction; a multiply-add is two. Nothing for sparse ones, or if it is unknown.
  std::optional<std::uint32_t> operations;

  bool operator==(const TensorInstruction&) const = default;
};

/// The 16 bytes of an instruction, from Turing (sm_75) to Blackwell (sm_121).
struct InstructionWord {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

/// The opcodes of HADD2, HFMA2, HMUL2 and HFMA2.MMA.
inline constexpr std::uint32_t kHadd2 = 0x30;
inline constexpr std::uint32_t kHfma2 = 0x31;
inline constexpr std::uint32_t kHmul2 = 0x32;
inline constexpr std::uint32_t kHfma2Mma = 0x35;  ///< of GA100 and GH100: the Tensor Cores' pipe executes it
inline constexpr std::array kHalfOpcodes = {kHadd2, kHfma2, kHmul2, kHfma2Mma};

/// Whether an instruction adds or multiplies FP16 or BF16 values outside of the Tensor Cores. Others with the
/// same opcodes, which counters count with these, convert to FP32 (HADD2.F32) or bring a constant into a
/// register (HFMA2 of two zero registers).
bool is_half_arithmetic(int architecture, InstructionWord word);

constexpr std::uint32_t opcode_of(InstructionWord word) {
  return word.low & 0x1ffU;
}

/// Whether instructions are known of an architecture: 90 is sm_90.
bool is_known_architecture(int architecture);

/// The opcodes of an architecture's instructions on the Tensor Cores, of the 512 that there are. None of one
/// that is not known.
using TensorOpcodes = std::bitset<512>;
TensorOpcodes tensor_opcodes(int architecture);

/// What an instruction does on the Tensor Cores; nothing if it does not use them, or if the architecture is
/// not known. Of an encoding that is not known only the opcode is.
std::optional<TensorInstruction> tensor_instruction(int architecture, InstructionWord word);

/// What all of `instructions` multiply. Nothing if they differ, or there are none.
std::optional<TensorProducts> products_of(const std::vector<TensorInstruction>& instructions);

/// The machine code of one section of a cubin: a kernel with what was compiled into it, or a function that
/// others call.
struct CodeSection {
  std::string_view symbol;  ///< mangled
  std::string_view code;
  /// Whether code of another section may call it, or its address is known to the program.
  bool is_referenced = false;
};

/// What a cubin, an ELF file, holds of machine code. Everything points into the cubin.
struct Cubin {
  int architecture = 0;  ///< 90 for sm_90
  std::vector<CodeSection> sections;
  bool has_lines = false;  ///< whether it tells which lines of its source its instructions come from
};

/// Nothing if it is not a cubin, is damaged, or has more sections or relocations than compilers make. Throws
/// nothing but std::bad_alloc; takes no more time than to read the file once.
std::optional<Cubin> read_cubin(std::string_view file);

/// What a function of a cubin may execute.
struct FunctionCode {
  std::string_view symbol;  ///< of the function, mangled; points into the cubin
  /// Its kinds, each once, in the order in which they come in the code.
  std::vector<TensorInstruction> tensor_instructions;
  bool has_half_arithmetic = false;  ///< FP16 or BF16 outside of the Tensor Cores
};

/// All functions of a cubin. Their instructions are those in their own code and, if they call code
/// outside of it, in any function of the cubin whose address is known there. Functions of other modules are
/// not among these, as code is linked before it is loaded. Nothing if the file is not a cubin or its
/// architecture is not known. Throws nothing but std::bad_alloc.
///
/// Every instruction is looked at once: a cubin of 100 MB takes less than 0.1 s.
std::vector<FunctionCode> function_code(std::string_view cubin);
std::vector<FunctionCode> function_code(const Cubin& cubin);

}  // namespace rooflinectl
