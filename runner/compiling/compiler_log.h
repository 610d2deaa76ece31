// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rooflinectl {

/// What ptxas reports of a kernel with `-v`.
struct KernelReport {
  int registers = 0;
  std::uint64_t spill_bytes = 0;  ///< stored and loaded
};

/// The report on the kernel `symbol`; zeros if the log has none.
KernelReport kernel_report(std::string_view log, std::string_view symbol);

/// The lines of the log that are for people: neither ptxas' reports nor blank, nor how to silence warnings.
std::vector<std::string> messages_in(std::string_view log);

// What the generated code is called in messages: where it names the function, and where it checks arguments.
inline constexpr const char* kFunctionFile = "rooflinectl: function";
inline constexpr const char* kArgumentsFile = "rooflinectl: arguments";

/// What a compiler that refused `unit` says of the user's files; of the generated code only if nothing is
/// wrong with these, and then the first mistake alone, at `place` (mistakes in arguments name their places).
std::vector<std::string> errors_in(std::string_view log, std::string_view unit, std::string_view place);

/// The name in `cubin` of the kernel that the device variable `marker<&kernel>` in it names. Empty if it has
/// no such kernel.
std::string marked_kernel(std::string_view cubin, std::string_view marker);

}  // namespace rooflinectl
