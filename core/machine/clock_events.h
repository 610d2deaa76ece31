// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rooflinectl {

/// Why the driver keeps a GPU's clock below its highest: the bits of NVML's `nvmlClocksEventReasons`. Source:
/// NVML API Reference.
using ClockEventReasons = std::uint64_t;

/// The kernel itself draws all the power that the board may have.
inline constexpr ClockEventReasons kPowerCap = 0x004;
/// Something other than the kernel slows the GPU down: hardware slowdown, software and hardware thermal
/// slowdown, power brake.
inline constexpr ClockEventReasons kSlowdowns = 0x008 | 0x020 | 0x040 | 0x080;

/// `power cap`, `thermal`, …; empty for an idle GPU, and for bits that are not known here.
inline std::vector<std::string> names_of(ClockEventReasons reasons) {
  constexpr struct {
    ClockEventReasons bit;
    const char* name;
  } kNames[] = {
      {0x002, "application clocks"},   {kPowerCap, "power cap"}, {0x008, "hardware slowdown"},
      {0x010, "synchronised boost"},   {0x020, "thermal"},       {0x040, "hardware thermal slowdown"},
      {0x080, "hardware power brake"}, {0x100, "display clocks"}};
  std::vector<std::string> names;
  for (const auto& [bit, name] : kNames) {
    if ((reasons & bit) != 0) names.emplace_back(name);
  }
  return names;
}

}  // namespace rooflinectl
