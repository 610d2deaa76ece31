// SPDX-License-Identifier: Apache-2.0
// Prints every tensor instruction of a cubin, for tensor_code_test.py: function, place in it, opcode, m, n,
// k, type, accumulator, sparse or dense, and operations.

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "core/machine_code/cubin.h"
#include "core/machine_code/tensor_instruction.h"

using namespace rooflinectl;

int main(int count, char** arguments) {
  if (count != 2) return 2;
  std::ifstream file(arguments[1], std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  const auto cubin = read_cubin(bytes);
  if (!cubin) return 1;
  for (const CodeSection& section : cubin->sections) {
    for (std::size_t at = 0; at + sizeof(InstructionWord) <= section.code.size();
         at += sizeof(InstructionWord)) {
      InstructionWord word;
      std::memcpy(&word, section.code.data() + at, sizeof word);
      const auto kind = tensor_instruction(cubin->architecture, word);
      if (!kind) continue;
      std::cout << section.symbol << ' ' << at << ' ' << to_string(kind->opcode) << ' ' << kind->m << ' '
                << kind->n << ' ' << kind->k << ' ' << to_string(kind->type) << ' '
                << to_string(kind->accumulator) << ' ' << (kind->is_sparse ? "sparse" : "dense") << ' '
                << kind->operations.value_or(0) << '\n';
    }
  }
}
