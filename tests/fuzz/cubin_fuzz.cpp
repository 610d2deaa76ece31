// SPDX-License-Identifier: Apache-2.0
// The code of a module that a profiled program loads: whatever it is, nothing is read beyond it.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "core/machine_code/machine_code.h"

using namespace rooflinectl;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string cubin(reinterpret_cast<const char*>(data), size);
  for (const FunctionCode& function : function_code(cubin)) {
    for (const TensorInstruction& kind : function.tensor_instructions) {
      if (kind.operations && (kind.m == 0 || *kind.operations == 0)) std::abort();
    }
  }
  return 0;
}
