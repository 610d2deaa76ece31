// SPDX-License-Identifier: Apache-2.0
// Prints every tensor instruction of a cubin, for tensor_code_test.py: function, place in it, opcode, m, n,
// k, type, accumulator, sparse or dense, operations, and scales. After --half, function and place of every
// instruction that does arithmetic on FP16 or BF16 elsewhere.

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "core/machine_code/machine_code.h"

using namespace rooflinectl;

int main(int count, char** arguments) {
  const bool is_half = count == 3 && std::string(arguments[1]) == "--half";
  if (count != 2 && !is_half) return 2;
  std::ifstream file(arguments[count - 1], std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  const auto cubin = read_cubin(bytes);
  if (!cubin) return 1;
  for (const CodeSection& section : cubin->sections) {
    for (std::size_t at = 0; at + sizeof(InstructionWord) <= section.code.size();
         at += sizeof(InstructionWord)) {
      InstructionWord word;
      std::memcpy(&word, section.code.data() + at, sizeof word);
      if (is_half) {
        if (is_half_arithmetic(cubin->architecture, word)) std::cout << section.symbol << ' ' << at << '\n';
        continue;
      }
      const auto kind = tensor_instruction(cubin->architecture, word);
      if (!kind) continue;
      std::cout << section.symbol << ' ' << at << ' ' << to_string(kind->opcode) << ' ' << kind->m << ' '
                << kind->n << ' ' << kind->k << ' ' << to_string(kind->type) << ' '
                << to_string(kind->accumulator) << ' ' << (kind->is_sparse ? "sparse" : "dense") << ' '
                << kind->operations.value_or(0) << ' ' << to_string(kind->scales) << '\n';
    }
  }
}
