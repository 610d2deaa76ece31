// SPDX-License-Identifier: Apache-2.0
// A report of Nsight Compute: kernels, with problems where it is damaged, or Error(usage).

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

#include "core/error.h"
#include "readers/ncu/ncu_kernel.h"

using namespace rooflinectl;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream file(std::string(reinterpret_cast<const char*>(data), size));
  try {
    const NcuReport report = read_ncu_report(file);
    if (report.kernels.empty() && !report.problems.empty()) std::abort();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) std::abort();
  }
  return 0;
}
