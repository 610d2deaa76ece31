// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "analysis/scaling.h"
#include "reports/tables/device_table.h"

/// How points over several GPUs scale, as the terminal, `summary.md` and the page show it.
namespace rooflinectl {

/// What the table means.
inline constexpr std::string_view kScalingExplanation =
    "Speed-up: elements per second over those of one GPU. Efficiency: speed-up over the number of GPUs. "
    "Share: what "
    "one GPU takes for its part of the elements alone, and how much of the time that is; the rest is "
    "starting all "
    "GPUs, the links between them, and waiting for the slowest.";

/// `Strong scaling: the same elements on more GPUs`
std::string scaling_title(ScalingKind kind);

/// A row for each number of GPUs of each curve.
DeviceTable scaling_table(const Scaling& scaling);

}  // namespace rooflinectl
