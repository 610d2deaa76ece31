// SPDX-License-Identifier: Apache-2.0
// A report of Nsight Compute that zstd has compressed: its kernels, or Error(usage).

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string_view>

#include "core/error.h"
#include "core/files/compression.h"
#include "readers/ncu/ncu_kernel.h"

using namespace rooflinectl;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 20;
  try {
    std::istringstream file(
        unpacked_zstd(std::string_view(reinterpret_cast<const char*>(data), size), "a.ncu-repz", kMostBytes));
    if (file.view().size() > kMostBytes) std::abort();
    read_ncu_report(file);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) std::abort();
  }
  return 0;
}
