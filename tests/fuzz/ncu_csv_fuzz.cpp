// SPDX-License-Identifier: Apache-2.0
// Output of ncu: kernels or an Error, which is Error(environment) if ncu itself reports one.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/error.h"
#include "readers/ncu/ncu_kernel.h"

using namespace rooflinectl;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    read_ncu_csv(std::string_view(reinterpret_cast<const char*>(data), size));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage && error.kind() != ErrorKind::environment) std::abort();
  }
  return 0;
}
