// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/devices/device_spread.h"
#include "reports/text/table.h"

/// How the devices of a run differ, as the terminal, `summary.md` and the page show it.
namespace rooflinectl {

/// What the tables mean.
inline constexpr std::string_view kSpreadExplanation =
    "The same points on devices of the same model. Spread: from the fastest to the slowest, over the median. "
    "Outlier: off the median of all devices (of two, the faster one) by 3 % or more and by more than the "
    "interval.";

/// Which devices stand out, without rows; then a table for each of `spreads`, with at most `most` points,
/// those with the widest spread first. None without several devices of one model.
std::vector<Table> spread_tables(const Run& run, const std::vector<ModelSpread>& spreads, std::size_t most);

}  // namespace rooflinectl
