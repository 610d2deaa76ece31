// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>

#include "core/model/plan.h"
#include "core/serial/protocol.h"

/// When a collector counts as hung.
namespace rooflinectl {

/// How long a collector may take until it names what it works on: before its first progress, while it loads
/// CUDA and sets up the counters, and after each result. ROOFLINECTL_SILENCE_LIMIT does not replace it.
inline constexpr std::chrono::duration<double> kStartLimit{120};
/// How long it may take to exit after its last line.
inline constexpr std::chrono::duration<double> kExitLimit{5};

/// How long a collector may be silent while it works on something, before it counts as hung: far longer than
/// any step takes.
std::chrono::duration<double> usual_silence_limit(message::Phase phase, const TimingTarget& timing);

/// The limit that takes its place: ROOFLINECTL_SILENCE_LIMIT, in seconds, for slow tools like
/// compute-sanitizer. Nothing if the variable is not set. Throws Error(usage) if it holds no number of
/// seconds.
std::optional<std::chrono::duration<double>> silence_limit_from_environment();

}  // namespace rooflinectl
