// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "core/model/run.h"
#include "reports/text/table.h"

/// Collectives over the devices of a run as the terminal, `summary.md` and the page show them.
namespace rooflinectl {

/// What the numbers mean.
inline constexpr std::string_view kCollectiveExplanation =
    "Bus bandwidth: what each device has to send or receive per second, comparable with the bandwidth of its "
    "links whatever the number of devices. Algorithm bandwidth: bytes of the array over the time.";

/// `all-reduce`
std::string_view collective_name(Collective collective);

/// First the latency and the highest bus bandwidth of each collective, then its bus bandwidth, its algorithm
/// bandwidth and its time by size. A single table with only the reason where nothing was measured; none where
/// that was not tried.
std::vector<Table> collective_tables(const Run& run);

}  // namespace rooflinectl
