// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/enum_names.h"

namespace rooflinectl {

enum class CeilingKind {
  bandwidth,  ///< of a memory of the device
  transfer,   ///< between the device and its host or other devices: no roof of kernels
  compute,
  latency,
};

/// Whether it is the rate of something that kernels do, which charts draw and counters confirm: not how long
/// something takes, nor what copy engines move.
bool is_roof(CeilingKind kind);

/// Ids of ceilings that are asked for by name: the time of an empty kernel.
namespace ceiling_id {
inline constexpr std::string_view kLaunch = "launch";         ///< launched by itself
inline constexpr std::string_view kGraphNode = "graph_node";  ///< as one of many in a CUDA graph
/// Ends the id of a Tensor Core ceiling under the power cap, which is measured with the ceiling in a burst.
inline constexpr std::string_view kSustained = "_sustained";
}  // namespace ceiling_id

}  // namespace rooflinectl
