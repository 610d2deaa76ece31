// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace rooflinectl {

enum class CeilingKind {
  bandwidth,  ///< of a memory of the device
  transfer,   ///< between the device and its host or other devices: no roof of kernels
  compute,
  latency,
};

std::string_view to_string(CeilingKind kind);
/// Whether it is the rate of something that kernels do, which charts draw and counters confirm: not how long
/// something takes, nor what copy engines move.
bool is_roof(CeilingKind kind);

}  // namespace rooflinectl
