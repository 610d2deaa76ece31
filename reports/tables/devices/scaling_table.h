// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/devices/scaling.h"
#include "reports/text/table.h"

/// How points over several GPUs scale, as the terminal, `summary.md` and the page show it.
namespace rooflinectl {

/// What the table means.
inline constexpr std::string_view kScalingExplanation =
    "Speed-up: elements per second over those of one GPU. Links allow: the speed-up if each GPU did its "
    "share as fast as one GPU does all of its elements, and only the time of the link were added. "
    "Efficiency: speed-up over the number of GPUs. Compute, memory, link: the least time that one GPU's work "
    "needs at the measured ceilings. Compute and memory overlap; the link comes after them: one message "
    "(half the round trip of a load), and the declared bytes at the bandwidth of NVLink. Share: what one GPU "
    "takes for its part of the elements alone, and how much of the time that is; the rest is starting all "
    "GPUs, the links between them, and waiting for the slowest.";

/// `Strong scaling: the same elements on more GPUs`
std::string scaling_title(ScalingKind kind);

/// Speed-ups, and what the times consist of: a row for each number of GPUs on each curve.
std::vector<Table> scaling_tables(const Scaling& scaling);

}  // namespace rooflinectl
