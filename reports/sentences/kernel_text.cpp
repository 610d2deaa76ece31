// SPDX-License-Identifier: Apache-2.0
#include "reports/sentences/kernel_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/text/format.h"

namespace rooflinectl {

std::string registers_text(const CompiledKernel& compiled) {
  return fmt::format(
      "{}, {}", format::counted(static_cast<std::size_t>(compiled.registers), "register"),
      compiled.spill_bytes == 0 ? "no spills" : fmt::format("{} bytes spilled", compiled.spill_bytes));
}

std::string compiled_text(const CompiledKernel& compiled) {
  return fmt::format("{}, {} for sm_{}: {}", compiled.function, compiled.compiler, compiled.architecture,
                     registers_text(compiled));
}

std::vector<std::string> compiler_findings(const Run& run) {
  std::vector<std::string> findings;
  for (const CompiledKernel& compiled : run.compiled_kernels) {
    const std::string name =
        fmt::format("{} ({} for sm_{})", compiled.kernel, compiled.function, compiled.architecture);
    if (compiled.spill_bytes > 0) {
      findings.push_back(fmt::format(
          "{} spills: its {} per thread do not suffice, and each thread stores and loads {} bytes more.",
          name, format::counted(static_cast<std::size_t>(compiled.registers), "register"),
          compiled.spill_bytes));
    }
    if (!compiled.warnings.empty()) {
      findings.push_back(fmt::format("{}: the compiler warns: {}", name, fmt::join(compiled.warnings, " ")));
    }
  }
  return findings;
}

}  // namespace rooflinectl
