// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/program/application.h"

namespace rooflinectl {

/// A collective on one rank, within a window.
struct CollectiveSpan {
  std::uint64_t start_ns = 0;  ///< since the window began
  std::uint64_t duration_ns = 0;
  std::uint64_t wait_ns = 0;  ///< of that, at its beginning, until the last rank came
};

/// When ranks were in collectives, side by side, in a part of the run.
struct RankWindow {
  std::uint64_t duration_ns = 0;
  std::vector<std::vector<CollectiveSpan>> processes;  ///< in the order of `Application::processes`
};

/// Of the parts of the run with this length, one in which the ranks waited as long as in the median one.
/// Nothing if no collectives were matched between ranks, or they fill no part.
std::optional<RankWindow> typical_window(const Application& application, std::uint64_t duration_ns);

}  // namespace rooflinectl
